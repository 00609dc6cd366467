import type { NotificationKind } from '../../contract/channels.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { CHANGE_OF_APPROVAL } from '../channels/announce.ts'
import type { Announcement } from '../channels/announcement.ts'
import { announcementOf } from '../channels/announcements.ts'
import { enqueue } from '../channels/message-queue.ts'
import { keysOf, type OutboxEntry } from '../feed/outbox.ts'
import type { Vault } from '../privacy/secrets.ts'
import { isOnDeletedTask } from '../tasks/deleted.ts'
import { mailTo, methodFor, type Recipient, wantedBy } from './delivery-method.ts'
import { toOwner } from './inbox-mails.ts'

interface Concern extends Recipient {
  /** Deduplicates notifications, if the subject alone is not enough: each occurrence of a breakage has its own. */
  dedupe_id?: string
  /** The occurrence of a reopened breakage; 0 for the first one. */
  occurrence?: number
}

interface Context {
  vault: Vault
  site: string
}

/** Notifies people on the channels that they chose, once per subject. In the caller's transaction. */
export async function notifyPeople(db: Database, { vault, site }: Context, entries: readonly OutboxEntry[]) {
  for (const { account_id, event_type, row_id, occurrence = 0 } of entries)
    if (event_type === 'breakage.suspects_changed') await clear(db, account_id, row_id, occurrence)
  for (const { account_id, event_type, row_id } of entries)
    if (ENDS_ASSIGNMENTS.includes(event_type)) await endAssignment(db, account_id, row_id, site)
  for (const concern of await concernsOf(db, entries)) await notifyPerson(db, { vault, site }, concern)
}

/** An occurrence of the breakage `k`, as notifications name it. */
const named = (occurrence: Sql) => sql`k.id || case when ${occurrence} > 1 then ':' || ${occurrence} else '' end`
const LATER = sql`case when k.occurrence > 1 then k.occurrence else 0 end`
const OCCURRENCE = named(sql`k.occurrence`)

/** A person who was notified and is no longer suspected gets one line in the inbox. */
async function clear(db: Database, accountId: number, breakageId: string, occurrence: number) {
  const told = sql`
    select n.user_id, n.account_id, n.project_id, n.subject_id, n.in_app, n.title, n.path,
      k.state <> 'withdrawn' and (named_suspect(k.suspects) ->> 'user_id')::integer is not distinct from n.user_id as named
    from notifications n join breakages k on k.account_id = ${accountId} and k.id = ${breakageId}::bigint
    where n.account_id = k.account_id and n.project_id = k.project_id and n.kind = 'suspected' and n.subject = 'breakage'
      and n.subject_id = ${named(sql`${occurrence}::integer`)} and (k.occurrence = ${occurrence} or k.state = 'withdrawn')`
  await db.execute(sql`
    insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path, in_app)
    select user_id, account_id, project_id, 'suspected', ${CLEARED}, subject_id, 'Your change is no longer suspected: ' || title, path, in_app
    from (${told}) told where not named
    on conflict (account_id, user_id, project_id, kind, subject, subject_id) do nothing`)
  // A person who is suspected again sees the first line as unread; no second email is sent.
  await db.execute(sql`
    with again as (
      delete from notifications c using (${told}) told
      where told.named and c.account_id = told.account_id and c.user_id = told.user_id and c.kind = 'suspected' and c.subject = ${CLEARED} and c.subject_id = told.subject_id
      returning c.account_id, c.user_id, c.subject_id)
    update notifications n set read_at = null, at = now() from again
    where n.account_id = again.account_id and n.user_id = again.user_id and n.kind = 'suspected' and n.subject = 'breakage' and n.subject_id = again.subject_id`)
  // The next occurrence reuses the number of a withdrawn one, and needs its own notification.
  await db.execute(sql`
    update notifications n set subject_id = n.subject_id || '~' || n.id from breakages k
    where k.account_id = ${accountId} and k.id = ${breakageId}::bigint and k.state = 'withdrawn' and n.account_id = k.account_id
      and n.project_id = k.project_id and n.kind = 'suspected'
      and n.subject in ('breakage', ${CLEARED}) and n.subject_id = ${named(sql`${occurrence}::integer`)}`)
}

/** The subject type of a notification that takes an earlier one back. */
const CLEARED = 'breakage_cleared'

const ENDS_ASSIGNMENTS: readonly OutboxEntry['event_type'][] = ['breakage.revised', 'breakage.claimed', 'breakage.withdrawn']

/**
 * Tells people once that an automatic assignment ended, unless the inbox already says that their change is no longer suspected. If it is
 * assigned to them again, the first entry becomes unread.
 */
