import { describe, expect, test } from 'vitest'
import { randomOf } from '../../demo/random.ts'
import { nextStep, posteriorOf, priorOf, type Search, type Trial } from './bisection.ts'

const CHANGES = 64
const FLICKER = 0.1
const WORLDS = 2000

/** A CI where bad changes always fail, and good ones fail now and then. */
interface World {
  culprit: number
  fails(index: number): boolean
  scores: number[]
}

/** Deciles of the scores that the engine gave to causes and to other changes in 110 labeled failures. */
const OF_CAUSES = [0, 0, 0.08, 0.15, 0.23, 0.33, 0.4, 0.47, 0.6, 0.75, 0.95]
const OF_OTHERS = [0, 0, 0.02, 0.05, 0.07, 0.1, 0.12, 0.16, 0.2, 0.3, 0.92]
const SUSPECTS = 10

function worldOf(seed: number): World {
  const random = randomOf(seed)
  const culprit = Math.floor(random() * CHANGES)
  const drawn = Array.from({ length: CHANGES }, (_, index) => {
    const deciles = index === culprit ? OF_CAUSES : OF_OTHERS
    const [at, rest] = [Math.floor(random() * 10), random()]
    return deciles[at]! + rest * (deciles[at + 1]! - deciles[at]!)
  })
  const least = drawn.toSorted((a, b) => b - a)[SUSPECTS - 1]!
  return {
    culprit,
    fails: (index) => index >= culprit || random() < FLICKER,
    scores: drawn.map((score) => (score >= least ? score : 0)),
  }
}

interface Outcome {
  builds: number
  isRight: boolean
}

function guided({ culprit, fails }: World, prior: number[]): Outcome {
  const trials: Trial[] = []
  for (;;) {
    const step = nextStep({ prior, trials })
    if (step.kind !== 'build') return { builds: trials.length, isRight: step.kind === 'found' && step.index === culprit }
    trials.push({ index: step.index, verdict: fails(step.index) ? 'bad' : 'good' })
  }
}

/** Halves the range; a failure counts once it has repeated this often. */
function plain({ culprit, fails }: World, repeats: number): Outcome {
  let [good, bad, builds] = [-1, CHANGES - 1, 0]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    let failures = 0
    do builds++
    while (fails(middle) && ++failures < repeats)
    if (failures === repeats) bad = middle
    else good = middle
  }
  return { builds, isRight: bad === culprit }
}

function measured(search: (world: World) => Outcome) {
  const outcomes = Array.from({ length: WORLDS }, (_, seed) => search(worldOf(seed)))
  const mean = (of: (outcome: Outcome) => number) => outcomes.reduce((sum, outcome) => sum + of(outcome), 0) / WORLDS
  return { builds: mean(({ builds }) => builds), right: mean(({ isRight }) => Number(isRight)) }
}

describe('among 64 changes, where one failure in ten means nothing', () => {
  const ours = measured((world) => guided(world, priorOf(world.scores)))
  const repeats = [1, 2, 3].find((repeats) => measured((world) => plain(world, repeats)).right >= ours.right)!

  test('the cause is found in 95 % of the cases with 80 % of the builds of a plain bisection that is as reliable', () => {
    expect(ours.right).toBeGreaterThanOrEqual(0.95)
    expect(ours.builds / measured((world) => plain(world, repeats)).builds).toBeLessThanOrEqual(0.8)
  })

  test('a search without scores is as reliable and still needs fewer builds than a plain one', () => {
    const blind = measured((world) => guided(world, priorOf(world.scores.map(() => 0))))
    expect(blind.right).toBeGreaterThanOrEqual(0.95)
    expect(blind.builds).toBeLessThan(measured((world) => plain(world, repeats)).builds)
    expect(blind.builds).toBeGreaterThan(ours.builds)
  })
})

describe('the next step', () => {
  const equal = (count: number) => priorOf(Array(count).fill(0))
  const search = (count: number, trials: [number, Trial['verdict']][], more: Partial<Search> = {}): Search => ({
    prior: equal(count),
    trials: trials.map(([index, verdict]) => ({ index, verdict })),
    ...more,
  })

  test('halves the range if failures are reliable', () => {
    expect(nextStep(search(64, [], { flicker: 0 }))).toEqual({ kind: 'build', index: 31 })
    expect(nextStep(search(64, [[31, 'good']], { flicker: 0 }))).toEqual({ kind: 'build', index: 47 })
    expect(nextStep(search(2, [[0, 'bad']], { flicker: 0 }))).toMatchObject({ kind: 'found', index: 0, probability: 1 })
  })

  test('is near the change with the highest score', () => {
    const step = nextStep({ prior: priorOf(Array.from({ length: 64 }, (_, index) => (index === 50 ? 0.8 : 0.01))), trials: [] })
    expect(step.kind === 'build' && Math.abs(step.index - 50)).toBeLessThanOrEqual(1)
  })

  test('builds no change again that passed, and none before it', () => {
    const step = nextStep(search(64, [[40, 'good']]))
    expect(step.kind === 'build' && step.index).toBeGreaterThan(40)
    expect(posteriorOf(search(64, [[40, 'good']])).slice(0, 41)).toEqual(Array(41).fill(0))
  })

  test('needs more than one failure for a change among many', () => {
    expect(
      nextStep(
        search(64, [
          [31, 'good'],
          [32, 'bad'],
        ]),
      ).kind,
    ).toBe('build')
    expect(
      nextStep(
        search(64, [
          [31, 'good'],
          [32, 'bad'],
          [32, 'bad'],
          [32, 'bad'],
        ]),
      ),
    ).toMatchObject({ kind: 'found', index: 32 })
  })

  test('avoids changes that cannot be built, and ends if none is left', () => {
    expect(nextStep(search(3, [[0, 'skip']]))).toEqual({ kind: 'build', index: 1 })
    expect(
      nextStep(
        search(3, [
          [0, 'skip'],
          [1, 'skip'],
          [2, 'skip'],
        ]),
      ),
    ).toEqual({ kind: 'stuck', among: [0, 1, 2] })
  })

  test('names no change if the last one passes', () => {
    expect(nextStep(search(8, [[7, 'good']]))).toEqual({ kind: 'no_change' })
    expect(nextStep(search(8, [[7, 'good']], { flicker: 0 }))).toEqual({ kind: 'no_change' })
  })

  test('doubts a single change less, the more often it failed', () => {
    const [once, often] = [1, 4].map((failures) => posteriorOf(search(1, [], { failures })))
    expect(once![0]).toBeLessThan(often![0]!)
  })

  test('names nobody before the failure was seen again', () => {
    expect(nextStep(search(1, []))).toEqual({ kind: 'build', index: 0 })
    expect(nextStep(search(1, [[0, 'bad']]))).toMatchObject({ kind: 'found', index: 0 })
    expect(nextStep(search(1, [[0, 'skip']]))).toEqual({ kind: 'stuck', among: [0] })
    expect(nextStep(search(8, [[6, 'good']]))).toEqual({ kind: 'build', index: 7 })
  })
})
