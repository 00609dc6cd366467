import { undoTooLate } from '../../contract/errors.ts'
import { BULK_MAX, DECISION_UNDO_SECONDS } from '../../contract/limits.ts'
import { isUuid } from '../../contract/params.ts'
import type { Approval } from '../../contract/shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { lockProject } from '../branches/project-lock.ts'
import { findAll } from './approvals.ts'
import { lockAssets } from './decisions.ts'

/** Plus the time that a request takes to arrive. */
const UNDO_SECONDS = DECISION_UNDO_SECONDS + 2
const SINCE = sql`goldmaster_now() - make_interval(secs => ${UNDO_SECONDS})`

/** For the history of each asset: the audit log names the levels that were decided together, not their files. */
const UNDONE_MAX = 20

/** A decision to take back. */
interface Undone {
  asset_id: string
  /** The record that was decided or signed. */
  id: string
  /** Whether it was decided: otherwise more people have to approve. */
  decided: boolean
  /** The request of the next stage, which the decision made. */
  next_id: string | null
}

/**
 * Reverts somebody's own decisions of the last seconds, all or none: the requests are pending again, requests of the next stage are
 * withdrawn, and builds that the decision released wait again. Clients see it like any other request. Later actions are kept: another
 * decision, a newer version, a deployment of such a build.
 */
export const undo = (
  db: Database,
  project: ProjectKey,
  userId: number,
  { asset_ids = [], levels = [] }: { asset_ids?: readonly string[]; levels?: readonly string[] },
): Promise<{ approvals: Approval[]; undone: number }> =>
  db.transaction(async (db) => {
    const ids = [...new Set([...asset_ids, ...(await partsDecided(db, project, userId, levels))])]
    await lockAssets(db, project, ids)
    await lockProject(db, project.project_id)
    const undone = await lastDecisions(db, project, userId, ids)
    if (ids.length === 0 || undone.length < ids.length) throw undoTooLate()
    const decided = undone.flatMap(({ id, decided }) => (decided ? [id] : []))
    if (await hasShipped(db, project, decided)) throw undoTooLate()
    await unrelease(db, project, decided)
    await db.execute(sql`
      delete from approvals where account_id = ${project.account_id}
        and id = any (${undone.flatMap(({ next_id }) => next_id ?? [])}::uuid[])`)
    await db.execute(sql`
      update approvals set status = 'pending', approver_user_id = null, decided_at = null, comments = '',
        approval_stage = coalesce(asked_stage, approval_stage), asked_stage = null, updated_at = now(),
        undone = case when jsonb_array_length(undone) < ${UNDONE_MAX} then undone else undone - 0 end || jsonb_set(
          jsonb_build_object('user_id', ${userId}::integer, 'undone_at', iso(now())), '{asset_version}', asset_version::text::jsonb),
        sign_offs = (select coalesce(jsonb_agg(s order by n), '[]') from jsonb_array_elements(sign_offs) with ordinality s (s, n)
          where (s ->> 'user_id')::integer <> ${userId})
      where account_id = ${project.account_id} and id = any (${undone.map(({ id }) => id)}::uuid[])`)
    await db.execute(sql`
      update assets set approval_status = 'pending', updated_at = now()
      where account_id = ${project.account_id} and id = any (${ids}::uuid[]) and approval_status <> 'pending'`)
    const shown = undone.slice(0, BULK_MAX).map(({ id }) => id)
    return { approvals: await findAll(db, project, shown), undone: undone.length }
  })

/** The parts of levels that somebody just decided together. */
const partsDecided = async (db: Database, project: ProjectKey, userId: number, levels: readonly string[]) =>
  levels.length === 0
    ? []
    : (
        await db.rows<{ asset_id: string }>(sql`
          select distinct p.asset_id from approvals p
          where p.account_id = ${project.account_id} and p.project_id = ${project.project_id} and p.level = any (${levels}::text[])
            and p.updated_at > ${SINCE} and (p.approver_user_id = ${userId} and p.decided_at > ${SINCE}
              or p.status = 'pending' and ${signedBy(userId)})`)
      ).map(({ asset_id }) => asset_id)

/** Whether somebody signed the record `p` a moment ago. */
const signedBy = (userId: number) => sql`exists (
  select from jsonb_array_elements(p.sign_offs) s
  where (s ->> 'user_id')::integer = ${userId} and (s ->> 'decided_at')::timestamptz > ${SINCE})`

/** Somebody's decision about the newest version, as far as it can be undone: the newest record, or the one before the next stage's. */
const lastDecisions = (db: Database, project: ProjectKey, userId: number, ids: readonly string[]) =>
  db.rows<Undone>(sql`
    select a.id as asset_id, p.id, p.status <> 'pending' as decided, case when p.id <> n.id then n.id end as next_id
    from unnest(${ids.filter(isUuid)}::uuid[]) a (id)
    join lateral (
      select * from approvals n where n.account_id = ${project.account_id} and n.asset_id = a.id order by n.created_at desc, n.id desc
        limit 1) n on true
    join lateral (
      select n.* where n.status <> 'pending' or n.sign_offs <> '[]'
      union all
      (select o.* from approvals o where o.account_id = ${project.account_id} and o.asset_id = a.id and n.status = 'pending'
        and n.sign_offs = '[]' and n.stage_number > 0 and o.id <> n.id order by o.created_at desc, o.id desc limit 1)) p on true
    where p.account_id = ${project.account_id} and p.project_id = ${project.project_id}
      and (p.id = n.id or (p.stage_number = n.stage_number - 1 and p.commit_sha = n.commit_sha and p.asset_version = n.asset_version))
      and case when p.status = 'pending' then ${signedBy(userId)}
        else p.approver_user_id = ${userId} and p.asked_stage is not null and p.decided_at > ${SINCE} end`)

/** Builds `b` that a decision `p` released: written by the same transaction and not since. */
const RELEASED = sql`b.account_id = p.account_id and b.project_id = p.project_id and b.status = 'completed'
  and b.updated_at = p.decided_at and p.commit_sha <> ''
  and p.commit_sha in (b.commit_hash, b.changelist)`

const hasShipped = async (db: Database, project: ProjectKey, ids: readonly string[]) =>
  (await db.one(sql`
    select from approvals p join build_runs b on ${RELEASED} join deployments d on d.account_id = b.account_id and d.build_run_id = b.id
    where p.id = any (${ids}::uuid[]) and p.account_id = ${project.account_id} and p.project_id = ${project.project_id}
      and d.created_at >= p.decided_at limit 1`)) !== undefined

const unrelease = (db: Database, project: ProjectKey, ids: readonly string[]) =>
  db.execute(sql`
    update build_runs b set status = 'passed_pending_approval', updated_at = now() from approvals p
    where p.id = any (${ids}::uuid[]) and p.account_id = ${project.account_id} and p.project_id = ${project.project_id} and p.gates and ${RELEASED}`)
