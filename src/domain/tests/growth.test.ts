import { afterAll, beforeAll, expect, test } from 'vitest'
import { buffersOf } from '../../../test/support/buffers.ts'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import { earlierRuns } from './earlier-runs.ts'
import { judge } from './judge-tests.ts'
import { find } from './test-history.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
  const { db } = own
  await db.execute(sql`insert into accounts (id, name) values (1, 'Owl')`)
  await db.execute(sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall')`)
  await db.execute(sql`
    insert into test_reports (id, account_id, project_id, ci_job_name, name, platform, rhi) values (1, 1, 1, 'Test', 'unit', '', '')`)
  await db.execute(sql`
    insert into test_cases (id, account_id, project_id, test_report_id, number, identity, suite, class, name, occurrence)
    values (1, 1, 1, 1, 0, 1, '', '', 'walks', 0)`)
  await run('release', 0, 20)
})
afterAll(() => own.drop())

/** Builds of a branch that ran the report, one a minute; the case fails in every second one. */
const run = async (branch: string, from: number, to: number) => {
  await own.db.execute(sql`
    with built as (
        insert into build_runs (account_id, project_id, status, ci_job_name, build_number, branch, commit_hash, created_at, finished_at)
        select 1, 1, 'completed', 'Test', ${branch} || n, ${branch}, md5(n::text), now() - interval '400 days' + n * interval '1 minute', now()
        from generate_series(${from + 1}::integer, ${to}::integer) n returning id, build_number, created_at),
      tested as (
        insert into test_builds (account_id, project_id, ci_job_name, build_number, build_run_id)
        select 1, 1, 'Test', build_number, id from built returning id, build_run_id)
    insert into test_runs (account_id, test_build_id, test_report_id, passed, failed, errors, skipped, flaky, duration_ms, outcomes, durations, received_at)
    select 1, t.id, 1, 1, 0, 0, 0, 0, 1, decode(case when b.id % 2 = 0 then '01' else '02' end, 'hex'), decode('0001', 'hex'), b.created_at
    from tested t join built b on b.id = t.build_run_id`)
  await own.db.execute(sql`analyze build_runs, test_builds, test_runs`)
}

test('a rare branch is judged and shown at the same cost beside 20 times as many runs of another one', async () => {
  const { db } = own
  const newest = (await db.one<{ id: number; build: number }>(sql`
    select t.id, t.build_run_id as build from test_builds t where t.build_number = 'release20'`))!
  const costs = async () => [
    await buffersOf(db, (db) => judge(db, { account_id: 1, id: newest.id })),
    await buffersOf(db, (db) =>
      db.rows(sql`select count(*) from ${earlierRuns({ account_id: 1, project_id: 1 }, newest.id, newest.build)} e`),
    ),
    await buffersOf(db, (db) => find(db, { account_id: 1, project_id: 1 }, 1, { branch: 'release' })),
  ]
  await run('main', 0, 1_000)
  const few = await costs()
  await run('main', 1_000, 20_000)
  const many = await costs()
  for (const [at, cost] of many.entries()) expect(cost / few[at]!, `${few} and ${many} buffers`).toBeLessThanOrEqual(1.3)
})
