import { isBlankText } from '../log.ts'
import { learnEnvelope } from './envelope.ts'
import type { Layer } from './layer.ts'
import { learnIndent, learnNode, learnTrailing } from './margins.ts'
import { learnNumbers } from './numbers.ts'
import { learnOrigin, learnSender } from './origin.ts'
import { learnServiceMessages } from './service-message.ts'
import { learnMark, learnStamp } from './stamp.ts'

/** Prefixes nest: a runner's time around a branch around a tool's own time. */
const MOST_LAYERS = 8
const SAMPLE = 400

/** Lines from all over the log, so that no single step dominates. */
function sampleOf(lines: readonly string[]): string[] {
  let filled = 0
  for (const line of lines) if (!isBlankText(line)) filled++
  const step = Math.max(1, filled / SAMPLE)
  const sample: string[] = []
  let at = 0
  for (const line of lines) {
    if (isBlankText(line)) continue
    if (at++ === Math.floor(sample.length * step)) sample.push(line)
    if (sample.length === SAMPLE) break
  }
  return sample
}

/** Lines without their carriers' prefixes; those of one branch have the same name in `branches`. */
interface Carried {
  texts: string[]
  branches: string[]
}

/**
 * Learns the prefixes of a log's carriers and removes them: whatever the product, a prefix is what the starts of most lines have in common,
 * apart from times and numbers. Null if there is none.
 */
export function withoutCarriers(lines: readonly string[]): Carried | null {
  const layers = learnLayers(lines)
  if (layers.length === 0) return null
  const carried: Carried = { texts: [], branches: [] }
  for (const line of lines) {
    let text = line
    let branch = ''
    for (const layer of layers) {
      const peeled = layer(text)
      if (!peeled) continue
      text = peeled.rest
      if (peeled.branch !== undefined) branch += `${peeled.branch}\t`
    }
    carried.texts.push(text)
    carried.branches.push(branch)
  }
  return carried
}

function learnLayers(lines: readonly string[]): Layer[] {
  const layers: Layer[] = []
  let sample = sampleOf(lines)
  while (layers.length < MOST_LAYERS) {
    const layer =
      learnTrailing(sample) ??
      learnIndent(sample) ??
      learnEnvelope(sample) ??
      learnServiceMessages(sample) ??
      learnStamp(sample) ??
      (layers.length > 0 ? learnMark(sample) : null) ??
      learnNumbers(sample) ??
      learnNode(sample) ??
      learnOrigin(sample) ??
      learnSender(sample)
    if (!layer) break
    layers.push(layer)
    sample = sample.map((line) => layer(line)?.rest ?? line).filter((line) => !isBlankText(line))
  }
  return layers
}
