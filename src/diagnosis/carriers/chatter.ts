import { COMMAND, commandEnd } from '../../contract/log-parts.ts'
import { EDGE } from '../stages/edge.ts'
import { weigh } from '../stages/salient-lines.ts'
import type { Branch } from './branches.ts'
import { withoutNumbers } from './layer.ts'

/** Another process says the same all along, up to its numbers; in so many tenths of the log, and so often. */
const TENTHS = 8
const OFTEN = 10
/** A log with more lines than this has nothing but short ones. */
const MOST_LINES = 20_000

const SPOKEN = /^[A-Z][a-z]+ [\w .,:%/-]{3,80}$/

const isIdle = (text: string) => weigh(text) <= 0 && !EDGE.test(text) && !COMMAND.test(text) && commandEnd(text) === undefined

/** Splits off what a second process says between the lines of the first, where neither is marked; null where nothing is. */
export function splitChatter(texts: readonly string[]): Branch[] | null {
  if (texts.length > MOST_LINES) return null
  const places = new Map<string, number[]>()
  texts.forEach((text, index) => {
    if (!SPOKEN.test(text)) return
    const said = withoutNumbers(text)
    const known = places.get(said)
    if (known) known.push(index)
    else places.set(said, [index])
  })
  const isAllAlong = (indexes: readonly number[]) =>
    indexes.length >= OFTEN &&
    new Set(indexes.map((index) => Math.floor((10 * index) / texts.length))).size >= TENTHS &&
    indexes.every((index, i) => index !== indexes[i - 1]! + 1) &&
    isIdle(texts[indexes[0]!]!)
  const chatter = new Set([...places.values()].filter(isAllAlong).flat())
  if (chatter.size === 0) return null
  const lines = texts.map((_, index) => index)
  return [
    { name: '', lines: lines.filter((index) => chatter.has(index)) },
    { name: '', lines: lines.filter((index) => !chatter.has(index)) },
  ]
}
