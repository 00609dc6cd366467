import { type Mention, mentionsIn, readable } from './mentions.ts'
import type { Neighbourhood, Where } from './neighbourhood.ts'
import { WEIGHTS } from './weights.ts'
import { isCompound, type Words } from './words.ts'

/** A name in the log and its relation to the failure, 0 to 1. */
export interface Clue extends Mention {
  weight: number
  /** Its line reports something missing. */
  missing: boolean
}

const MISSING =
  /no such file|not found|(?:cannot|can't|could not|couldn't|unable to) (?:find|open|load|resolve)|(?:does not|doesn't) exist|missing|failed to load|could not be found|unresolved|ENOENT|MODULE_NOT_FOUND|\b(?:C1083|CS0246|LNK1104)\b/i

/** The names of the log, weighted by nearness to the evidence and by rarity. */
export const cluesIn = (log: readonly string[], around: Neighbourhood): Clue[] =>
  mentionsIn(log, around).map((mention, order) => {
    const { where, line, outside } = mention
    // Tools print the cause first and the path to it afterwards.
    const place = where === 'evidence' ? Math.max(WEIGHTS.lastOfEvidence, 1 - order / 10) : 1
    // A name that occurs all over the log has little meaning anywhere.
    const rarity = 1 / (1 + Math.log10(1 + outside) / 2)
    const missing = where !== 'elsewhere' && MISSING.test(log[line - 1] ?? '')
    return { ...mention, weight: WEIGHTS[where] * place * rarity, missing }
  })

/** The location of the failure, and the subject of its message. */
export interface Heart {
  around: Neighbourhood
  quoted: readonly string[]
}

/** Words that the log shares with changes, and how specific they are to the failure, 0 to 1 or a little more. */
export function specialWords(
  log: readonly string[],
  { around, quoted }: Heart,
  words: Words,
  used: ReadonlyMap<string, number>,
): Map<string, number> {
  const atTheHeart = new Set(quoted.flatMap((name) => words.of(name)))
  const seen = new Map<string, { lines: number; last: number; weight: number }>()
  log.forEach((raw, index) => {
    const where = around.where(index + 1)
    const text = readable(raw)
    for (const word of where === 'elsewhere' ? words.wholes(text) : words.of(text)) {
      if (!used.has(word)) continue
      const weight = wordWeight(where, word) * (atTheHeart.has(word) ? WEIGHTS.quoted : 1)
      const known = seen.get(word)
      if (!known) seen.set(word, { lines: 1, last: index, weight })
      else {
        if (known.last !== index) known.lines++
        known.last = index
        known.weight = Math.max(known.weight, weight)
      }
    }
  })
  const special = new Map<string, number>()
  for (const [word, { lines, weight }] of seen) {
    const rarity = Math.log((log.length + 1) / lines) / Math.log(log.length + 1)
    if (weight > 0) special.set(word, weight * rarity ** 2)
  }
  return special
}

const wordWeight = (where: Where, word: string): number => {
  if (where === 'evidence') return WEIGHTS.wordEvidence
  if (where === 'near') return WEIGHTS.wordNear
  return isCompound(word) ? WEIGHTS.compoundElsewhere : 0
}
