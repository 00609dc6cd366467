import { NOTIFICATION_DEFAULTS, type NotificationKind, type NotificationWay } from '../../contract/channels.ts'
import { type Database, join, raw, type Sql, sql } from '../../db/database.ts'

/** Where a person gets notifications, and their daily digest. */
interface Preferences {
  kinds: ({ kind: NotificationKind } & Record<NotificationWay, boolean>)[]
  daily_digest: boolean
  /** Null: the account's time zone. */
  timezone: string | null
}

const DEFAULTS = Object.entries(NOTIFICATION_DEFAULTS) as [NotificationKind, Record<NotificationWay, boolean>][]

const VALUES: Sql = join(
  DEFAULTS.map(
    ([kind, { in_app, mail, chat }]) =>
      sql`(${raw(`'${kind}'`)}, ${raw(String(in_app))}, ${raw(String(mail))}, ${raw(String(chat))})`,
  ),
)

/** The preferences of the user `id`, one row per kind. */
export const preferencesOf = (id: Sql): Sql => sql`
  select d.kind, coalesce(p.in_app, d.in_app) as in_app, coalesce(p.mail, d.mail) as mail, coalesce(p.chat, d.chat) as chat
  from (values ${VALUES}) d (kind, in_app, mail, chat)
  left join notification_preferences p on p.kind = d.kind and p.user_id = ${id}`

export async function show(db: Database, userId: number): Promise<Preferences> {
  const kinds = await db.rows<Preferences['kinds'][number]>(preferencesOf(sql`${userId}`))
  const user = await db.one<Omit<Preferences, 'kinds'>>(sql`select daily_digest, timezone from users where id = ${userId}`)
  const placeOf = (kind: NotificationKind) => DEFAULTS.findIndex(([one]) => one === kind)
  return { kinds: kinds.sort((a, b) => placeOf(a.kind) - placeOf(b.kind)), ...user! }
}

export const edit = (
  db: Database,
  userId: number,
  { kinds = [], daily_digest, timezone }: Partial<Preferences>,
): Promise<Preferences> =>
  db.transaction(async (db) => {
    for (const { kind, in_app, mail, chat } of kinds)
      await db.execute(sql`
        insert into notification_preferences (user_id, kind, in_app, mail, chat) values (${userId}, ${kind}, ${in_app}, ${mail}, ${chat})
        on conflict (user_id, kind) do update set in_app = excluded.in_app, mail = excluded.mail, chat = excluded.chat`)
    if (daily_digest !== undefined)
      await db.execute(sql`update users set daily_digest = ${daily_digest}, digested_at = now() where id = ${userId}`)
    if (timezone !== undefined) await db.execute(sql`update users set timezone = ${timezone} where id = ${userId}`)
    return show(db, userId)
  })

/** For the unsubscribe link of an email: emails of that kind stop. */
export async function stopMails(db: Database, userId: number, kind: string) {
  if (!(await db.one(sql`select from users where id = ${userId}`))) return
  if (kind === 'digest') return edit(db, userId, { daily_digest: false })
  const { kinds } = await show(db, userId)
  return edit(db, userId, { kinds: kinds.filter((one) => one.kind === kind).map((one) => ({ ...one, mail: false })) })
}
