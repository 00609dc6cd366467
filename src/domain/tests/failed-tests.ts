import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import type { FailedTest, FailedTests } from '../../diagnosis/failed-tests.ts'
import { IS_OF_BRANCH } from '../branches/build-statuses.ts'
import { BRANCH } from '../branches/positions.ts'
import { type Failure, failuresOfBuild } from './build-tests.ts'
import { byCause } from './cause.ts'
import { failingSince, isMassive, withOutages } from './flaky.ts'
import { runsOn } from './judge-tests.ts'
import { outcomeAt } from './packed.ts'
import { isFailing } from './test-cases.ts'

/** The failed tests of a build, and the range of positions in which the lead ones broke. */
export interface BuildFailures {
  tests: FailedTests
  /** They broke above the first and up to the second position. Undefined if unknown; the first is null if they never passed. */
  span?: { above: number | null; up_to: number }
}

/** What the test results of a build say about its cause; undefined if no test failed. */
export async function failedTestsOf(db: Database, project: ProjectKey, buildRunId: number): Promise<BuildFailures | undefined> {
  const { failures: all, tests } = await failuresOfBuild(db, project, buildRunId)
  if (all.length === 0) return undefined
  // A test that is flaky or in quarantine says nothing as long as another failed, nor does one that passed in a second attempt.
  const failures = all.filter(({ outcome }) => isFailing(outcome))
  const counted = failures.filter(({ quarantined }) => !quarantined)
  const steady = counted.filter(({ flaky }) => !flaky)
  const only = failures.length > 0 && counted.length === 0 ? 'quarantined' : steady.length === 0 ? 'flaky' : null
  const causes = groupsOf([steady, counted, failures, all].find(({ length }) => length > 0)!, tests)
  const lead = causes[0]!
  const { span, isFirstRun } = only !== null ? { isFirstRun: false } : await spanOf(db, project, buildRunId, lead)
  return {
    tests: {
      lead: await detailed(db, project, buildRunId, lead),
      cause: lead[0]!.cause,
      others: { tests: causes.slice(1).reduce((sum, { length }) => sum + length, 0), causes: causes.length - 1 },
      only,
      first_run: isFirstRun,
    },
    ...(span && { span }),
  }
}

function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

/** By cause: those with new failures first, then the largest. Tests that ran for the first time come last. */
function groupsOf(failures: readonly Failure[], tests: number): Failure[][] {
  const rank = (group: readonly Failure[]) => {
    const has = (state: Failure['state']) => group.some((failure) => failure.state === state)
    return has('new') ? 0 : group.every(({ state }) => state === 'first_run') ? 2 : 1
  }
  return byCause(failures, tests).toSorted((a, b) => rank(a) - rank(b) || b.length - a.length)
}

/** Tests whose details are read: the finding shows fewer. */
const DETAILED = 5

async function detailed(
  db: Database,
  { account_id }: ProjectKey,
  buildRunId: number,
  failures: readonly Failure[],
): Promise<FailedTest[]> {
  const ids = failures.slice(0, DETAILED).map(({ id }) => id)
  const rows = await db.rows<{ id: string; details: string }>(sql`
    select f.test_case_id::text as id, f.details from test_builds t
    join test_failures f on f.account_id = t.account_id and f.test_build_id = t.id and f.test_case_id = any (${ids}::bigint[])
    where t.account_id = ${account_id} and t.build_run_id = ${buildRunId}`)
  const details = new Map(rows.map((row) => [row.id, row.details]))
  const renamed = await formerNames(
    db,
    account_id,
    failures.map(({ id }) => id),
  )
  return failures.map(({ id, suite, class: className, name, message, file, line }) => ({
    id,
    identity: identityOf({ suite, class: className, name }),
    former: renamed.filter((one) => one.id === id).map((one) => ({ identity: identityOf(one), cause: one.cause })),
    title: className === '' ? name : `${className}.${name}`,
    message,
    details: details.get(id) ?? '',
    file,
    line,
  }))
}

const identityOf = (test: { suite: string; class: string; name: string }) => `${test.suite}\0${test.class}\0${test.name}`

