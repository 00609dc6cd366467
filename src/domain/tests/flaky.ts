import type { TestOutcome } from '../../contract/sets.ts'
import type { Counts } from './packed.ts'
import { isFailing } from './test-cases.ts'

/** A run of a case on a branch. Lists of them are in the order of the branch, oldest first. */
export interface CaseRun {
  outcome: TestOutcome
  /** Equal for runs of one change; empty if unknown. */
  change: string
  /** Null if the changes of the branch are unknown. */
  position: number | null
  /** So many tests of the report failed that their cause is not in each of them. */
  massive: boolean
}

/** Whether a change above the first and up to the second position touches the files of the case. */
export type Touched = (above: number, upTo: number) => boolean

/** Runs that are read per branch. */
export const RUNS_READ = 100
/** The newest runs of a case, which decide whether it is flaky. */
const DECIDING = 60
const UNTOUCHED_MIN = 20
const RECOVERIES_MIN = 3

/**
 * The runs in which a flaky test failed, as places in the list; empty if it is not flaky. It is if it passed and failed at one change, or if
 * three times in at least 20 runs it failed and passed again although no change touched its files. A regression is not: its failures follow
 * each other until it is fixed. A flaky test that fails so often in a row that its rate does not explain it has a regression too.
 */
export function flakyFailures(all: readonly CaseRun[], touched: Touched): number[] {
  const places = [...all.keys()].filter((at) => all[at]!.outcome !== 'skipped').slice(-DECIDING)
  const atOneChange = places.filter((at) => all[at]!.outcome === 'flaky' || hasPassedToo(all, at))
  const recovered = recoveries(
    places.filter((at) => all[at]!.position !== null && all[at]!.outcome !== 'flaky'),
    all,
    touched,
  )
  const failures = [...new Set([...atOneChange, ...recovered])].toSorted((a, b) => a - b)
  return failures.length > 0 && isRegression(all, places, failures) ? [] : failures
}

/** Failures in a row at different changes that are less likely than this at the test's own rate are a regression. */
const UNLIKELY = 0.01
const IN_A_ROW_MIN = 2

/** Whether so many failures in a row are unlikely, if of so many earlier runs some failed. */
export const isUnlikely = (inARow: number, earlier: { failures: number; runs: number }): boolean =>
  inARow >= IN_A_ROW_MIN && ((earlier.failures + 1) / (earlier.runs + 2)) ** inARow < UNLIKELY

/** Whether the newest failures are too many in a row for the rate at which it failed before. */
function isRegression(all: readonly CaseRun[], places: readonly number[], failures: readonly number[]): boolean {
  const counted = places.filter((at) => !all[at]!.massive)
  const last = counted.findLastIndex((at) => !isFailing(all[at]!.outcome) || hasPassedToo(all, at))
  const before = counted.slice(0, last + 1)
  const changes = new Set(counted.slice(last + 1).map((at) => all[at]!.change || all[at]!.position))
  const flaky = failures.filter((at) => before.includes(at)).length
  return isUnlikely(changes.size, { failures: flaky, runs: before.length })
}

/** The runs that decide whether a case is flaky. */
export const decidingRuns = (all: readonly CaseRun[]): number =>
  Math.min(DECIDING, all.filter(({ outcome }) => outcome !== 'skipped').length)

const hasPassedToo = (runs: readonly CaseRun[], at: number) => {
  const { outcome, change, massive } = runs[at]!
  return isFailing(outcome) && !massive && change !== '' && runs.some((run) => run.change === change && run.outcome === 'passed')
}

/** The failures that were gone later without a change to the files, if there are enough of them. */
function recoveries(places: readonly number[], all: readonly CaseRun[], touched: Touched): number[] {
  const runs = places.map((at) => all[at]!)
  const between = (from: number, to: number) => touched(runs[from]!.position!, runs[to]!.position!)
  const episodes: number[][] = []
  for (let at = 1; at < runs.length; at++) {
    if (!isFailing(runs[at]!.outcome) || isFailing(runs[at - 1]!.outcome)) continue
    const end = runs.findIndex((run, later) => later > at && !isFailing(run.outcome))
    if (end < 0) break
    const failures = Array.from({ length: end - at }, (_, more) => at + more)
    if (!failures.some((failure) => runs[failure]!.massive) && !between(at - 1, end)) episodes.push(failures)
  }
  if (episodes.length < RECOVERIES_MIN) return []
  const untouched = runs.filter((_, at) => at === 0 || !between(at - 1, at)).length
  return untouched < UNTOUCHED_MIN ? [] : episodes.flat().map((at) => places[at]!)
}

/**
 * Since when a case fails: the first failure after its last pass, and that pass, as places in the list. Null if its newest run passed. A
 * failure during an outage counts only if there is no other: the case may have broken later.
 */
export function failingSince(
  runs: readonly (Pick<CaseRun, 'outcome'> & { outage: boolean })[],
): { first: number; lastPassed: number | null } | null {
  let first: number | null = null
  let firstOfAll: number | null = null
  const since = (lastPassed: number | null) => (firstOfAll === null ? null : { first: first ?? firstOfAll, lastPassed })
  for (let at = runs.length - 1; at >= 0; at--) {
    const { outcome, outage } = runs[at]!
    if (isFailing(outcome)) {
      firstOfAll = at
      if (!outage) first = at
    }
    // A pass in a second attempt shows neither that the change was good nor that it was bad.
    else if (outcome === 'passed') return since(at)
  }
  return since(null)
}

/** If so many tests, and a tenth of all, fail in a run, something else than a single test is the cause. */
const MASSIVE_MIN = 10
const MASSIVE_SHARE = 0.1

export const isMassive = ({ passed, failed, errors, skipped, flaky }: Omit<Counts, 'duration_ms'>): boolean =>
  failed + errors >= Math.max(MASSIVE_MIN, MASSIVE_SHARE * (passed + failed + errors + skipped + flaky))

/** The runs of a branch with whether they were an outage: many tests failed, and at most half as many in the first run in which fewer did. */
export function withOutages<Run extends { failures: number; massive: boolean }>(
  runs: readonly Run[],
): (Run & { outage: boolean })[] {
  return runs.map((run, at) => {
    if (!run.massive) return { ...run, outage: false }
    const after = runs.slice(at + 1).find(({ massive, failures }) => !massive || failures <= run.failures / 2)
    return { ...run, outage: after !== undefined && after.failures <= run.failures / 2 }
  })
}
