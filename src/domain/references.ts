import { type Database, sql } from '../db/database.ts'
import type { Place } from './place.ts'

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
export const keep = async (db: Database, place: Place, told: Reference): Promise<number> =>
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

const KEY = /[A-Za-z0-9_./-]*[A-Za-z0-9](?:-|#)\d{1,9}\b/g
const WORDS_MAX = 200

/** Words of a task that may be a tracker's key: `GAME-12`, `owner/repo#7`, and short values of its metadata. */
export function keysNamed(task: { title: string; description: string; metadata: Record<string, unknown> }): string[] {
  const said = [...`${task.title} ${task.description}`.matchAll(KEY)].map(([word]) => word)
  const noted = Object.values(task.metadata).flatMap((value) => {
    const word = typeof value === 'number' ? String(value) : value
    return typeof word === 'string' && word.length <= 100 && !/\s/.test(word) ? [word] : []
  })
  return [...new Set([...said, ...noted])].slice(0, WORDS_MAX)
}
