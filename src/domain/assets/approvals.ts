import type { DecisionInput } from '../../contract/bodies.ts'
import { notFound, undoTooLate } from '../../contract/errors.ts'
import { DECISION_UNDO_SECONDS } from '../../contract/limits.ts'
import { isUuid } from '../../contract/params.ts'
import type { QueryOf } from '../../contract/routes.ts'
import { APPROVAL_STATUSES } from '../../contract/sets.ts'
import type { Approval } from '../../contract/shapes.ts'
import { type Database, empty, sql } from '../../db/database.ts'
import { bounded, inlineInteger, type Key, type Listing, ofEveryKind, when } from '../../db/page.ts'
import type { ProjectKey, ProjectSql } from '../../db/project-key.ts'
import { updatedRows, type Within } from '../../db/updated-since.ts'
import { lockProject } from '../branches/project-lock.ts'
import { release } from '../builds/report.ts'
import { scrub } from '../privacy/scrub.ts'

type Query = Omit<QueryOf<'listApprovals'>, 'cursor'> & {
  cursor?: Key /** Includes the change that caused each request. */
  changes?: boolean
}

/** The stage of a record without a given stage. */
export const DEFAULT_STAGE = 'art_review'

const decidedAs = (status: string) => sql`case when p.status = ${status} then iso(p.decided_at) end`

const columns = sql`
  p.id, p.asset_id, s.name as asset_name, p.commit_sha, p.approval_stage, p.approval_type, p.status, p.approver_user_id, p.comments,
  p.asset_version, ${decidedAs('approved')} as approved_at, ${decidedAs('denied')} as denied_at, ${decidedAs('ignored')} as ignored_at,
  iso(p.decided_at) as decided_at, iso(p.created_at) as created_at, iso(p.updated_at) as updated_at`

const change = sql`(
  select json_build_object('id', c.id, 'display_identifier', c.display_identifier, 'description', c.description)
  from changes c where c.account_id = p.account_id and c.project_id = p.project_id and c.identifier = p.commit_sha order by c.id desc limit 1)`

/**
 * Newest first; statuses are read in parallel and merged, those of a stage from the stage's own index. With a commit the other filters are
 * applied afterwards.
 */
export function list(project: ProjectSql, q: Query): Listing {
  const inOrder = (take: number) => sql`order by p.created_at desc, p.id desc limit ${inlineInteger(take)}`
  const after = when(q.cursor, ({ at, id }) => sql`and (p.created_at, p.id) < (${at}::timestamptz, ${id}::uuid)`)
  const narrowed = (within: Within | undefined) =>
    when(within, (condition) => sql`and ${condition({ at: sql`p.created_at`, id: sql`p.id`, updated: sql`p.updated_at` })}`)
  const inStage = when(q.stage, (stage) => sql`and p.approval_stage = ${stage}`)
  const ofCommit = when(q.commit_sha, (sha) => sql`and p.commit_sha = nullif(${sha}, '')`)
  const others = sql`${inStage} ${when(q.status, (statuses) => sql`and p.status = any (${statuses}::text[])`)}`
  const few = (within: Within | undefined, take = q.limit + 1) => sql`
    select p.* from approvals p where p.project_id = ${project.project_id} ${after} ${ofCommit} ${others} ${narrowed(within)} ${inOrder(take)}`
  const walk =
    q.commit_sha === undefined
      ? undefined
      : bounded({
          columns: sql`p.*`,
          from: sql`approvals p where p.project_id = ${project.project_id} ${ofCommit} ${after}`,
          at: sql`p.created_at`,
          id: sql`p.id`,
        })
  const statuses = [{ column: sql`p.status`, values: APPROVAL_STATUSES, asked: q.status }]
  const found = (within?: Within, take = q.limit + 1) => {
    if (walk)
      return sql`select p.* from (${within ? walk.all : walk.rows}) p where true ${others} ${narrowed(within)} ${inOrder(take)}`
    if (q.stage === undefined && q.status === undefined) return few(within, take)
    return sql`select p.* from (${ofEveryKind(
      statuses,
      (kind) =>
        sql`select p.* from approvals p where p.project_id = ${project.project_id} ${inStage}
          and ${kind} ${after} ${narrowed(within)} ${inOrder(take)}`,
    )}) p ${inOrder(take)}`
  }
  const updatedSince = (since: string) =>
    updatedRows({
      table: sql`approvals p`,
      project: project.project_id,
      at: sql`created_at`,
      id: sql`id`,
      since,
      where: sql`true ${after}`,
      filtered: [q.status, q.stage, q.commit_sha].some((filter) => filter !== undefined),
      list: found,
      few,
      take: q.limit + 1,
    })
  const rows = sql`
    select row_to_json(item) as item, p.created_at as key_at, p.id as key_id
    from (${q.updated_since === undefined ? found() : updatedSince(q.updated_since)}) p join assets s on s.account_id = p.account_id
      and s.id = p.asset_id, lateral (select ${columns} ${q.changes ? sql`, ${change} as change` : empty}) item
    order by p.created_at desc, p.id desc`
  const isUpdated = q.updated_since !== undefined
  return { limit: q.limit, rows, unprepared: isUpdated, examined: isUpdated ? undefined : walk?.examined }
}

export async function find(db: Database, project: ProjectKey, id: string): Promise<Approval> {
  const approval = isUuid(id)
    ? await db.one<Approval>(sql`
        select ${columns} from approvals p join assets s on s.account_id = p.account_id and s.id = p.asset_id
          where p.account_id = ${project.account_id} and p.project_id = ${project.project_id} and p.id = ${id}`)
    : undefined
  if (!approval) throw notFound('Approval')
  return approval
}

