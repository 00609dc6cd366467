import type { SubscriptionStatus } from '../../contract/sets.ts'
import { Event } from '../../contract/shapes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { Vault } from '../access/secrets.ts'
import { record } from '../audit/audit-log.ts'
import * as mails from '../mail/mails.ts'
import { scrubberOf } from '../privacy/replies.ts'
import { mayHoldPrivate, scrub } from '../privacy/scrub.ts'
import { secretOf } from './subscriptions.ts'

/** How long a message is tried, and how long a receiver may fail without a single success. */
const GIVEN_UP_AFTER = sql`interval '24 hours'`
const DISABLED_AFTER = sql`interval '5 days'`

/** A paused webhook, and one of an account without the feed, keeps its place and rests. */
export const LIVE = sql`s.status = 'active' and exists (select from accounts a where a.id = s.account_id and a.plan <> 'free')`

/** Webhooks of one account that a process works for side by side. Those that fail may have half of them: the others are told first. */
export const WORKERS_PER_ACCOUNT = 16
const LANES_OF_FAILING = WORKERS_PER_ACCOUNT / 2

interface Lanes {
  /** Webhooks that are worked for. */
  busy: number[]
  /** Webhooks that must wait. */
  resting: number[]
  free: number
}

/** Webhooks whose next message is due: accounts with the fewest lanes first, and of one account those that are well, longest waiting first. */
export const due = async (db: Database, { busy, resting, free }: Lanes): Promise<number[]> =>
  (
    await db.rows<{ id: number }>(sql`
      with busy as (
        select account_id, count(*) as lanes, count(failing_since) as failing from subscriptions where id = any (${busy}::integer[]) group by 1),
      due as (
        select s.id, s.account_id, s.failing_since is not null as failing, head.next_at,
          row_number() over (partition by s.account_id order by s.failing_since is not null, head.next_at) as place,
          row_number() over (partition by s.account_id, s.failing_since is not null order by head.next_at) as place_of_kind
        from subscriptions s
        cross join lateral (
          select o.next_at from outgoing o where o.subscription_id = s.id and o.status = 'waiting' order by o.turn limit 1) head
        where ${LIVE} and head.next_at <= now() and s.id <> all (${busy}::integer[]) and s.id <> all (${resting}::integer[]))
      select d.id from due d left join busy b on b.account_id = d.account_id
      where d.place + coalesce(b.lanes, 0) <= ${WORKERS_PER_ACCOUNT}
        and (not d.failing or d.place_of_kind + coalesce(b.failing, 0) <= ${LANES_OF_FAILING})
      order by d.place + coalesce(b.lanes, 0), d.next_at limit ${free}`)
  ).map(({ id }) => id)

export interface Message {
  id: string
  payload: string
  tries: number
  due: boolean
}

/** The head of a queue, where it goes and what it is signed with. */
export interface Head {
  url: string
  /** Nothing got through lately. */
  failing: boolean
  secrets: string[]
  messages: Message[]
}

/** Undefined when there is nothing to send any more. */
export async function head(db: Database, vault: Vault, subscriptionId: number, limit: number): Promise<Head | undefined> {
  const rows = await db.rows<Message & { url: string; failing: boolean; sealed: string[] }>(sql`
    select o.id, o.payload::text as payload, o.tries, o.next_at <= now() as due, s.url, s.failing_since is not null as failing,
      case when s.former_until > now() then array[s.secret_sealed, s.former_sealed] else array[s.secret_sealed] end as sealed
    from subscriptions s join outgoing o on o.subscription_id = s.id and o.status = 'waiting'
    where s.id = ${subscriptionId} and ${LIVE} order by o.turn limit ${limit}`)
  if (!rows[0]) return undefined
  const { url, failing, sealed } = rows[0]
  return { url, failing, secrets: sealed.map((one) => vault.open(one, secretOf(subscriptionId))), messages: rows.map(shown) }
}

const scrubEvent = scrubberOf(Event)!

/** Messages may have waited since before their texts were scrubbed as they are now. */
function shown(message: Message): Message {
  if (!mayHoldPrivate(message.payload)) return message
  const payload = JSON.parse(message.payload)
  return { ...message, payload: JSON.stringify({ ...payload, data: scrubEvent(payload.data as never) }) }
}

