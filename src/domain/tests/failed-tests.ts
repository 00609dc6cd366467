import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import type { FailedTest, FailedTests } from '../../diagnosis/failed-tests.ts'
import { BRANCH } from '../branches/positions.ts'
import { type Failure, failuresOfBuild } from './build-tests.ts'
import { failingSince, isMassive, withOutages } from './flaky.ts'
import { runsOn } from './judge-tests.ts'
import { outcomeAt } from './packed.ts'
import { isFailing } from './test-cases.ts'

/** The failed tests of a build, and the range of positions in which the lead ones broke. */
export interface BuildFailures {
  tests: FailedTests
  /** They broke above the first and up to the second position. Undefined if unknown. */
  span?: { above: number; up_to: number }
}

/** What the test results of a build say about its cause; undefined if no test failed. */
export async function failedTestsOf(db: Database, project: ProjectKey, buildRunId: number): Promise<BuildFailures | undefined> {
  const failures = (await failuresOfBuild(db, project, buildRunId)).filter(({ outcome }) => isFailing(outcome))
  if (failures.length === 0) return undefined
  // A test that is flaky or in quarantine says nothing as long as another failed.
  const counted = failures.filter(({ quarantined }) => !quarantined)
  const steady = counted.filter(({ flaky }) => !flaky)
  const only = counted.length === 0 ? 'quarantined' : steady.length === 0 ? 'flaky' : null
  const causes = groupsOf([steady, counted, failures].find(({ length }) => length > 0)!)
  const lead = causes[0]!
  const span = only !== null ? undefined : await spanOf(db, project, buildRunId, lead)
  return {
    tests: {
      lead: await detailed(db, project, buildRunId, lead),
      cause: lead[0]!.cause,
      others: { tests: causes.slice(1).reduce((sum, { length }) => sum + length, 0), causes: causes.length - 1 },
      only,
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

/** By cause: those with new failures first, then the largest. */
function groupsOf(failures: readonly Failure[]): Failure[][] {
  const groups = grouped(failures, ({ cause, id }) => cause || id)
  const isNew = (group: readonly Failure[]) => Number(group.some(({ state }) => state === 'new'))
  return [...groups.values()].toSorted((a, b) => isNew(b) - isNew(a) || b.length - a.length)
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
  return failures.map(({ id, suite, class: className, name, message, file, line }) => ({
    identity: `${suite}\0${className}\0${name}`,
    title: className === '' ? name : `${className}.${name}`,
    message,
    details: details.get(id) ?? '',
    file,
    line,
  }))
}

/** Tests whose runs are compared: those with one cause broke together. */
const COMPARED = 20

/** Where the tests broke on the branch of the build, by their last passes and first failures up to this build. */
async function spanOf(db: Database, { account_id, project_id }: ProjectKey, buildRunId: number, failures: readonly Failure[]) {
  const ids = failures.slice(0, COMPARED).map(({ id }) => id)
  const cases = await db.rows<{ number: number; test_report_id: number; branch: string; test_build_id: number }>(sql`
    select c.number, c.test_report_id, ${BRANCH} as branch, t.id as test_build_id from build_runs b
    join test_builds t on t.account_id = b.account_id and t.build_run_id = b.id
    join test_cases c on c.account_id = b.account_id and c.id = any (${ids}::bigint[])
    where b.account_id = ${account_id} and b.id = ${buildRunId} and b.kind <> 'preflight'`)
  const spans: { above: number; up_to: number }[] = []
  for (const [test_report_id, own] of grouped(cases, (each) => each.test_report_id)) {
    const { branch, test_build_id } = own[0]!
    const runs = await runsOn(db, { account_id, project_id, test_report_id, branch })
    const judged = withOutages(runs.map((run) => ({ ...run, failures: run.failed + run.errors, massive: isMassive(run) })))
    const upToHere = judged.slice(0, judged.findIndex((run) => run.test_build_id === test_build_id) + 1)
    for (const { number } of own) {
      const known = upToHere.flatMap((run) => {
        const outcome = outcomeAt(run, number)
        return outcome === undefined ? [] : [{ outcome, position: run.position, outage: run.outage }]
      })
      const since = failingSince(known)
      const above = since && since.lastPassed !== null && known[since.lastPassed]!.position
      const up_to = since && known[since.first]!.position
      if (typeof above !== 'number' || typeof up_to !== 'number') return undefined
      spans.push({ above, up_to })
    }
  }
  const above = Math.max(...spans.map((span) => span.above))
  const up_to = Math.min(...spans.map((span) => span.up_to))
  return spans.length > 0 && above < up_to ? { above, up_to } : undefined
}
