import { type ChannelKind, DIRECT_KINDS } from '../../contract/channels.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { isResting, oneByOne } from '../accounts/isolation.ts'
import { record } from '../audit/audit-log.ts'
import { scrub } from '../privacy/scrub.ts'
import { sealedIn, type Vault } from '../privacy/secrets.ts'

/** A receiver outside the service: a webhook, a chat channel, or the receiver of an audit log. */
export type DestinationKind = 'webhook' | 'audit_stream' | ChannelKind

/** The location that secrets of a destination are sealed for; former secrets keep the same one. */
export const secretOf = (id: number) => sealedIn('destinations', id, 'secret_sealed')

/** A webhook of an account whose plan has no feed keeps its cursor and waits. */
export const LIVE = sql`d.status = 'active' and (
  d.kind <> 'webhook' or exists (select from accounts a where a.id = d.account_id and a.plan <> 'free'))`

/** Lanes of one account that a process serves in parallel. Failing destinations get at most half of them. */
export const LANES_PER_ACCOUNT = 16
const LANES_OF_FAILING = LANES_PER_ACCOUNT / 2

/** How operators see the work for one destination. */
const SENDING = 'send_messages:'

/** Sends to a destination. If it can't even record how that went, the destination rests, and no other one waits for it. */
export async function isolated<T>(
  db: Database,
  lane: number,
  send: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const id = Math.abs(lane)
  const found = await db.one<{ account_id: number }>(sql`select account_id from destinations where id = ${id}`)
  return found && (await oneByOne(db, `${SENDING}${id}`, [found.account_id], send, { signal }))[0]
}

interface Lanes {
  busy: number[]
  resting: number[]
  free: number
}

/**
 * Lanes with something to send: accounts with the fewest lanes first; within an account those that do not fail, longest waiting first. The
 * lane of a destination has its id. Direct messages of a bot have a separate lane with the negative id, so that neither waits for the
 * other.
 */
export const due = async (db: Database, { busy, resting, free }: Lanes): Promise<number[]> =>
  (
    await db.rows<{ id: number }>(
      sql`
      with busy as (
        select d.account_id, count(*) as lanes, count(d.failing_since) as failing
        from unnest(${busy}::bigint[]) lane join destinations d on d.id = abs(lane) group by 1),
      due as (
        select d.*, row_number() over (partition by d.account_id order by d.failing, d.since) as place,
          row_number() over (partition by d.account_id, d.failing order by d.since) as place_of_kind
        from (${lanesOf(false)} union all ${lanesOf(true)} union all ${auditLanes()}) d
        where d.id <> all (${busy}::bigint[]) and d.id <> all (${resting}::bigint[])
          and not ${isResting(sql`${SENDING} || abs(d.id)`, sql`d.account_id`)})
      select d.id from due d left join busy b on b.account_id = d.account_id
      where d.place + coalesce(b.lanes, 0) <= ${LANES_PER_ACCOUNT}
        and (not d.failing or d.place_of_kind + coalesce(b.failing, 0) <= ${LANES_OF_FAILING})
      order by d.place + coalesce(b.lanes, 0), d.since limit ${free}`,
      { across: true },
    )
  ).map(({ id }) => id)

/** Lanes that do not rest and have something to send, with the time since when it waits. */
const lanesOf = (direct: boolean) => sql`
  select d.account_id, ${direct ? sql`-d.id` : sql`d.id`} as id, d.failing_since is not null as failing, head.since
  from destinations d
  cross join lateral (
    select m.not_before as since from messages m
    where m.destination_id = d.id and m.account_id = d.account_id and (m.to_user_id <> 0) = ${direct} and ${IN_QUEUE}
      and m.not_before <= goldmaster_now()
    order by m.queue_order limit 1) head
  where ${LIVE} and d.${restsOf(direct)} <= goldmaster_now() ${direct ? sql`and d.kind = any (${DIRECT_KINDS}::text[])` : sql``}`

/** The queue of an audit stream is the audit log itself. */
const auditLanes = () => sql`
  select d.account_id, d.id, d.failing_since is not null, d.rests_until from destinations d
  where d.kind = 'audit_stream' and ${LIVE} and d.rests_until <= goldmaster_now() and ${UNREAD}`

/** Messages `m` that are still to be sent. */
export const IN_QUEUE = sql`m.status in ('waiting', 'sending')`

