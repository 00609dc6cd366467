import type { DecisionInput } from '../../contract/bodies.ts'
import { invalidParameter, newerVersions, notFound } from '../../contract/errors.ts'
import { BULK_MAX, LEVEL_PARTS_MAX } from '../../contract/limits.ts'
import { isUuid } from '../../contract/params.ts'
import type { Approval, DecidedApproval } from '../../contract/shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { release } from '../builds/report.ts'
import { scrub } from '../privacy/scrub.ts'
import { DEFAULT_STAGE, findAll } from './approvals.ts'
import { type Decider, outcomeOf, refuseOtherStage, type Staged } from './stages.ts'

/** The parts of a level that wait, as somebody saw them: parts that arrived or changed afterwards are left alone. */
export interface SeenLevel {
  level: string
  seen_at: string
}

/** What a bulk decision is about. */
export interface Chosen {
  asset_ids?: readonly string[]
  /** The version that was shown of each of `asset_ids`. */
  versions?: readonly number[]
  levels?: readonly SeenLevel[]
}

/** An asset whose request is about a newer version than somebody saw. */
interface Newer {
  asset_id: string
  name: string
  version: number
}

/**
 * In one transaction: all of them, but those whose shown version is not the newest; the stage of requests without stages shows that nobody
 * looked at each one separately.
 */
export const decideAll = (
  db: Database,
  project: ProjectKey,
  by: Decider,
  { asset_ids = [], versions, levels = [], status, comments }: Chosen & Pick<DecisionInput, 'status' | 'comments'>,
): Promise<{ approvals: Approval[]; decided: number; newer: Newer[] }> =>
  db.transaction(async (db) => {
    if (versions && versions.length !== asset_ids.length)
      throw invalidParameter('versions', 'must have one for each of asset_ids')
    const seen = new Map(versions?.map((version, i) => [asset_ids[i]!, version]))
    const ids = [...asset_ids, ...(await partsOf(db, project, levels))]
    const { newer, ...decided } = await record(db, project, by, ids, { status, comments }, { seen, bulkStage: 'bulk_approval' })
    if (newer.length > 0 && decided.ids.length === 0) throw newerVersions(newer)
    await release(db, project)
    return { approvals: await findAll(db, project, decided.ids.slice(0, BULK_MAX)), decided: decided.ids.length, newer }
  })

const partsOf = async (db: Database, project: ProjectKey, levels: readonly SeenLevel[]) =>
  levels.length === 0
    ? []
    : (
        await db.rows<{ asset_id: string }>(sql`
          select p.asset_id from jsonb_to_recordset(${JSON.stringify(levels)}::jsonb) as l (level text, seen_at timestamptz)
          join approvals p on p.account_id = ${project.account_id} and p.project_id = ${project.project_id} and p.level = l.level
            and p.status = 'pending' and p.updated_at <= l.seen_at
          order by p.created_at desc, p.id desc limit ${LEVEL_PARTS_MAX}`)
      ).map(({ asset_id }) => asset_id)

/** `version`: the one that was shown; where the request is about a newer one, nothing is decided. */
export const decide = (
  db: Database,
  project: ProjectKey,
  assetId: string,
  by: Decider,
  decision: DecisionInput,
  version?: number,
): Promise<{ approval: DecidedApproval; created: boolean }> =>
  db.transaction(async (db) => {
    const seen = new Map(version === undefined ? [] : [[assetId, version]])
    const { ids, created, newer } = await record(db, project, by, [assetId], decision, { seen })
    if (newer.length > 0) throw newerVersions(newer)
    await release(db, project)
    const [approval] = await findAll(db, project, ids)
    return { approval: { ...approval!, ...(await waitingStage(db, project, assetId)) }, created: created > 0 }
  })

const waitingStage = async (db: Database, project: ProjectKey, assetId: string) =>
  (await db.one<Pick<DecidedApproval, 'next_stage'>>(sql`
    select p.approval_stage as next_stage
    from (select ${assetId}::uuid as id) asked, lateral (${newestOf(project)}) p where p.status = 'pending'`)) ?? {
    next_stage: null,
  }

interface Held extends Staged {
  asset_id: string
  /** The newest record of the asset; null if it has none. */
  id: string | null
  name: string
  /** The version that a decision is about. */
  version: number
}

interface How {
  /** The versions that were shown of these assets. */
  seen?: ReadonlyMap<string, number>
  bulkStage?: string
}

