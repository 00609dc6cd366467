import type { NotificationKind } from '../../contract/channels.ts'
import { type Database, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'

/** Something that concerned one person, newest first. */
interface Notification {
  id: number
  kind: NotificationKind
  project_id: number
  project_name: string
  title: string
  path: string
  at: string
  read_at: string | null
}

const PAGE = 50

export interface InboxPage {
  notifications: Notification[]
  unread: number
  has_more: boolean
}

/** Only of accounts that they still belong to. */
const REACHED = sql`exists (select from account_members m where m.account_id = n.account_id and m.user_id = n.user_id)`

export async function list(
  db: Database,
  userId: number,
  { before, unread }: { before?: number | undefined; unread?: boolean | undefined },
): Promise<InboxPage> {
  const rows = await db.rows<Notification>(sql`
    select n.id, n.kind, n.project_id, p.name as project_name, n.title, n.path, n.at, n.read_at
    from notifications n join projects p on p.id = n.project_id
    where n.user_id = ${userId} and n.in_app and ${REACHED}
      ${when(before, (id) => sql`and (n.at, n.id) < (select at, id from notifications where id = ${id} and user_id = ${userId})`)}
      ${unread ? sql`and n.read_at is null` : sql``}
    order by n.at desc, n.id desc limit ${PAGE + 1}`)
  const { count } = (await db.one<{ count: number }>(sql`
    select count(*) from notifications n where n.user_id = ${userId} and n.in_app and n.read_at is null and ${REACHED}`))!
  return { notifications: rows.slice(0, PAGE), unread: count, has_more: rows.length > PAGE }
}

/** Without ids: all of them. */
export const mark = (db: Database, userId: number, { ids, read }: { ids?: number[] | undefined; read: boolean }) =>
  db.execute(sql`
    update notifications set read_at = ${read ? sql`coalesce(read_at, now())` : sql`null`}
    where user_id = ${userId} and ${ids === undefined ? sql`true` : sql`id = any (${ids}::bigint[])`}`)
