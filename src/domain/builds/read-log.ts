import { isObjectLost } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { readTarget } from '../../measures/read-target.ts'
import { PASSED, PASSED_OR_FAILED } from '../branches/build-statuses.ts'
import { scheduleMeasuresOf } from './follow-up-jobs.ts'
import { inferDimensions, type JobPattern } from './job-dimensions.ts'
import { storeLogMeasures } from './measures.ts'
import { storeSizes } from './sizes.ts'
import { logOf } from './stored-log.ts'

interface Logged {
  job: string
  branch: string
  passed: boolean
  patterns: JobPattern[]
  log: string | null
  log_object: string | null
}

/** Stores what the log of a finished build says: platform and configuration, and the measures of a passed one. */
export async function readLog(db: Database, { account_id, id }: RecordKey) {
  const build = await db.one<Logged>(sql`
    select b.ci_job_name as job, b.branch, b.status in ${PASSED} as passed, p.job_patterns as patterns, b.output_log as log, b.log_object
    from build_runs b join projects p on p.account_id = b.account_id and p.id = b.project_id
    where b.account_id = ${account_id} and b.id = ${id} and b.status in ${PASSED_OR_FAILED}`)
  if (!build) return
  const log = await logOf(db, { account_id, ...build }).catch((error: unknown) => {
    if (isObjectLost(error)) return null
    throw error
  })
  if (log === null) return
  const { platform, configuration } = inferDimensions({ ...build, log: readTarget(log) })
  await db.execute(sql`
    update build_runs set inferred_platform = ${platform}, inferred_configuration = ${configuration}, updated_at = now()
    where account_id = ${account_id} and id = ${id}
      and (inferred_platform is distinct from ${platform} or inferred_configuration is distinct from ${configuration})`)
  if (!build.passed) return
  await storeLogMeasures(db, { account_id, id }, log)
  await storeSizes(db, { account_id, id }, log)
  await scheduleMeasuresOf(db, account_id, [id])
}