/** A decision settles the newest record of each asset, whatever its status; an asset without a request gets its first record. */
async function record(
  db: Database,
  project: ProjectKey,
  by: Decider,
  assetIds: readonly string[],
  { status, comments = '', stage: given }: DecisionInput,
  { seen, bulkStage }: How,
): Promise<{ ids: string[]; created: number; newer: Newer[] }> {
  // Stored as it is shown, since lists filter by it.
  const stage = given === undefined ? bulkStage : scrub(given)
  const locked = await lockNewest(db, project, assetIds)
  const isNewer = ({ asset_id, version }: Held) => version > (seen?.get(asset_id) ?? version)
  const newer = locked.filter(isNewer).map(({ asset_id, name, version }) => ({ asset_id, name, version }))
  const held = locked.filter((one) => !isNewer(one))
  const settled = held.flatMap((one) => {
    if (one.id === null) return []
    refuseOtherStage(one, given === undefined ? undefined : stage)
    // The name of a stage says more than that it was decided with others.
    const named = one.stages && given === undefined ? null : (stage ?? null)
    return [{ id: one.id, stage: named, ...outcomeOf(one, by, status) }]
  })
  const unasked = held.flatMap(({ id, asset_id }) => (id === null ? [asset_id] : []))
  await db.execute(sql`
    with settled as materialized (
      select *, jsonb_build_object('user_id', ${by.user_id}::integer, 'comments', ${comments}::text, 'decided_at', iso(now())) as own
      from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb)
        as t (id uuid, stage text, status text, sign_offs jsonb, signs boolean, next text))
    update approvals p set status = t.status, asked_stage = case when p.status = 'pending' and t.status <> 'pending' then p.approval_stage end,
      approver_user_id = case when t.status <> 'pending' then ${by.user_id}::integer end, decided_at = case when t.status <> 'pending' then now() end,
      comments = case when t.status <> 'pending' then ${comments} else '' end,
      sign_offs = case when t.signs then t.sign_offs || t.own else t.sign_offs end,
      approval_stage = coalesce(t.stage, p.approval_stage), updated_at = now()
    from settled t where p.account_id = ${project.account_id} and p.id = t.id`)
  const made = await db.rows<{ id: string }>(sql`
    insert into approvals (account_id, project_id, asset_id, asset_name, commit_sha, approval_stage, status, approver_user_id, comments,
      asset_version, asset_type, decided_at)
    select a.account_id, a.project_id, a.id, a.name, coalesce(c.identifier, ''), ${stage ?? DEFAULT_STAGE}, ${status}, ${by.user_id}, ${comments},
      a.version, a.asset_type, now()
    from assets a left join changes c on c.account_id = a.account_id and c.id = a.last_change_id
    where a.account_id = ${project.account_id} and a.id = any (${unasked}::uuid[]) returning id`)
  await askNext(
    db,
    project,
    settled.filter(({ next }) => next !== null),
  )
  await db.execute(sql`
    update assets a set approval_status = n.status, updated_at = now()
    from unnest(${held.map(({ asset_id }) => asset_id)}::uuid[]) asked (id) join lateral (${newestOf(project)}) n on true
    where a.account_id = ${project.account_id} and a.id = asked.id and a.approval_status <> n.status`)
  return { ids: [...settled.map(({ id }) => id), ...made.map(({ id }) => id)], created: made.length, newer }
}

/** The requests of the next stages, about the same versions. */
const askNext = async (db: Database, project: ProjectKey, approved: readonly { id: string; next: string | null }[]) => {
  if (approved.length === 0) return
  await db.execute(sql`
    insert into approvals (account_id, project_id, asset_id, asset_name, commit_sha, approval_stage, asset_version, rule, stage_number,
      asset_type, author, branch, level, created_at)
    select p.account_id, p.project_id, p.asset_id, p.asset_name, p.commit_sha, t.next, p.asset_version, p.rule, p.stage_number + 1,
      p.asset_type, p.author, p.branch, p.level, greatest(now(), p.created_at + interval '1 millisecond')
    from jsonb_to_recordset(${JSON.stringify(approved)}::jsonb) as t (id uuid, next text)
    join approvals p on p.account_id = ${project.account_id} and p.id = t.id`)
}

/** Locks the assets, which serializes two people who decide at once, and reads their newest records. */
async function lockNewest(db: Database, project: ProjectKey, assetIds: readonly string[]): Promise<Held[]> {
  const ids = [...new Set(assetIds)]
  if (!ids.every(isUuid) || (await lockAssets(db, project, ids)) < ids.length) throw notFound('Asset')
  return db.rows<Held>(sql`
    select asked.id as asset_id, n.id, nullif(n.rule -> 'stages', '[]') as stages, n.stage_number, n.approval_stage, n.sign_offs,
      a.name, least(a.version, n.asset_version) as version
    from unnest(${ids}::uuid[]) asked (id) join assets a on a.account_id = ${project.account_id} and a.id = asked.id
    left join lateral (${newestOf(project)}) n on true
    order by asked.id`)
}

/** The newest record of the asset `asked`. */
export const newestOf = ({ account_id }: ProjectKey) => sql`
  select p.* from approvals p where p.account_id = ${account_id} and p.asset_id = asked.id order by p.created_at desc, p.id desc limit 1`

/**
 * Locks in the same order as pushes do, so that concurrent transactions wait instead of deadlocking. Previews and comments of the assets can
 * still be added: who adds one does not wait.
 */
export const lockAssets = (db: Database, project: ProjectKey, ids: readonly string[]): Promise<number> =>
  db.execute(sql`
    select from assets where account_id = ${project.account_id} and project_id = ${project.project_id}
      and id = any (${ids.filter(isUuid)}::uuid[]) order by path, id for no key update`)
