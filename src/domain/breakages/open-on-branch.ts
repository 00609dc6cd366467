import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import type { Finding } from '../../diagnosis/finding.ts'
import { UNSETTLED } from '../builds/follow-up-jobs.ts'

interface OpenBreakage {
  id: string
  cause: string
  /** Whether it has the given cause. */
  same: boolean
}

/** More than anybody reads. */
const SHOWN = 20

/** The open breakages of a branch, those with the given cause first. Infrastructure failures count for every branch. */
export const openOnBranch = (
  db: Database,
  { account_id, project_id, branch }: ProjectKey & { branch: string },
  cause?: Pick<Finding, 'fingerprint' | 'joins_keys'>,
): Promise<OpenBreakage[]> =>
  db.rows(sql`
    select k.id::text, k.cause, coalesce(k.fingerprint = ${cause?.fingerprint ?? null} or k.cause_keys && ${cause?.joins_keys ?? []}::text[], false) as same from breakages k
    where k.account_id = ${account_id} and k.project_id = ${project_id} and ${UNSETTLED} and (k.branch = ${branch} or k.branch is null)
    order by same desc, k.opened_at desc, k.id desc limit ${SHOWN}`)
