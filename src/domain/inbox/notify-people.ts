import type { MessageSubject, NotificationKind } from '../../contract/channels.ts'
import type { EventType } from '../../contract/events.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { Vault } from '../access/secrets.ts'
import { CHANGE_OF_APPROVAL, directChannels, type Occasion } from '../channels/announce.ts'
import type { Announcement } from '../channels/announcement.ts'
import { announcementOf } from '../channels/announcements.ts'
import { enqueue } from '../channels/message-queue.ts'
import { concerning } from '../notifications/mail-templates.ts'
import * as mails from '../notifications/mails.ts'
import { preferencesOf } from './preferences.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

/** Whom something concerns. */
interface Concern {
  user_id: number
  account_id: number
  project_id: number
  kind: NotificationKind
  subject: MessageSubject
  subject_id: string
}

interface Means {
  vault: Vault
  site: string
}

/** Tells people what concerns them, where they chose to hear of it; of each thing once. In the caller's transaction. */
export async function notifyPeople(db: Database, { vault, site }: Means, occasions: readonly Occasion[]) {
  const reopened = idsOf(occasions, ['breakage.reopened'])
  // Who was told before is told again.
  if (reopened.length > 0)
    await db.execute(sql`delete from notifications where subject = 'breakage' and subject_id = any (${reopened}::text[])`)
  for (const concern of await concernsOf(db, occasions)) await notifyPerson(db, { vault, site }, concern)
}

const idsOf = (occasions: readonly Occasion[], types: readonly EventType[]) =>
  occasions.flatMap(({ event_type, row_id }) => (types.includes(event_type) ? [row_id] : []))

async function concernsOf(db: Database, occasions: readonly Occasion[]): Promise<Concern[]> {
  const sources: [ids: string[], rows: (ids: string[]) => Sql][] = [
    [idsOf(occasions, ['breakage.opened', 'breakage.reopened']), suspected],
    [idsOf(occasions, ['breakage.claimed']), given],
    [idsOf(occasions, ['approval.requested']), waiting],
    [idsOf(occasions, ['task.state_changed']), assigned],
  ]
  const found: Concern[] = []
  for (const [ids, rows] of sources) if (ids.length > 0) found.push(...(await db.rows<Concern>(members(rows(ids)))))
  return found
}

/** Who sees the project and has not heard of it yet. */
const members = (rows: Sql): Sql => sql`
  select distinct c.* from (${rows}) c join project_access m on m.project_id = c.project_id and m.user_id = c.user_id
  where not exists (select from notifications n
    where n.user_id = c.user_id and n.kind = c.kind and n.subject = c.subject and n.subject_id = c.subject_id)`

/** Only whoever is most likely to know: the others would be asked in vain. */
const suspected = (ids: string[]) => sql`
  select (named_suspect(k.suspects)->>'user_id')::integer as user_id, k.account_id, k.project_id, 'suspected' as kind, 'breakage' as subject,
    k.id::text as subject_id
  from breakages k where k.id = any (${ids}::bigint[]) and k.state = 'open'`

/** By somebody else. */
const given = (ids: string[]) => sql`
  select k.owner_user_id as user_id, k.account_id, k.project_id, 'given' as kind, 'breakage' as subject, k.id::text as subject_id
  from breakages k cross join lateral (
    select h.detail from breakage_history h where h.account_id = k.account_id and h.breakage_id = k.id and h.kind = 'claimed'
    order by h.id desc limit 1) said
  where k.id = any (${ids}::bigint[]) and said.detail = 'user:' || k.owner_user_id`

/** All that one change asks for is one thing to look at. */
const waiting = (ids: string[]) => sql`
  select o.user_id, a.account_id, a.project_id, 'approval' as kind, 'approval' as subject, ${CHANGE_OF_APPROVAL} as subject_id
  from approvals a join project_members o on o.project_id = a.project_id and o.role = 'owner'
  where a.id = any (${ids}::uuid[]) and a.status = 'pending'`

const assigned = (ids: string[]) => sql`
  select t.user_id, t.account_id, t.project_id, 'task' as kind, 'task' as subject, t.id::text as subject_id
  from tasks t where t.id = any (${ids}::bigint[]) and t.user_id is not null and t.user_id is distinct from t.created_by_user_id
    and t.state <> 'completed'`

async function notifyPerson(db: Database, { vault, site }: Means, concern: Concern) {
  const { user_id, account_id, project_id, kind, subject, subject_id } = concern
  const said = await announcementOf(db, { project_id, subject, subject_id, here: false }, site)
  if (!said) return
  // Whoever has not shown that an address is theirs gets no mail about somebody's studio.
  const ways = (await db.one<{ in_app: boolean; mail: boolean; chat: boolean }>(sql`
    select w.in_app, w.mail and u.email_verified as mail, w.chat from (${preferencesOf(sql`${user_id}`)}) w, users u
    where w.kind = ${kind} and u.id = ${user_id}`))!
  await db.execute(sql`
    insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path, in_app)
    values (${user_id}, ${account_id}, ${project_id}, ${kind}, ${subject}, ${subject_id}, ${said.title}, ${pathOf(said, site)}, ${ways.in_app})`)
  if (ways.mail && !(await mails.isSwamped(db, user_id))) {
    const stop = unsubscribeUrl(vault, site, user_id, kind)
    await mails.writeToUser(db, user_id, concerning(kind, said, stop), account_id)
  }
  const [direct] = ways.chat ? await directChannels(db, [account_id]) : []
  if (direct) await enqueue(db, [{ account_id, channel_id: direct.id, project_id, subject, subject_id, to_user_id: user_id }])
}

const pathOf = ({ url }: Announcement, site: string) => url.slice(site.length)