async function endAssignment(db: Database, accountId: number, breakageId: string, site: string) {
  const told = sql`
    select n.user_id, n.account_id, n.project_id, n.subject_id, n.in_app, n.path,
      k.state <> 'withdrawn' and k.owner_user_id is not distinct from n.user_id as is_owner,
      coalesce((k.state = 'withdrawn' and k.assigned_because is not null and k.owner_user_id = n.user_id) or (
        select h.kind from breakage_history h where h.account_id = k.account_id and h.breakage_id = k.id
          and h.kind in ('claimed', 'released', 'unassigned') and h.id > (
            select max(a.id) from breakage_history a where a.account_id = k.account_id and a.breakage_id = k.id and a.kind = 'assigned'
              and (a.detail ->> 'owner_user_id')::integer = n.user_id)
        order by h.id limit 1) = 'unassigned', false) as is_taken_back
    from notifications n join breakages k on k.account_id = ${accountId} and k.id = ${breakageId}::bigint
    where n.account_id = k.account_id and n.project_id = k.project_id and n.kind = 'given' and n.subject = 'breakage'
      and n.subject_id = ${OCCURRENCE}`
  const untold = sql`
    select * from (${told}) told where is_taken_back and not is_owner and not exists (
      select from notifications c where c.account_id = told.account_id and c.user_id = told.user_id and c.project_id = told.project_id
        and c.kind = 'suspected' and c.subject = ${CLEARED} and c.subject_id = told.subject_id)`
  const ended = await db.one<{ project_id: number }>(sql`select project_id from (${untold}) u limit 1`)
  // The title of the entry about the assignment gives a reason that no longer holds.
  const now =
    ended &&
    (await announcementOf(
      db,
      { account_id: accountId, ...ended, subject: 'breakage', subject_id: breakageId, here: false },
      site,
    ))
  if (now)
    await db.execute(sql`
      insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path, in_app)
      select user_id, account_id, project_id, 'given', ${CLEARED}, subject_id, ${`No longer assigned to you: ${now.title}`}, path, in_app
      from (${untold}) u on conflict (account_id, user_id, project_id, kind, subject, subject_id) do nothing`)
  await db.execute(sql`
    with again as (
      delete from notifications c using (${told}) told
      where told.is_owner and c.account_id = told.account_id and c.user_id = told.user_id and c.kind = 'given' and c.subject = ${CLEARED}
        and c.subject_id = told.subject_id
      returning c.account_id, c.user_id, c.subject_id)
    update notifications n set read_at = null, at = now() from again
    where n.account_id = again.account_id and n.user_id = again.user_id and n.kind = 'given' and n.subject = 'breakage' and n.subject_id = again.subject_id`)
}

async function concernsOf(db: Database, entries: readonly OutboxEntry[]): Promise<Concern[]> {
  const sources: [types: OutboxEntry['event_type'][], rows: (entries: OutboxEntry[]) => Sql][] = [
    [['breakage.opened', 'breakage.reopened', 'breakage.suspects_changed'], suspected],
    [['breakage.claimed'], given],
    [['approval.requested'], waiting],
    [['task.state_changed'], assigned],
    [['comment.created', 'comment.updated'], mentioned],
    [['measure.alerted'], overBudget],
  ]
  const found: Concern[] = []
  for (const [types, rows] of sources) {
    const some = entries.filter(({ event_type }) => types.includes(event_type))
    if (some.length > 0) found.push(...(await db.rows<Concern>(members(rows(some)))))
  }
  return found
}

/** Members with access to the project who were not notified yet. */
const members = (rows: Sql): Sql => sql`
  select distinct c.* from (${rows}) c join project_access m on m.project_id = c.project_id and m.user_id = c.user_id
  where not exists (select from notifications n
    where n.account_id = c.account_id and n.user_id = c.user_id and n.project_id = c.project_id and n.kind = c.kind and n.subject = c.subject
      and n.subject_id = coalesce(c.dedupe_id, c.subject_id))`

/** Only the most likely suspect: the others could rarely help. */
const suspected = (entries: OutboxEntry[]) => sql`
  select (named_suspect(k.suspects)->>'user_id')::integer as user_id, k.account_id, k.project_id, 'suspected' as kind, 'breakage' as subject,
    k.id::text as subject_id, ${OCCURRENCE} as dedupe_id, ${LATER} as occurrence
  from breakages k where (k.account_id, k.id) in (${keysOf(entries, 'bigint')}) and k.state = 'open'`

