import type { Reference as Shown } from '../contract/app-work.ts'
import { notFound } from '../contract/errors.ts'
import { type Database, sql } from '../db/database.ts'
import type { Place } from './place.ts'
import { looksLikeAddress, sanitizeText } from './sanitize.ts'
import { keysNamed, type Words } from './tracker-keys.ts'

/** An item of an outside tracker; absent fields stay as they are known. */
export interface Reference {
  key: string
  title?: string
  state?: string
  url?: string
  assignee_uid?: string | null
  deleted?: true
}

/** Kept beside the tasks, never turned into one. */
export const keep = async (
  db: Database,
  place: Pick<Place, 'account_id' | 'project_id' | 'integration_id' | 'provider'>,
  told: Reference,
): Promise<number> =>
  (await db.one<{ id: number }>(sql`
    insert into external_references as r (account_id, project_id, integration_id, provider, key, title, state, url, assignee_uid, deleted_at)
    values (${place.account_id}, ${place.project_id}, ${place.integration_id}, ${place.provider}, ${told.key}, ${told.title ?? ''},
      ${told.state ?? ''}, ${told.url ?? ''}, ${told.assignee_uid ?? null}, ${told.deleted ? sql`now()` : null})
    on conflict (integration_id, key) do update set
      title = coalesce(${told.title ?? null}, r.title), state = coalesce(${told.state ?? null}, r.state),
      url = coalesce(${told.url ?? null}, r.url),
      assignee_uid = case when ${told.assignee_uid === undefined} then r.assignee_uid else excluded.assignee_uid end,
      deleted_at = excluded.deleted_at, updated_at = now()
    returning id`))!.id

const SHOWN_MAX = 100

/**
 * The items of trackers that a task names. Looked up when asked: whichever of the two came first, and however often either was
 * edited since, what is answered fits the words that stand there now.
 */
export async function ofTask(db: Database, projectId: number, taskId: number): Promise<Shown[]> {
  const words = await db.one<Words>(
    sql`select title, description, metadata from tasks where project_id = ${projectId} and id = ${taskId}`,
  )
  if (!words) throw notFound('Task')
  const keys = keysNamed(words)
  if (keys.length === 0) return []
  const found = await db.rows<Shown>(sql`
    select r.id, r.provider, r.key, r.title, r.state, r.url, r.assignee_uid, r.updated_at, (
      select a.user_id from connected_accounts a join account_members m on m.user_id = a.user_id and m.account_id = r.account_id
      where a.provider = r.provider and lower(a.uid) = lower(r.assignee_uid) limit 1) as assignee_user_id
    from external_references r
    where r.project_id = ${projectId} and r.key = any (${keys}) and r.deleted_at is null
    order by r.key, r.id limit ${SHOWN_MAX}`)
  return found.map(({ assignee_uid: uid, ...shown }) => ({
    ...shown,
    title: sanitizeText(shown.title),
    state: sanitizeText(shown.state),
    url: sanitizeText(shown.url),
    assignee_uid: uid !== null && looksLikeAddress(uid) ? null : uid,
  }))
}