/** Whether the audit log has entries that the destination `d` lacks; new entries have no position yet. */
const UNREAD = sql`(
  exists (select from audit_log l where l.account_id = d.account_id and l.position > d.position)
  or exists (select from audit_log l where l.account_id = d.account_id and l.position is null))`

export interface Destination {
  id: number
  account_id: number
  kind: DestinationKind
  /** For a webhook or an audit stream. */
  url: string
  /** The room that a bot posts to. */
  room: string
  /** The newest first. Empty for an audit stream without authentication. */
  secrets: string[]
  /** The cursor in the audit log. */
  position: number
  /** Failures in a row of an audit stream. */
  tries: number
  is_failing: boolean
  /** Whether the lane is the one for direct messages. */
  is_direct: boolean
  /** Milliseconds until the lane may be used. */
  rests: number
}

/** Undefined if nothing is sent to it now. */
export async function open(db: Database, vault: Vault, lane: number): Promise<Destination | undefined> {
  const found = await db.one<Omit<Destination, 'secrets' | 'is_direct'> & { sealed: string[] }>(sql`
    select d.id, d.account_id, d.kind, d.url, d.room, d.position, d.tries, d.failing_since is not null as is_failing,
      case when d.former_until > now() then array[d.secret_sealed, d.former_sealed] else array[d.secret_sealed] end as sealed,
      greatest(0, extract(epoch from d.${restsOf(lane < 0)} - goldmaster_now()) * 1000)::integer as rests
    from destinations d where d.id = ${Math.abs(lane)} and ${LIVE}`)
  if (!found) return undefined
  const { sealed, ...destination } = found
  return {
    ...destination,
    is_direct: lane < 0,
    secrets: sealed.filter((one) => one !== '').map((one) => vault.open(one, secretOf(destination.id))),
  }
}

/** Each lane has its own pause. */
const restsOf = (direct: boolean) => raw(direct ? 'direct_rests_until' : 'rests_until')

type Lane = Pick<Destination, 'id' | 'account_id' | 'is_direct'>

/** Pauses the lane: its vendor limits the rate or asks to wait. */
export const resting = ({ id, account_id, is_direct }: Lane, seconds: number): Sql => sql`
  update destinations set ${restsOf(is_direct)} = greatest(${restsOf(is_direct)}, goldmaster_now() + make_interval(secs => ${seconds}))
  where account_id = ${account_id} and id = ${id}`

export const rest = (db: Database, lane: Lane, seconds: number) => db.execute(resting(lane, seconds))

/** How long a destination may fail without a success before it is disabled. */
const SWITCHED_OFF_AFTER = sql`interval '5 days'`

/** Nothing was delivered. Returns true if that has been so for five days. */
export async function recordFailure(db: Database, lane: Lane, seconds: number, why: string): Promise<boolean> {
  const { id, account_id, is_direct } = lane
  const failed = await db.one<{ for_long: boolean }>(sql`
    update destinations set failing_since = coalesce(failing_since, now()), tries = tries + 1, error = ${errorOf(why)},
      ${restsOf(is_direct)} = greatest(${restsOf(is_direct)}, goldmaster_now() + make_interval(secs => ${seconds}))
    where account_id = ${account_id} and id = ${id} returning failing_since <= now() - ${SWITCHED_OFF_AFTER} as for_long`)
  return failed?.for_long ?? false
}

const ERROR_MAX = 500
const errorOf = (why: string) => scrub(why).slice(0, ERROR_MAX)

/** For use together with another statement of the same success. */
export const succeeded = (accountId: number, id: number): Sql => sql`
  update destinations set failing_since = null, tries = 0, error = ''
  where account_id = ${accountId} and id = ${id} and (failing_since is not null or tries > 0)`

interface SwitchedOff {
  account_id: number
  name: string
  url: string
}

/** A person has to act before anything is sent again. Undefined if it was already disabled. */
export async function switchOff(
  db: Database,
  { account_id, id }: Pick<Destination, 'account_id' | 'id'>,
  { status, action, subject, why }: { status: string; action: string; subject: string; why: string },
): Promise<SwitchedOff | undefined> {
  const found = await db.one<SwitchedOff>(sql`
    update destinations set status = ${status}, error = ${errorOf(why)}, updated_at = now()
    where account_id = ${account_id} and id = ${id} and status = 'active'
    returning account_id, name, url`)
  if (found)
    await record(db, sql`select ${found.account_id}::integer`, {
      actor: 'job',
      action,
      subject: `${subject}/${id}`,
      before: { status: 'active' },
      after: { status },
    })
  return found
}
