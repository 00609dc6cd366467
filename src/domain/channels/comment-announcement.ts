import { commentedOn, SUBJECT_PAGES } from '../../contract/event-facts.ts'
import type { CommentSubject } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { scrub } from '../privacy/scrub.ts'
import { isOnDeletedTask } from '../tasks/deleted.ts'
import type { Announcement } from './announcement.ts'

interface Written {
  subject: CommentSubject
  subject_id: string
  body: string
  author: string | null
  /** Of a comment on an asset. */
  asset: string | null
  project: string
  /** Names of the people in `mentions`. */
  names: Record<string, string>
}

/** A comment that mentions somebody; undefined once it is deleted. */
export async function commentAnnouncement(
  db: Database,
  { account_id, project_id }: ProjectKey,
  id: string,
  site: string,
): Promise<Announcement | undefined> {
  const found = await db.one<Written>(sql`
    select c.subject, c.subject_id, c.body, (select u.name from users u where u.id = c.user_id) as author, p.name as project,
      case when c.subject = 'asset' then (select a.name from assets a where a.account_id = c.account_id and a.id = c.subject_id::uuid) end as asset,
      (select coalesce(json_object_agg(u.id, u.name), '{}') from users u where u.id = any (c.mentions)) as names
    from comments c join projects p on p.account_id = c.account_id and p.id = c.project_id
    where c.account_id = ${account_id} and c.project_id = ${project_id} and c.id = ${id}::bigint and c.deleted_at is null
      and not ${isOnDeletedTask(sql`c`)}`)
  if (!found) return undefined
  const url = `${site}/projects/${project_id}/${SUBJECT_PAGES[found.subject]}/${found.subject_id}`
  const text = found.body.replaceAll(/<@(\d+)>/g, (mention, user) => (found.names[user] ? `@${found.names[user]}` : mention))
  return {
    tone: 'neutral',
    title: `${found.author ?? 'A former member'} mentioned you on ${found.asset === null ? commentedOn(found) : `asset ${scrub(found.asset)}`}`,
    url,
    facts: [
      { label: 'Project', value: scrub(found.project) },
      { label: 'Comment', value: scrub(shortened(text)) },
    ],
    links: [{ label: 'Open', url }],
    mentions: [],
    here: false,
  }
}

const shortened = (text: string) => (text.length > 500 ? `${text.slice(0, 499).toWellFormed()}…` : text)
