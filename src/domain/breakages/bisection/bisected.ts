import { type Database, sql } from '../../../db/database.ts'
import { writersOf } from '../../changes/writers.ts'
import type { Blamed, OnBranch } from '../evidence.ts'

/**
 * What a bisection says about the suspects of an occurrence: the change it found, or while it runs those from before it began. A single
 * failure may narrow the range to a sound change, so nobody new is named meanwhile. Undefined: it says nothing.
 */
export async function bisectedSuspects(
  db: Database,
  breakage: OnBranch,
  occurrence: number,
  lastGood: number | null,
): Promise<Blamed | undefined> {
  const { account_id, id, project_id, branch } = breakage
  const search = await db.one<{
    status: 'running' | 'found'
    found_change_id: number | null
    probability: number
    builds: number
    former: Blamed
  }>(sql`
    select s.status, s.found_change_id, s.probability,
      json_build_object('suspects', o.suspects, 'attributed_user_id', o.attributed_user_id) as former,
      (select count(*)::integer from bisection_builds t where t.account_id = s.account_id and t.bisection_id = s.id) as builds
    from bisections s join breakage_occurrences o
      on o.account_id = s.account_id and o.breakage_id = s.breakage_id and o.number = s.occurrence
    where s.account_id = ${account_id} and s.breakage_id = ${id} and s.occurrence = ${occurrence} and s.status in ('running', 'found')
      -- A change that the job has passed at or after is not the cause, whatever the search found.
      and (s.status = 'running' or exists (select from change_branches p where p.account_id = s.account_id and p.project_id = ${project_id}
        and p.branch = ${branch} and p.change_id = s.found_change_id and p.position > ${lastGood ?? 0}
        and p.orphaned_at is null and p.doubted_at is null))
    order by s.id desc limit 1`)
  if (search?.status !== 'found') return search?.former
  const change_id = search.found_change_id!
  const user_id = (await writersOf(db, { account_id, project_id }, [change_id])).get(change_id)?.user_id ?? null
  const reason = `found by bisection, narrowed by ${search.builds === 1 ? '1 build' : `${search.builds} builds`}`
  const suspect = {
    change_id,
    user_id,
    score: Math.round(100 * search.probability) / 100,
    reasons: [reason],
    reason_codes: ['found_by_bisection' as const],
  }
  return { suspects: [suspect], attributed_user_id: user_id }
}
