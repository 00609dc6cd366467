import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { IS_OF_BRANCH } from '../branches/build-statuses.ts'
import { earlierRuns, lastOutcomes, laterRuns } from './earlier-runs.ts'
import { outcomeAt } from './packed.ts'

interface Failed {
  id: number
  report_id: number
  number: number
  cause: string
  file: string
}

const failedOf = (db: Database, accountId: number, testBuildId: number) =>
  db.rows<Failed>(sql`
    select c.id, c.test_report_id as report_id, c.number, f.cause, f.file from test_failures f
    join test_cases c on c.account_id = f.account_id and c.id = f.test_case_id
    where f.account_id = ${accountId} and f.test_build_id = ${testBuildId} and f.outcome <> 'flaky' order by c.id`)

/** How much a failing case that is gone is like a new one: 0 if it is another test. */
const likeness = (old: Failed, now: Failed) =>
  Number(old.file !== '' && old.file === now.file) + 2 * Number(old.cause !== '' && old.cause === now.cause)

interface TestBuild extends ProjectKey {
  id: number
  build_run_id: number
}

/**
 * Notes the renamed tests of a build and of the next one on its branch, which may have been reported before. Returns the ids of those for which
 * that changed.
 */
export async function noteRenames(db: Database, { account_id, id }: RecordKey): Promise<number[]> {
  const build = await db.one<TestBuild>(sql`
    select t.account_id, t.project_id, t.id, t.build_run_id from test_builds t join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id
    where t.account_id = ${account_id} and t.id = ${id} and ${IS_OF_BRANCH}`)
  if (!build) return []
  const next = await db.rows<{ id: number; build_run_id: number }>(sql`
    select distinct l.test_build_id as id, l.build_run_id from ${laterRuns(build, id, build.build_run_id)} l where l.nth = 1 order by id`)
  const renamed = [...(await forgetRenames(db, account_id, id)), ...(await renamesOf(db, build))]
  for (const one of next) renamed.push(...(await renamesOf(db, { ...build, ...one })))
  return renamed
}

/** A failing case that was taken for a renamed one, but whose old name was only in a file that arrived later. */
async function forgetRenames(db: Database, accountId: number, testBuildId: number): Promise<number[]> {
  const renamed = await db.rows<{ id: number; former: number; outcomes: Buffer }>(sql`
    select c.id, o.number as former, q.outcomes from test_failures f
    join test_cases c on c.account_id = f.account_id and c.id = f.test_case_id
    join test_cases o on o.account_id = c.account_id and o.id = c.continues_id and o.test_report_id = c.test_report_id
    join test_runs q on q.account_id = f.account_id and q.test_build_id = f.test_build_id and q.test_report_id = c.test_report_id
    where f.account_id = ${accountId} and f.test_build_id = ${testBuildId} order by c.id`)
  const wrong = renamed.filter(({ former, outcomes }) => outcomeAt({ outcomes }, former) !== undefined).map(({ id }) => id)
  if (wrong.length > 0)
    await db.execute(
      sql`update test_cases set continues_id = null where account_id = ${accountId} and id = any (${wrong}::bigint[])`,
    )
  return wrong
}

/**
 * The failing cases of a build that are renamed ones: they ran for the first time, and a case with the same file or message that failed in the
 * run before is gone.
 */
async function renamesOf(db: Database, build: TestBuild): Promise<number[]> {
  const { account_id, id } = build
  const failed = await failedOf(db, account_id, id)
  if (failed.length === 0) return []
  const before = await db.rows<{ report_id: number; test_build_id: number; outcomes: Buffer }>(sql`
    select e.report_id, e.test_build_id, now.outcomes from ${earlierRuns(build, id, build.build_run_id)} e
    join test_runs now on now.account_id = ${account_id} and now.test_build_id = ${id} and now.test_report_id = e.report_id
    where e.nth = 1`)
  const gone: Failed[] = []
  for (const { report_id, test_build_id, outcomes } of before)
    for (const each of await failedOf(db, account_id, test_build_id))
      if (each.report_id === report_id && outcomeAt({ outcomes }, each.number) === undefined) gone.push(each)
  if (gone.length === 0) return []
  const seen = await lastOutcomes(db, build, { testBuildId: id, buildRunId: build.build_run_id }, failed)
  const renamed: number[] = []
  for (const now of failed.filter(({ report_id, number }) => !seen.has(`${report_id} ${number}`))) {
    const like = gone.filter((old) => old.report_id === now.report_id && likeness(old, now) > 0)
    const [old] = like.toSorted((a, b) => likeness(b, now) - likeness(a, now))
    if (!old) continue
    gone.splice(gone.indexOf(old), 1)
    const isNew = await db.execute(sql`
      update test_cases set continues_id = ${old.id} where account_id = ${account_id} and id = ${now.id} and continues_id is null`)
    if (isNew > 0) renamed.push(now.id)
  }
  return renamed
}