/** Names that a test had before, with the cause of its newest failure of that name. */
const RENAMES_MAX = 10

const formerNames = (db: Database, accountId: number, ids: readonly string[]) =>
  db.rows<{ id: string; suite: string; class: string; name: string; cause: string }>(sql`
    with recursive former as (
      select c.id as of, c.continues_id as id, 1 as times from test_cases c
      where c.account_id = ${accountId} and c.id = any (${ids}::bigint[]) and c.continues_id is not null
      union all
      select f.of, c.continues_id, f.times + 1 from former f join test_cases c on c.account_id = ${accountId} and c.id = f.id
      where c.continues_id is not null and f.times < ${RENAMES_MAX})
    select f.of::text as id, c.suite, c.class, c.name, x.cause from former f
    join test_cases c on c.account_id = ${accountId} and c.id = f.id
    cross join lateral (select x.cause from test_failures x where x.account_id = c.account_id and x.test_case_id = c.id
      order by x.failed_at desc limit 1) x
    order by f.of, f.times`)

/** Tests whose runs are compared: those with one cause broke together. */
const COMPARED = 20

/**
 * Where the tests broke on the branch of the build, by their last passes and first failures up to this build. Or whether all of them failed in
 * their first run: then nothing says that they ever passed.
 */
async function spanOf(db: Database, { account_id, project_id }: ProjectKey, buildRunId: number, failures: readonly Failure[]) {
  const ids = failures.slice(0, COMPARED).map(({ id }) => id)
  const cases = await db.rows<{
    number: number
    former: number | null
    test_report_id: number
    branch: string
    test_build_id: number
  }>(sql`
    select c.number, o.number as former, c.test_report_id, ${BRANCH} as branch, t.id as test_build_id from build_runs b
    join test_builds t on t.account_id = b.account_id and t.build_run_id = b.id
    join test_cases c on c.account_id = b.account_id and c.id = any (${ids}::bigint[])
    left join test_cases o on o.account_id = c.account_id and o.id = c.continues_id and o.test_report_id = c.test_report_id
    where b.account_id = ${account_id} and b.id = ${buildRunId} and ${IS_OF_BRANCH}`)
  const spans: ({ above: number | null; up_to: number } | undefined)[] = []
  let isFirstRun = cases.length > 0
  for (const [test_report_id, own] of grouped(cases, (each) => each.test_report_id)) {
    const { branch, test_build_id } = own[0]!
    const all = await runsOn(db, { account_id, project_id, test_report_id, branch })
    const job = all.find((run) => run.test_build_id === test_build_id)?.job
    const runs = all.filter((run) => run.job === job)
    const judged = withOutages(runs.map((run) => ({ ...run, failures: run.failed + run.errors, massive: isMassive(run) })))
    const upToHere = judged.slice(0, judged.findIndex((run) => run.test_build_id === test_build_id) + 1)
    for (const { number, former } of own) {
      const known = upToHere.flatMap((run) => {
        const outcome = outcomeAt(run, number) ?? (former === null ? undefined : outcomeAt(run, former))
        return outcome === undefined ? [] : [{ outcome, position: run.position, outage: run.outage }]
      })
      isFirstRun &&= known.length < upToHere.length && known.every(({ outcome }) => isFailing(outcome) || outcome === 'skipped')
      const since = failingSince(known)
      const above = since && (since.lastPassed === null ? null : known[since.lastPassed]!.position)
      const up_to = since && known[since.first]!.position
      // A test that never passed says nothing in its first run, but did not break after that.
      const isKnown = typeof up_to === 'number' && (since!.lastPassed === null ? since!.first < known.length - 1 : above !== null)
      spans.push(isKnown ? { above, up_to } : undefined)
    }
  }
  const placed = spans.filter((span) => span !== undefined)
  const above = Math.max(...placed.map((span) => span.above ?? -1))
  const up_to = Math.min(...placed.map((span) => span.up_to))
  const isKnown = placed.length > 0 && placed.length === spans.length && above < up_to
  return { span: isKnown ? { above: above < 0 ? null : above, up_to } : undefined, isFirstRun }
}
