import type { NotificationKind } from '../../contract/channels.ts'
import { type Database, sql } from '../../db/database.ts'
import { inlineInteger, when } from '../../db/page.ts'

/** A notification of one person, newest first. */
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

interface InboxPage {
  notifications: Notification[]
  unread: number
  has_more: boolean
}

export async function list(
  db: Database,
  userId: number,
  { before, unread }: { before?: number | undefined; unread?: boolean | undefined },
  /** Their accounts that are blocked for them for now. */
  blocked: readonly number[] = [],
): Promise<InboxPage> {
  // Only for projects that they still have access to: `coalesce` tells the planner to expect most rows, so that it reads in order.
  const seen = sql`coalesce(n.project_id = any (array(select a.project_id from project_access a where a.user_id = ${userId}))
    and n.account_id <> all (${blocked}::integer[]), false)`
  const rows = await db.rows<Notification>(sql`
    select n.id, n.kind, n.project_id, (select p.name from projects p where p.id = n.project_id) as project_name, n.title, n.path, n.at, n.read_at
    from notifications n
    where n.user_id = ${userId} and n.in_app and ${seen}
      ${when(
        before,
        (id) => sql`and (n.at, n.id) < (
        select at, id from notifications where account_id = ${accountsOf(userId)} and id = ${id} and user_id = ${userId})`,
      )}
      ${unread ? sql`and n.read_at is null` : sql``}
    order by n.at desc, n.id desc limit ${inlineInteger(PAGE + 1)}`)
  const { count } = (await db.one<{ count: number }>(sql`
    select count(*) from notifications n where n.user_id = ${userId} and n.in_app and n.read_at is null and ${seen}`))!
  return { notifications: rows.slice(0, PAGE), unread: count, has_more: rows.length > PAGE }
}

/** An inbox is a person's, and its notifications are found by the key of their accounts. */
const accountsOf = (userId: number) => sql`any (array(select account_id from account_members where user_id = ${userId}))`

/** Without ids: all of them. */
export const mark = (db: Database, userId: number, { ids, read }: { ids?: number[] | undefined; read: boolean }) =>
  db.execute(sql`
    update notifications set read_at = ${read ? sql`coalesce(read_at, now())` : sql`null`}
    where user_id = ${userId} and ${ids === undefined ? sql`true` : sql`account_id = ${accountsOf(userId)} and id = any (${ids}::bigint[])`}`)
