import type { Investigation } from '../../contract/shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import { revertedBy } from '../changes/reverts.ts'
import type { Pass, Verdict } from './judge.ts'

type Suspect = Investigation['suspects'][number]
type Finding = Pick<Investigation, 'category' | 'confidence' | 'diagnosis' | 'suggested_fix' | 'evidence' | 'suspects'>

interface OnBranch {
  id: number
  account_id: number
  project_id: number
  branch: string | null
}

/** The surest of what its builds were found to have failed of; of equals that of the earliest. */
export const bestFinding = (db: Database, { id, account_id }: Pick<OnBranch, 'id' | 'account_id'>) =>
  db.one<Finding>(sql`
    select i.category, i.confidence, i.diagnosis, i.suggested_fix, i.evidence, i.suspects
    from breakage_builds m join build_runs b on b.id = m.build_run_id, lateral (
      select * from investigations i where i.build_run_id = m.build_run_id and i.status = 'completed' order by i.id desc limit 1) i
    where m.account_id = ${account_id} and m.breakage_id = ${id} and not m.downstream
    order by array_position(array['high', 'medium', 'low'], i.confidence), m.position nulls last, coalesce(b.started_at, b.created_at), m.build_run_id
    limit 1`)

/** Changes outside the range cannot have done it; where all are, the range tells nothing. */
export async function narrowed(
  db: Database,
  { account_id, project_id, branch }: OnBranch,
  suspects: readonly Suspect[],
  { firstBad, lastGood }: Verdict,
): Promise<readonly Suspect[]> {
  if (suspects.length === 0 || firstBad === null) return suspects
  const inside = await db.rows<{ change_id: number }>(sql`
    select p.change_id from change_branches p where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch}
      and p.change_id = any (${suspects.map(({ change_id }) => change_id)}::bigint[]) and p.position > ${lastGood ?? 0} and p.position <= ${firstBad}`)
  const left = suspects.filter(({ change_id }) => inside.some((one) => one.change_id === change_id))
  return left.length > 0 ? left : suspects
}

/** How far back from a pass the change that mended it is looked for. */
const RANGE_MAX = 200

interface Candidate {
  id: number
  identifier: string
  description: string
  by_owner: boolean
}

/** What came between the last failure and the pass: a back-out or what calls itself a fix, or the owner's, before the others. */
export async function fixingChange(db: Database, { id, account_id, project_id, branch }: OnBranch, pass: Pass) {
  if (pass.position === null) return null
  const range = await db.rows<Candidate>(sql`
    select c.id, c.identifier, c.description, c.author_user_id is not null and c.author_user_id = k.owner_user_id as by_owner
    from breakages k, change_branches p join changes c on c.id = p.change_id
    where k.id = ${id} and p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch}
      and p.position <= ${pass.position} and c.orphaned_at is null
      and p.position > coalesce((
        select max(m.position) from breakage_builds m where m.account_id = ${account_id} and m.breakage_id = ${id}), 0)
    order by p.position limit ${RANGE_MAX}`)
  const rank = ({ description, by_owner, ...change }: Candidate) => {
    if (revertedBy({ ...change, description }) !== undefined) return 0
    if (/\bfix(es|ed|ing)?\b/i.test(description)) return by_owner ? 0 : 1
    return by_owner ? 2 : 3
  }
  return range.toSorted((a, b) => rank(a) - rank(b))[0]?.id ?? null
}