/** What came of sending a message once. */
export interface Attempt {
  id: string
  at: string
  /** Null when there was no answer. */
  status: number | null
  milliseconds: number
  error: string
  response: string
}

const keep = (attempts: readonly Attempt[]): Sql => sql`
  insert into outgoing_attempts (outgoing_id, at, status, milliseconds, error, response)
  select t.id, t.at, t.status, t.milliseconds, t.error, t.response
  from unnest(${attempts.map(({ id }) => id)}::text[], ${attempts.map(({ at }) => at)}::timestamptz[],
    ${attempts.map(({ status }) => status)}::integer[], ${attempts.map(({ milliseconds }) => milliseconds)}::integer[],
    ${attempts.map(({ error }) => error)}::text[], ${attempts.map(({ response }) => response)}::text[])
    with ordinality t (id, at, status, milliseconds, error, response, place)
  join outgoing o on o.id = t.id order by t.place`

export const recordDelivered = (db: Database, subscriptionId: number, attempts: readonly Attempt[]) =>
  db.execute(sql`
    with kept as (${keep(attempts)}), done as (
      update outgoing set status = 'delivered', tries = tries + 1, first_tried_at = coalesce(first_tried_at, now()), finished_at = now()
      where id = any (${attempts.map(({ id }) => id)}) and status = 'waiting')
    update subscriptions set failing_since = null where id = ${subscriptionId} and failing_since is not null`)

/** The message keeps its place until it is given up; the webhook itself ends with 410 or after days without a success. */
export const recordFailed = (db: Database, subscriptionId: number, attempt: Attempt, delaySeconds: number) =>
  db.transaction(async (db) => {
    await db.execute(keep([attempt]))
    if (attempt.status === GONE) {
      await db.execute(
        sql`update outgoing set tries = tries + 1, next_at = now() where id = ${attempt.id} and status = 'waiting'`,
      )
      const ended = await db.one<Ended>(sql`
        update subscriptions set status = 'gone', updated_at = now() where id = ${subscriptionId} and status = 'active'
        returning account_id, url`)
      if (ended) await tellEnd(db, subscriptionId, ended, 'gone')
      return
    }
    await db.execute(sql`
      update outgoing set tries = tries + 1, first_tried_at = coalesce(first_tried_at, now()),
        next_at = least(now() + make_interval(secs => ${delaySeconds}), coalesce(first_tried_at, now()) + ${GIVEN_UP_AFTER}),
        status = case when first_tried_at <= now() - ${GIVEN_UP_AFTER} then 'failed' else status end,
        finished_at = case when first_tried_at <= now() - ${GIVEN_UP_AFTER} then now() end
      where id = ${attempt.id} and status = 'waiting'`)
    const ended = await db.one<Ended>(sql`
      update subscriptions set status = 'failing', updated_at = now()
      where id = ${subscriptionId} and status = 'active' and failing_since <= now() - ${DISABLED_AFTER}
      returning account_id, url`)
    if (ended) {
      await tellEnd(db, subscriptionId, ended, 'failing')
      await mails.writeToOwners(
        db,
        ended.account_id,
        'An outbound webhook was disabled',
        farewell(subscriptionId, ended.url, attempt),
      )
    } else
      await db.execute(sql`
        update subscriptions set failing_since = now() where id = ${subscriptionId} and failing_since is null`)
  })

const GONE = 410

interface Ended {
  account_id: number
  url: string
}

const tellEnd = (db: Database, id: number, { account_id }: Ended, status: SubscriptionStatus) =>
  record(db, sql`select ${account_id}::integer`, {
    actor: 'job',
    action: 'switchOffWebhook',
    subject: `webhook/${id}`,
    before: { status: 'active' },
    after: { status },
  })

/** Addresses may carry secrets after the question mark. */
const farewell = (id: number, url: string, { status, error }: Attempt) => `\
Webhook ${id} (${url.split('?', 1)[0]}) was disabled after 5 days of failed deliveries.

Last attempt: ${status === null ? scrub(error) : `answered ${status}`}

Pending messages are kept. When the receiver works again, resume the webhook and it continues where it stopped.
`