/** Assigned by somebody else. */
const given = (entries: OutboxEntry[]) => sql`
  select k.owner_user_id as user_id, k.account_id, k.project_id, 'given' as kind, 'breakage' as subject, k.id::text as subject_id,
    ${OCCURRENCE} as dedupe_id, ${LATER} as occurrence
  from breakages k cross join lateral (
    select h.detail from breakage_history h where h.account_id = k.account_id and h.breakage_id = k.id and h.kind in ('claimed', 'assigned')
    order by h.id desc limit 1) said
  where (k.account_id, k.id) in (${keysOf(entries, 'bigint')}) and (said.detail ->> 'owner_user_id')::integer = k.owner_user_id`

/**
 * One notification per change, however many assets wait. It goes to approvers and leads of the project, and to owners and admins of the
 * account, not to members who only see the project.
 */
const waiting = (entries: OutboxEntry[]) => sql`
  select o.user_id, a.account_id, a.project_id, 'approval' as kind, 'approval' as subject, ${CHANGE_OF_APPROVAL} as subject_id,
    null as dedupe_id, 0 as occurrence
  from approvals a join project_access o on o.project_id = a.project_id and o.project_role in ('approver', 'lead')
    and (o.account_role in ('owner', 'admin')
      or exists (
        select from project_members m
        where m.account_id = o.account_id and m.project_id = o.project_id and m.user_id = o.user_id))
  where (a.account_id, a.id) in (${keysOf(entries, 'uuid')}) and a.status = 'pending'`

const assigned = (entries: OutboxEntry[]) => sql`
  select t.user_id, t.account_id, t.project_id, 'task' as kind, 'task' as subject, t.id::text as subject_id, null as dedupe_id, 0 as occurrence
  from tasks t where (t.account_id, t.id) in (${keysOf(entries, 'bigint')}) and t.deleted_at is null and t.user_id is not null
    and t.user_id is distinct from t.created_by_user_id
    and t.state <> 'completed'`

const mentioned = (entries: OutboxEntry[]) => sql`
  select u.user_id, c.account_id, c.project_id, 'mentioned' as kind, 'comment' as subject, c.id::text as subject_id, null as dedupe_id, 0 as occurrence
  from comments c cross join lateral unnest(c.mentions) u (user_id)
  where (c.account_id, c.id) in (${keysOf(entries, 'bigint')}) and u.user_id is distinct from c.user_id
    and not ${isOnDeletedTask(sql`c`)}`

/**
 * Leads of the project and the author of the only change; once it is settled, those who were told. Like approvals, not members who only see
 * the project.
 */
const overBudget = (entries: OutboxEntry[]) => sql`
  select o.user_id, a.account_id, a.project_id, 'budget' as kind, 'budget' as subject, a.id::text as subject_id,
    case when a.state = 'settled' then a.id || ':settled' end as dedupe_id, 0 as occurrence
  from measure_alerts a join project_access o on o.account_id = a.account_id and o.project_id = a.project_id
  where (a.account_id, a.id) in (${keysOf(entries, 'bigint')}) and case when a.state = 'settled'
    then exists (select from notifications n where n.account_id = a.account_id and n.user_id = o.user_id and n.project_id = a.project_id
      and n.kind = 'budget' and n.subject = 'budget' and n.subject_id = a.id::text)
    else o.user_id = a.user_id or exists (
      select from project_members m where m.account_id = o.account_id and m.project_id = o.project_id and m.user_id = o.user_id
        and m.project_role = 'lead') end`

async function notifyPerson(db: Database, { vault, site }: Context, concern: Concern) {
  const { user_id, account_id, project_id, kind, subject, subject_id, dedupe_id } = concern
  const said = await announcementOf(db, { account_id, project_id, subject, subject_id, here: false }, site)
  if (!said) return
  const wanted = await wantedBy(db, user_id, kind)
  const { way, channel_id } = await methodFor(db, concern, said, wanted)
  await db.execute(sql`
    insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path, in_app, way, channel_id)
    values (${user_id}, ${account_id}, ${project_id}, ${kind}, ${subject}, ${dedupe_id ?? subject_id}, ${titleFor(kind, said, user_id)},
      ${pathOf(said, site)}, ${wanted.in_app}, ${way}, ${channel_id})`)
  if (way === 'mail') await mailTo(db, { vault, site }, concern, said)
  if (way !== 'direct') return
  const message = { account_id, project_id, subject, subject_id, to_user_id: user_id, occasion: concern.occurrence ?? 0 }
  await enqueue(db, [{ ...message, channel_id }])
}

/** Says why the person gets it. */
const titleFor = (kind: NotificationKind, { title, suspect, because }: Announcement, userId: number) => {
  if (kind === 'given' && because !== undefined) return `${title} (${toOwner(because)})`
  return suspect?.identifier && (kind === 'suspected' || (kind === 'budget' && suspect.person?.user_id === userId))
    ? `${title} (your change ${suspect.identifier})`
    : title
}

const pathOf = ({ url }: Announcement, site: string) => url.slice(site.length)
