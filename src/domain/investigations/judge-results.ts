import { type Pool, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { scheduleInvestigation } from '../builds/follow-up-jobs.ts'
import { judge } from '../tests/judge-tests.ts'
import { investigateTestsAgain } from './again.ts'

/** Test results arrived, or their build ended: finds flaky tests, and investigates what the results may explain. */
export const judgeResults = (db: Pool, tests: RecordKey) =>
  db.transaction(async (db) => {
    await investigateTestsAgain(db, tests.account_id, await judge(db, tests))
    const build = await db.one<{ id: number }>(sql`
      select b.id from test_builds t join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id and b.status = 'failed'
      where t.account_id = ${tests.account_id} and t.id = ${tests.id}`)
    if (build) await scheduleInvestigation(db, { account_id: tests.account_id, id: build.id })
  })
