import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import type { Finding } from '../../diagnosis/finding.ts'
import { baseOf, HAS_FROM_BASE } from '../branches/preflight-base.ts'
import { UNSETTLED } from '../builds/follow-up-jobs.ts'

interface OpenBreakage {
  id: string
  cause: string
  /** Whether it has the given cause, and the preflight has it from its base. */
  same: boolean
}

/** A preflight and its cause. */
interface Sought extends Pick<Finding, 'fingerprint' | 'joins_keys'> {
  id: number
}

/** More than anybody reads. */
const SHOWN = 20

/** The open breakages of a branch, those with the given cause first. Infrastructure failures count for every branch. */
export const openOnBranch = (
  db: Database,
  { account_id, project_id, branch }: ProjectKey & { branch: string },
  sought?: Sought,
): Promise<OpenBreakage[]> =>
  db.rows(sql`
    select k.id::text, k.cause, coalesce((k.fingerprint = ${sought?.fingerprint ?? null} or k.cause_keys && ${sought?.joins_keys ?? []}::text[])
      and ${HAS_FROM_BASE}, false) as same
    from breakages k left join build_runs b on b.account_id = ${account_id} and b.id = ${sought?.id ?? null}::bigint cross join lateral (${baseOf}) base
    where k.account_id = ${account_id} and k.project_id = ${project_id} and ${UNSETTLED} and (k.branch = ${branch} or k.branch is null)
    order by same desc, k.opened_at desc, k.id desc limit ${SHOWN}`)