/** All or none, in one transaction; the stage shows that nobody looked at each one separately. */
export const decideAll = (
  db: Database,
  project: ProjectKey,
  userId: number,
  { asset_ids, status, comments }: { asset_ids: string[]; status: DecisionInput['status']; comments?: string },
): Promise<Approval[]> =>
  db.transaction(async (db) => {
    const ids = [...new Set(asset_ids)].sort()
    await lockAssets(db, project, ids)
    const decided: Approval[] = []
    for (const id of ids)
      decided.push((await recordDecision(db, project, id, userId, { status, comments, stage: 'bulk_approval' })).approval)
    await release(db, project)
    return decided
  })

/** Locks in the same order as pushes do, so that concurrent transactions wait instead of deadlocking. */
const lockAssets = (db: Database, project: ProjectKey, ids: readonly string[]) =>
  db.execute(sql`
    select from assets where account_id = ${project.account_id} and project_id = ${project.project_id}
      and id = any (${ids.filter(isUuid)}::uuid[]) order by path, id for update`)

/** Plus the time that a request takes to arrive. */
const UNDO_SECONDS = DECISION_UNDO_SECONDS + 2

/**
 * Reverts somebody's own decisions of the last seconds, all or none: the requests are pending again, and builds that the decision released
 * wait again. Clients see it like any other request. Later actions are kept: another decision, a newer request, a deployment of such a
 * build.
 */
export const undo = (db: Database, project: ProjectKey, userId: number, assetIds: readonly string[]): Promise<Approval[]> =>
  db.transaction(async (db) => {
    const ids = [...new Set(assetIds)].sort()
    await lockAssets(db, project, ids)
    await lockProject(db, project.project_id)
    const decided = await db.rows<{ id: string; asset_id: string; decided_at: string }>(sql`
      select p.id, p.asset_id, p.decided_at from unnest(${ids.filter(isUuid)}::uuid[]) a (id)
      join lateral (
        select * from approvals n where n.account_id = ${project.account_id} and n.asset_id = a.id order by n.created_at desc, n.id desc
          limit 1) p on true
      where p.account_id = ${project.account_id} and p.project_id = ${project.project_id} and p.approver_user_id = ${userId}
        and p.asked_stage is not null
        and p.decided_at > goldmaster_now() - make_interval(secs => ${UNDO_SECONDS})`)
    if (decided.length < ids.length) throw undoTooLate()
    const approvalIds = decided.map(({ id }) => id)
    if (await hasShipped(db, project, approvalIds)) throw undoTooLate()
    await unrelease(db, project, approvalIds)
    await db.execute(sql`
      update approvals set status = 'pending', approver_user_id = null, decided_at = null, comments = '', approval_stage = asked_stage,
        asked_stage = null, updated_at = now()
      where account_id = ${project.account_id} and id = any (${approvalIds}::uuid[])`)
    await db.execute(sql`
      update assets set approval_status = 'pending', updated_at = now()
      where account_id = ${project.account_id} and id = any (${ids}::uuid[])`)
    return Promise.all(approvalIds.map((id) => find(db, project, id)))
  })

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
    where p.id = any (${ids}::uuid[]) and p.account_id = ${project.account_id} and p.project_id = ${project.project_id} and ${RELEASED}`)

interface Decided {
  approval: Approval
  created: boolean
}

export const decide = (db: Database, project: ProjectKey, assetId: string, userId: number, decision: DecisionInput) =>
  db.transaction(async (db) => {
    const decided = await recordDecision(db, project, assetId, userId, decision)
    await release(db, project)
    return decided
  })

/** A decision settles the newest record, whatever its status; an asset without a request gets its first record. */
async function recordDecision(
  db: Database,
  project: ProjectKey,
  assetId: string,
  userId: number,
  { status, comments, stage: given }: DecisionInput,
): Promise<Decided> {
  // Stored as it is shown, since lists filter by it.
  const stage = given === undefined ? undefined : scrub(given)
  // Serializes two people who decide at once.
  const asset = isUuid(assetId)
    ? await db.one<{ name: string; version: number; identifier: string | null }>(sql`
        select a.name, a.version, c.identifier from assets a left join changes c on c.account_id = a.account_id and c.id = a.last_change_id
        where a.account_id = ${project.account_id} and a.project_id = ${project.project_id} and a.id = ${assetId} for update of a`)
    : undefined
  if (!asset) throw notFound('Asset')
  const settled = await db.one<{ id: string }>(sql`
    update approvals p set asked_stage = case when p.status = 'pending' then p.approval_stage end, status = ${status}, approver_user_id = ${userId}, decided_at = now(), updated_at = now(),
      comments = ${comments ?? ''}, approval_stage = coalesce(${stage ?? null}::text, p.approval_stage)
    where p.account_id = ${project.account_id} and p.id = (
      select id from approvals where account_id = ${project.account_id} and asset_id = ${assetId} order by created_at desc, id desc limit 1)
    returning p.id`)
  const id =
    settled?.id ??
    (await db.one<{ id: string }>(sql`
      insert into approvals (account_id, project_id, asset_id, asset_name, commit_sha, approval_stage, status, approver_user_id, comments,
        asset_version, decided_at)
      values (${project.account_id}, ${project.project_id}, ${assetId}, ${asset.name}, ${asset.identifier ?? ''}, ${stage ?? DEFAULT_STAGE}, ${status},
        ${userId}, ${comments ?? ''}, ${asset.version}, now())
      returning id`))!.id
  await db.execute(sql`
    update assets set approval_status = ${status}, updated_at = now()
    where account_id = ${project.account_id} and id = ${assetId} and approval_status <> ${status}`)
  return { approval: await find(db, project, id), created: settled === undefined }
}
