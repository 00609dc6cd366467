import type { Reference as Shown } from '../../contract/app/tasks.ts'
import { notFound } from '../../contract/errors.ts'
import { type Database, join, raw, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { COUNTS } from '../accounts/connected-accounts.ts'
import { type IntegrationContext, isHistory } from '../integrations/context.ts'
import { looksLikeAddress } from '../privacy/addresses.ts'
import { keysNamed, type Words } from './tracker-keys.ts'

/** A tracker's report about one of its items. Missing fields stay unchanged. */
export interface Report {
  /** As people write it: `GAME-12`, `owner/repo#7`. */
  key: string
  title?: string
  state?: string
  url?: string
  assignee_uid?: string | null
  /** Deleted in the tracker, or restored. */
  deleted?: boolean
  /** The tracker's time of the event: a late report must not undo newer values. */
  at?: string
}

const PARTS = ['title', 'state', 'url', 'assignee_uid', 'deleted'] as const

/**
 * Stored separately from tasks, never turned into one. Each part follows the latest report about it: retries arrive late, and a tracker
 * that reports one change at a time may send the earlier one last. Without a time the later arrival wins.
 */
export async function upsert(
  db: Database,
  context: Pick<IntegrationContext, 'account_id' | 'project_id' | 'integration_id' | 'provider' | 'import_id'>,
  reported: Report,
): Promise<{ id: number; effect: 'processed' | 'stale' }> {
  // A clock that is ahead must not override later reports.
  const now = new Date().toISOString()
  const at = reported.at !== undefined && reported.at > now ? now : (reported.at ?? null)
  const isNews = isHistory(context) ? isLater : isNotEarlier
  const told_at = Object.fromEntries(PARTS.flatMap((part) => (reported[part] === undefined ? [] : [[part, at]])))
  const kept = await db.one<{ id: number }>(sql`
    insert into external_references as r
      (account_id, project_id, integration_id, provider, key, title, state, url, assignee_uid, deleted_at, told_at, import_id)
    values (${context.account_id}, ${context.project_id}, ${context.integration_id}, ${context.provider}, ${reported.key}, ${reported.title ?? ''},
      ${reported.state ?? ''}, ${reported.url ?? ''}, ${reported.assignee_uid ?? null}, case when ${reported.deleted ?? false} then now() end,
      ${JSON.stringify(told_at)}, ${context.import_id ?? null})
    on conflict (account_id, integration_id, key) do update set
      title = case when ${isNews('title')} then excluded.title else r.title end,
      state = case when ${isNews('state')} then excluded.state else r.state end,
      url = case when ${isNews('url')} then excluded.url else r.url end,
      assignee_uid = case when ${isNews('assignee_uid')} then excluded.assignee_uid else r.assignee_uid end,
      deleted_at = case when ${isNews('deleted')} and ${isNoTie} then excluded.deleted_at else r.deleted_at end,
      told_at = r.told_at || (excluded.told_at - array[${join(PARTS.map(toldLater))}]),
      import_id = case when excluded.import_id is null then null else r.import_id end, updated_at = now()
    where excluded.told_at = '{}' or (r.import_id is not null and excluded.import_id is null) or ${join(PARTS.map(isNews), ' or ')}
    returning id`)
  if (kept) return { ...kept, effect: 'processed' }
  const { id } = (await db.one<{ id: number }>(
    sql`select id from external_references
      where account_id = ${context.account_id} and integration_id = ${context.integration_id} and key = ${reported.key}`,
  ))!
  return { id, effect: 'stale' }
}

/** ISO times compare as text; `coalesce` accepts a report if either has no time. */
const isNotEarlier = (part: (typeof PARTS)[number]) => {
  const name = raw(`'${part}'`)
  return sql`(excluded.told_at ? ${name} and coalesce(excluded.told_at ->> ${name} >= r.told_at ->> ${name}, true))`
}

/** Of an import: what is known already stays, so that a second one changes nothing. */
const isLater = (part: (typeof PARTS)[number]) => {
  const name = raw(`'${part}'`)
  return sql`(excluded.told_at ? ${name} and (not r.told_at ? ${name} or coalesce(excluded.told_at ->> ${name} > r.told_at ->> ${name}, false)))`
}

/** The part, if the stored report about it is later. */
const toldLater = (part: (typeof PARTS)[number]) => {
  const name = raw(`'${part}'`)
  return sql`case when r.told_at ->> ${name} > coalesce(excluded.told_at ->> ${name}, '') then ${name} else '' end`
}

/** A deleted item has the time of its last edit: a late report of that edit has the same time and must not restore it. */
const isNoTie = sql`(excluded.deleted_at is not null or coalesce(excluded.told_at ->> 'deleted' > r.told_at ->> 'deleted', true))`

const SHOWN_MAX = 100

/**
 * The tracker items that a task names. Looked up on request: the result always matches the current text, whichever of the two arrived first
 * and however often either was edited.
 */
export async function ofTask(db: Database, project: ProjectKey, taskId: number): Promise<Shown[]> {
  const words = await db.one<Words>(
    sql`select title, description, metadata from tasks
      where account_id = ${project.account_id} and project_id = ${project.project_id} and id = ${taskId} and deleted_at is null`,
  )
  if (!words) throw notFound('Task')
  return named(db, project, [words])
}

/** The tracker items that texts name. */
export async function named(db: Database, project: ProjectKey, texts: readonly Words[]): Promise<Shown[]> {
  const keys = [...new Set(texts.flatMap(keysNamed))]
  if (keys.length === 0) return []
  const found = await db.rows<Shown>(sql`
    select r.id, r.provider, r.key, r.title, r.state, r.url, r.assignee_uid, r.updated_at, (
      select min(a.user_id) from connected_accounts a join account_members m on m.user_id = a.user_id and m.account_id = r.account_id
      where a.provider = r.provider and lower(a.uid) = lower(r.assignee_uid) and ${COUNTS}
      having count(distinct a.user_id) = 1) as assignee_user_id
    from external_references r
    where r.account_id = ${project.account_id} and r.project_id = ${project.project_id} and r.key = any (${keys}) and r.deleted_at is null
    order by r.key, r.id limit ${SHOWN_MAX}`)
  return found.map(({ assignee_uid: uid, ...shown }) => ({
    ...shown,
    assignee_uid: uid !== null && looksLikeAddress(uid) ? null : uid,
  }))
}
