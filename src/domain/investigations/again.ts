import { type Database, type Sql, sql } from '../../db/database.ts'
import { enqueue } from '../../db/queue.ts'
import { MAY_FAIL } from '../branches/build-statuses.ts'
import { evidenceHash } from '../builds/stored-log.ts'

/** Free of charge. An investigation that is running notices a correction by itself: see `finish`. */
export async function investigateAgain(db: Database, accountId: number, builds: Sql) {
  const started = await db.rows<{ id: number }>(sql`
    insert into investigations (account_id, build_run_id, evidence_hash, automatic)
    select b.account_id, b.id, ${evidenceHash(sql`b`)}, true
    from (${builds}) again join build_runs b on b.account_id = ${accountId} and b.id = again.id
    where ${MAY_FAIL} order by b.id desc
    on conflict (account_id, build_run_id) where status in ('pending', 'running') do nothing
    returning id`)
  for (const { id } of started)
    await enqueue(db, 'investigate', { account_id: accountId, investigation_id: id }, { account_id: accountId })
}

/** The builds of breakages, also of fixed ones, in which these tests failed: whether the tests are flaky decides what is said about them. */
export async function investigateTestsAgain(db: Database, accountId: number, testCaseIds: readonly number[]) {
  if (testCaseIds.length > 0)
    await investigateAgain(
      db,
      accountId,
      sql`
        select distinct t.build_run_id as id from test_failures f
        join test_builds t on t.account_id = f.account_id and t.id = f.test_build_id
        join breakage_builds m on m.account_id = t.account_id and m.build_run_id = t.build_run_id
        where f.account_id = ${accountId} and f.test_case_id = any (${testCaseIds}::bigint[])`,
    )
}
