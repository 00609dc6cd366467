import type { BisectionVerdict } from '../../contract/sets.ts'

/**
 * Finds the change that broke something with as few builds as possible. A pass is proof that the cause came later. A failure is not: sound
 * changes fail now and then too.
 */

/** How often a sound change fails all the same. */
export const FLICKER = 0.1
/** The probability from which a change is named. */
const ENOUGH = 0.9
/** The probability, before any failure, that no change is the cause. */
const NO_CHANGE = 0.05
/** Half of the prior is equal for all changes, because the suspects' scores are wrong in half of the cases without a named author. */
const ALIKE = 0.5
/** Builds that teach less than this many bits are not worth their time. */
const LEAST_BITS = 1e-6

/** A build at one of the changes, counted from 0. */
export interface Trial {
  index: number
  verdict: BisectionVerdict
}

export interface Search {
  /** One per change in doubt, oldest first; their sum is 1. */
  prior: readonly number[]
  trials: readonly Trial[]
  /** How many builds failed at or after the last change, before the search. */
  failures?: number
  flicker?: number
}

export type Step =
  | { kind: 'build'; index: number }
  | { kind: 'found'; index: number; probability: number }
  /** The cause is none of the changes: the failure comes and goes. */
  | { kind: 'no_change' }
  /** No further build can tell the remaining changes apart: the rest cannot be built. */
  | { kind: 'stuck'; among: number[] }

/** The probability of each change before any build: half by the squares of the suspects' scores, half equally. */
export function priorOf(scores: readonly number[]): number[] {
  const squares = scores.map((score) => score ** 2)
  const sum = total(squares)
  const equal = 1 / scores.length
  return squares.map((square) => ALIKE * equal + (1 - ALIKE) * (sum > 0 ? square / sum : equal))
}

/** The probability of each change after the builds; the last one is that of no change. */
export function posteriorOf({ prior, trials, failures = 1, flicker = FLICKER }: Search): number[] {
  const weights = [...prior.map((weight) => weight * (1 - NO_CHANGE)), NO_CHANGE * flicker ** failures]
  for (const { index, verdict } of trials)
    for (const [cause, weight] of weights.entries()) {
      if (verdict === 'good' && cause <= index) weights[cause] = 0
      if (verdict === 'bad' && cause > index) weights[cause] = weight * flicker
    }
  const sum = total(weights)
  return sum > 0 ? weights.map((weight) => weight / sum) : weights.map((_, cause) => Number(cause === prior.length))
}

/** What to do next. */
export function nextStep(search: Search): Step {
  const { trials, flicker = FLICKER } = search
  const posterior = posteriorOf(search)
  const likeliest = posterior.indexOf(Math.max(...posterior))
  const probability = posterior[likeliest]!
  const skipped = new Set(trials.filter(({ verdict }) => verdict === 'skip').map(({ index }) => index))
  if (probability >= ENOUGH) {
    const last = search.prior.length - 1
    if (likeliest > last) return { kind: 'no_change' }
    // Nobody is named before the failure was seen again: it may be gone.
    const isSeen = flicker === 0 || trials.some(({ verdict }) => verdict === 'bad')
    if (isSeen) return { kind: 'found', index: likeliest, probability }
    return skipped.has(last) ? { kind: 'stuck', among: [likeliest] } : { kind: 'build', index: last }
  }
  let best = { index: -1, bits: LEAST_BITS }
  let bad = 0
  for (const index of search.prior.keys()) {
    bad += posterior[index]!
    const bits = entropy(bad + (1 - bad) * flicker) - (1 - bad) * entropy(flicker)
    if (bits > best.bits && !skipped.has(index)) best = { index, bits }
  }
  if (best.index >= 0) return { kind: 'build', index: best.index }
  return { kind: 'stuck', among: [...search.prior.keys()].filter((index) => posterior[index]! > 0) }
}

const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0)

/** Of an event with this probability, in bits. */
const entropy = (p: number) => (p <= 0 || p >= 1 ? 0 : -p * Math.log2(p) - (1 - p) * Math.log2(1 - p))
