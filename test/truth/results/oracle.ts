import { inOrder, type Verdict } from '../branch-oracle.ts'
import { type Case, JOB, type Outcome, type Run, type TestChange, type TestFile, type TestWorld } from './world.ts'

/** What must be true of test results, computed the slow way from all reports so far. It shares no code with the service. */

/** A build and the files of its results that arrived. */
export interface ReportedRun {
  run: Run
  arrival: number
  files: TestFile[]
}

type Merged = Outcome | 'flaky'

export interface ExpectedFailure {
  name: string
  /** Null where a test of that name is not comparable: it was renamed while nobody ran it, or its results did not arrive. */
  state: 'new' | 'still_failing' | 'first_run' | 'unknown' | null
}

export interface ExpectedRun {
  number: number
  stream: string
  position: number
  arrival: number
  verdict: 'passed' | 'failed'
  counts: { passed: number; failed: number; errors: number; flaky: number } | null
  failures: ExpectedFailure[]
  /** Who may be suspected, by changelist: those between the last pass of a failing test and its first failure. */
  suspects: number[]
}

interface Placed extends ReportedRun {
  position: number
  number: number
}

/** Both outcomes in one build are flaky, in whatever order the files came. */
function mergedOf({ files }: ReportedRun, { name }: Case): { outcome: Merged; name: string } | undefined {
  const results = files.flatMap((file) => file.results).filter((result) => result.of.name === name)
  const outcomes = new Set(results.map(({ outcome }) => outcome))
  if (results.length === 0) return undefined
  return { name: results[0]!.name, outcome: outcomes.size > 1 ? 'flaky' : results[0]!.outcome }
}

/** Tests of the start that every file reports; a run that was cut lacks the last one. */
export const START = ['boot', 'load', 'show'] as const

const isCut = ({ files }: ReportedRun) => files.some((file) => file.isCut)

export function expectedRuns(
  { cases, gate }: Pick<TestWorld, 'cases' | 'gate'>,
  changes: readonly TestChange[],
  reports: readonly ReportedRun[],
  quarantined: ReadonlySet<string>,
): ExpectedRun[] {
  const placed: Placed[] = reports.map((one) => ({ ...one, number: one.run.number, position: positionOf(changes, one.run) }))
  return placed.map((one) => {
    const { run, arrival, position, number, files } = one
    const line = placed.filter((other) => other.run.stream === run.stream && other.files.length > 0).toSorted(inOrder)
    const before = line.filter((other) => inOrder(other, one) < 0)
    const merged = cases.flatMap((each) => {
      const found = mergedOf(one, each)
      return found ? [{ of: each, ...found }] : []
    })
    const failing = merged.filter(({ outcome }) => outcome === 'failed')
    const counted = failing.filter((each) => !quarantined.has(each.of.name))
    const crashed = isCut(one)
    const redByTests =
      (gate === 'failures' && (counted.length > 0 || crashed)) || (gate === 'crashes' && crashed) ? 'failed' : 'passed'
    /** A case of the same file or message failed in the run before and is not in this one. */
    const lacksAlike = (each: Case) =>
      cases.some(
        (other) =>
          (other.file === each.file || other.message === each.message) &&
          !merged.some(({ of }) => of === other) &&
          before.length > 0 &&
          mergedOf(before.at(-1)!, other)?.outcome === 'failed',
      )
    const isExcused = counted.length === 0 && !crashed && failing.length > 0
    const start = files.some((file) => !file.isCut) ? START.length : START.length - 1
    const steady = counted.filter(({ of }) => !isKnownFlaky(line, of))
    const broken = [
      ...steady.map(({ of }) => rangeOf(before, one, (other) => mergedOf(other, of)?.outcome, of)),
      ...(crashed ? [rangeOf(before, one, (other) => (isCut(other) ? 'failed' : 'passed'))] : []),
    ]
    return {
      number,
      stream: run.stream,
      position,
      arrival,
      verdict: run.isRed ? (isExcused ? 'passed' : 'failed') : redByTests,
      counts:
        files.length === 0
          ? null
          : {
              passed: start + merged.filter(({ outcome }) => outcome === 'passed').length,
              failed: failing.length,
              errors: Number(crashed),
              flaky: merged.filter(({ outcome }) => outcome === 'flaky').length,
            },
      failures: failing.map(({ of, name }) => ({ name, state: stateOf(before, of, name, lacksAlike) })),
      suspects: changes
        .filter(({ stream, changelist }) => stream === run.stream && broken.some((range) => range(changelist)))
        .map(({ changelist }) => changelist),
    }
  })
}

export const verdictsOf = (runs: readonly ExpectedRun[]): Verdict[] =>
  runs.map(({ number, arrival, position, verdict }) => ({
    job: JOB,
    ciJob: JOB,
    number,
    arrival,
    position,
    passed: verdict === 'passed',
  }))

const positionOf = (changes: readonly TestChange[], { stream, changelist }: Run) =>
  Math.max(0, ...changes.filter((one) => one.stream === stream && one.changelist <= changelist).map((one) => one.changelist))

/** Compared with the last run before it on its branch that had the test. */
function stateOf(
  before: readonly Placed[],
  one: Case,
  name: string,
  lacksAlike: (one: Case) => boolean,
): ExpectedFailure['state'] {
  if (before.length === 0) return 'unknown'
  const earlier = before.flatMap((other) => mergedOf(other, one) ?? [])
  const last = earlier.at(-1)
  // Of a build whose other files are not there yet, it may look like a renamed one.
  if (!last) return lacksAlike(one) ? null : 'first_run'
  if (last.name === name) return last.outcome === 'failed' ? 'still_failing' : 'new'
  // Under another name: the failing one continues.
  return last.outcome === 'failed' ? 'still_failing' : null
}

/** Passed and failed in one build, or at one changelist that both builds name. */
function isKnownFlaky(line: readonly Placed[], one: Case): boolean {
  const runs = line.flatMap((other) => {
    const merged = mergedOf(other, one)
    return merged ? [{ ...merged, changelist: other.run.changelist }] : []
  })
  return runs.some(
    (run) =>
      run.outcome === 'flaky' ||
      (run.outcome === 'failed' && runs.some((other) => other.changelist === run.changelist && other.outcome === 'passed')),
  )
}

/** Changes above the last pass, up to the first failure after it; without a pass all up to that. */
function rangeOf(
  before: readonly Placed[],
  now: Placed,
  outcomeOf: (run: Placed) => Merged | undefined,
  of?: Case,
): (changelist: number) => boolean {
  const earlier = before.flatMap((run) => {
    const outcome = outcomeOf(run)
    return outcome === undefined || (outcome === 'flaky' && of?.rate !== 0) ? [] : [{ outcome, position: run.position }]
  })
  const lastPass = earlier.findLastIndex(({ outcome }) => outcome === 'passed')
  const first = [...earlier, { outcome: 'failed', position: now.position }]
    .slice(lastPass + 1)
    .find(({ outcome }) => outcome === 'failed')!
  const above = lastPass < 0 ? 0 : earlier[lastPass]!.position
  return (changelist) => changelist > above && changelist <= first.position
}
