import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import type { Finding } from '../../diagnosis/finding.ts'
import { UNSETTLED } from '../builds/follow-up-jobs.ts'

interface OpenBreakage {
  id: string
  cause: string
  /** Whether it has the given cause, and the preflight can have it from the branch. */
  same: boolean
}

/** A preflight and its cause. */
interface Sought extends Pick<Finding, 'fingerprint' | 'joins_keys'> {
  commit_hash: string
  created_at: string
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
      and (k.flaky or k.branch is null or came.at <= ${sought?.created_at ?? null}::timestamptz), false) as same
    from breakages k cross join lateral (${firstArrival(sought?.commit_hash ?? '')}) came
    where k.account_id = ${account_id} and k.project_id = ${project_id} and ${UNSETTLED} and (k.branch = ${branch} or k.branch is null)
    order by same desc, k.opened_at desc, k.id desc limit ${SHOWN}`)

/** When the first change arrived that may have broken the branch: of the breakage `k`, without this commit. */
export const firstArrival = (commit: string) => sql`
  select case when k.first_bad_change_id is null then k.opened_at else (
    select min(p.arrived_at) from change_branches bad
    join change_branches p on p.account_id = bad.account_id and p.project_id = bad.project_id and p.branch = bad.branch and p.position <= bad.position
      and p.position > coalesce((
        select good.position from change_branches good
        where good.account_id = bad.account_id and good.project_id = bad.project_id and good.branch = bad.branch and good.change_id = k.last_good_change_id), 0)
    join changes c on c.account_id = p.account_id and c.id = p.change_id and c.identifier <> ${commit}
    where bad.account_id = k.account_id and bad.project_id = k.project_id and bad.branch = k.branch and bad.change_id = k.first_bad_change_id) end as at`
