import { CHANNEL_KIND_TABLE, type ChannelKind } from '../../contract/channels.ts'
import { type Database, sql } from '../../db/database.ts'
import { COUNTS } from '../accounts/connected-accounts.ts'

/** A person as a channel's vendor knows them. */
interface ChatPerson {
  user_id: number
  /** Their id there, as they entered it or as it was found; null if unknown. */
  chat_id: string | null
  /** The address to search for them; null if a search is useless. */
  email: string | null
}

/** The known people of a channel's vendor. Leaves out those without access to the project and those who turned off chat mentions. */
export const known = (
  db: Database,
  channel: { id: number; kind: ChannelKind },
  projectId: number,
  userIds: readonly number[],
): Promise<ChatPerson[]> =>
  db.rows(sql`
    select u.id as user_id, coalesce(said.uid, p.chat_id) as chat_id,
      case when said.uid is null and p.user_id is null and u.email_verified then u.email end as email
    from users u join project_access r on r.user_id = u.id and r.project_id = ${projectId}
    join account_members m on m.user_id = u.id and m.account_id = r.account_id
    left join lateral (
      select a.uid from connected_accounts a
      where a.user_id = u.id and a.provider = ${CHANNEL_KIND_TABLE[channel.kind].vendor} and ${COUNTS} order by a.id limit 1) said on true
    left join channel_people p on p.account_id = r.account_id and p.user_id = u.id and p.channel_id = ${channel.id}
      and p.looked_up_at > now() - case when p.chat_id is null then interval '1 day' else interval '30 days' end
    where u.id = any (${userIds}::integer[])
      and not exists (select from notification_preferences n where n.user_id = u.id and n.kind = 'suspected' and not n.chat)`)

export const remember = (db: Database, channel: { id: number; account_id: number }, userId: number, chatId: string | undefined) =>
  db.execute(sql`
    insert into channel_people (account_id, channel_id, user_id, chat_id)
    values (${channel.account_id}, ${channel.id}, ${userId}, ${chatId ?? null})
    on conflict (account_id, channel_id, user_id) do update set chat_id = excluded.chat_id, looked_up_at = now()`)
