import { randomOf } from '../../../src/demo/random.ts'
import { type CaseRun, failingSince, flakyFailures } from '../../../src/domain/tests/flaky.ts'

interface Size {
  seed: number
  cases: number
  builds: number
}

export interface Score {
  flaky: number
  /** Of the tests called flaky, the share that is; of the flaky ones, the share that is found within 60 runs. */
  precision: number
  recall: number
  /** How often the range of a regression was computed, and how often it holds the change that broke the test. */
  ranges: number
  rangesRight: number
}

interface Regression {
  /** Positions of the change that broke it and of the fix. */
  from: number
  to: number
}

const BRANCHES = 2
const RECALL_AFTER = 60

/**
 * A project with two streams whose builds skip changes, repeat some, and leave out tests. 3 % of the tests fail at random in 5 to 30 % of
 * their runs; changes break some of the others until they are fixed; now and then an outage fails a third of a run.
 */
export function simulate({ seed, cases, builds }: Size): Score {
  const random = randomOf(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const rates = Array.from({ length: cases }, () => (random() < 0.03 ? 0.05 + 0.25 * random() : 0))
  const score = { called: new Set<number>(), found: 0, due: 0, ranges: 0, rangesRight: 0 }
  for (let branch = 0; branch < BRANCHES; branch++) {
    const runs = Array.from({ length: cases }, (): CaseRun[] => [])
    const regressions = Array.from({ length: cases }, (): Regression[] => [])
    /** Positions of changes that touch the files of a case. */
    const touching = Array.from({ length: cases }, (): number[] => [])
    let position = 0
    for (let build = 0; build < builds / BRANCHES; build++) {
      // One build in ten repeats a change; the others skip up to four.
      const arrived = random() < 0.1 ? 0 : 1 + below(5)
      for (let change = 0; change < arrived; change++) {
        position++
        for (let file = below(8); file >= 0; file--) touching[below(cases)]!.push(position)
        if (random() < 0.15)
          for (let broken = below(20); broken >= 0; broken--) {
            const hit = below(cases)
            // Half of the regressions are in the test's own files.
            const fix = position + 2 + below(20)
            regressions[hit]!.push({ from: position, to: fix })
            if (random() < 0.5) touching[hit]!.push(position, fix)
          }
      }
      const isOutage = random() < 0.02
      for (let number = 0; number < cases; number++) {
        if (random() < 0.05) continue
        const isBroken = regressions[number]!.some(({ from, to }) => from <= position && position < to)
        const isHit = (isOutage && random() < 0.3) || random() < rates[number]!
        const outcome = isBroken || isHit ? ('failed' as const) : ('passed' as const)
        runs[number]!.push({ outcome, change: String(position), position, massive: isOutage })
        judgeCase(number, isBroken)
      }
    }
    function judgeCase(number: number, isBroken: boolean) {
      const own = runs[number]!
      const touched = (above: number, upTo: number) => touching[number]!.some((each) => each > above && each <= upTo)
      const isCalled = () => flakyFailures(own.slice(-100), touched).length > 0
      const wasFailing = own.at(-2)?.outcome === 'failed'
      const isDue = own.length === RECALL_AFTER && rates[number]! > 0
      if ((own.at(-1)!.outcome === 'passed' && wasFailing && isCalled()) || (isDue && isCalled())) score.called.add(number)
      if (isDue) {
        score.due++
        if (isCalled()) score.found++
      }
      if (!isBroken || isCalled()) return
      // That a run was an outage is known after the next one.
      const since = failingSince(own.map((run, at) => ({ ...run, outage: run.massive && at < own.length - 1 })))!
      const first = own[since.first]!.position!
      const lastGood = since.lastPassed === null ? 0 : own[since.lastPassed]!.position!
      score.ranges++
      if (regressions[number]!.some(({ from }) => from > lastGood && from <= first)) score.rangesRight++
    }
  }
  const flaky = rates.filter((rate) => rate > 0).length
  const right = [...score.called].filter((number) => rates[number]! > 0).length
  return {
    flaky,
    precision: right / score.called.size,
    recall: score.found / score.due,
    ranges: score.ranges,
    rangesRight: score.rangesRight / score.ranges,
  }
}
