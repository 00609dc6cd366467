import { type Pool, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { MAY_FAIL } from '../branches/build-statuses.ts'
import { scheduleBreakageCheck, scheduleInvestigation } from '../builds/follow-up-jobs.ts'
import { judgeVerdicts } from '../tests/gate.ts'
import { judge } from '../tests/judge-tests.ts'
import { noteRenames } from '../tests/renames.ts'
import { investigateTestsAgain } from './again.ts'

/** Test results arrived, or their build ended: finds flaky tests, and investigates what the results may explain. */
export const judgeResults = (db: Pool, tests: RecordKey) =>
  db.transaction(async (db) => {
    const build = await db.one<ProjectKey & RecordKey>(sql`
      select b.account_id, b.project_id, b.id from test_builds t join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id
      where t.account_id = ${tests.account_id} and t.id = ${tests.id}`)
    if (!build) return
    const renamed = await noteRenames(db, tests)
    await investigateTestsAgain(db, tests.account_id, [...renamed, ...(await judge(db, tests))])
    await judgeVerdicts(db, build, sql`b.id = ${build.id}`)
    const failed = await db.one(sql`
      select from build_runs b where b.account_id = ${build.account_id} and b.id = ${build.id} and ${MAY_FAIL}`)
    if (failed) await scheduleInvestigation(db, build)
    // A test that passes ends its breakage, whatever else failed in the build.
    await scheduleBreakageCheck(db, build)
  })
