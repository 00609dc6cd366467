import { LANES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { countJobs, dueTimes, type JobCount, LEASES } from '../../db/queue.ts'
import { type FailingAccount, listFailing } from '../accounts/isolation.ts'
import type { Retention } from '../accounts/retention-days.ts'
import { IS_DEFERRED } from '../integrations/deliveries.ts'
import { IN_QUEUE } from '../sending/destinations.ts'
import { type Backups, readBackups } from './backups.ts'
import { listNodes, type Node } from './nodes.ts'
import { type Refused, readRefused } from './refused-requests.ts'
import { readSizes, type Sizes } from './sizes.ts'
import { readSlowStatements, type SlowStatements } from './slow-statements.ts'

/**
 * The status of the service for operators: the data of the operator's page, `admin status` and metrics (areas.ts), read from the database.
 */

/** A longer queue is counted up to this number. */
const COUNT_MAX = 100_000

/** While a server of a cluster is down, of the accounts on the others. */
const ALL = { across: true }

const age = (time: Sql) => sql`coalesce(greatest(0, extract(epoch from now() - (${time}))), 0)::float8`

/** A number of waiting items, and the age of the oldest in seconds. */
interface Backlog {
  oldest_job: number
  /** Deliveries that were answered and are not processed yet. */
  deliveries: number
  /** The age of the oldest of these in seconds. */
  oldest_delivery: number
  outbox: number
  outbound: number
  mails: number
  /** Emails among these that the mail server rejected. */
  failed_mails: number
  previews: number
  /** The age of the oldest of these in seconds. */
  oldest_preview: number
}

const readBacklog = (db: Database): Promise<Backlog | undefined> =>
  db.one<Backlog>(
    sql`
    select
      (select ${age(sql`min(run_at)`)} from (${dueTimes} limit ${COUNT_MAX}) due) as oldest_job,
      (select count(*) from (select from deliveries d where ${IS_DEFERRED} limit ${COUNT_MAX}) accepted) as deliveries,
      (select ${age(sql`min(received_at)`)} from (select received_at from deliveries d where ${IS_DEFERRED} limit ${COUNT_MAX}) accepted) as oldest_delivery,
      (select ${age(sql`min(written_at)`)} from (select written_at from outbox where position is null limit ${COUNT_MAX}) unplaced) as outbox,
      (select ${age(sql`min(waiting.created_at)`)} from destinations d cross join lateral (
        select created_at from messages m where m.account_id = d.account_id and m.destination_id = d.id and (m.to_user_id <> 0) = false
          and ${IN_QUEUE} order by m.queue_order limit 1) waiting
        where d.kind = 'webhook' and d.status = 'active') as outbound,
      (select count(*) from (select from mails where sent_at is null limit ${COUNT_MAX}) unsent) as mails,
      (select count(*) from (select from mails where sent_at is null and error <> '' limit ${COUNT_MAX}) failed) as failed_mails,
      (select count(*) from (select from previews where state = 'pending' limit ${COUNT_MAX}) unmade) as previews,
      (select ${age(sql`min(created_at)`)} from (select created_at from previews where state = 'pending' limit ${COUNT_MAX}) unmade) as oldest_preview`,
    ALL,
  )

interface DestinationCount {
  kind: 'channel' | 'webhook'
  status: string
  count: number
  /** Destinations among these without a recent success. */
  failing: number
}

const FAMILY = sql`case when d.kind = 'webhook' then 'webhook' else 'channel' end`

const countDestinations = (db: Database): Promise<DestinationCount[]> =>
  db.rows<DestinationCount>(
    sql`
    select ${FAMILY} as kind, status, count(*) as count, count(failing_since) as failing from destinations d
    where kind <> 'audit_stream' group by 1, 2 order by 1, 2`,
    ALL,
  )

/** A channel or webhook that fails, or whose result is unknown. */
interface Trouble {
  kind: 'channel' | 'webhook'
  account_id: number
  account: string
  /** For a webhook its host: the rest of its URL may be a secret. */
  name: string
  status: string
  failing_since: string | null
  /** Messages that the chat vendor may or may not have received. */
  uncertain: number
}

const TROUBLES = 20
const FAILING = 100

const listTroubles = (db: Database): Promise<Trouble[]> =>
  db.rows<Trouble>(
    sql`
    with uncertain as (
      select account_id, destination_id, count(*) as messages from messages where status = 'uncertain' group by account_id, destination_id)
    select ${FAMILY} as kind, d.account_id, case when d.kind = 'webhook' then substring(d.url from '://(?:[^/@]*@)?([^/:?#]+)') else d.name end as name,
      d.status, d.failing_since, coalesce(u.messages, 0) as uncertain, a.name as account
    from destinations d left join uncertain u on u.account_id = d.account_id and u.destination_id = d.id
      join accounts a on a.id = d.account_id
    where d.kind <> 'audit_stream' and (d.status not in ('active', 'paused') or d.failing_since is not null or u.messages > 0)
    order by d.failing_since nulls last, d.account_id, 1, 3 limit ${TROUBLES}`,
    ALL,
  )

/** Queues that are processed one message after the other. */
interface Lanes {
  lane: (typeof LANES)[number]
  /** Active lanes on all nodes. */
  active: number
  /** Waiting messages; null if they are not counted. */
  waiting: number | null
}

/** The destinations and messages of each lane. */
const OF_LANE: Partial<Record<Lanes['lane'], { destinations: Sql; messages?: Sql }>> = {
  webhooks: { destinations: sql`d.kind = 'webhook'`, messages: sql`m.event_id is not null` },
  channels: { destinations: sql`d.kind not in ('webhook', 'audit_stream')`, messages: sql`m.subject is not null` },
  auditStreams: { destinations: sql`d.kind = 'audit_stream'` },
}

/** Leases of all nodes; the number of a lane may be negative. */
const leases = (kind: number) => sql`
  select abs(objid::bigint::bit(32)::integer) as id from pg_locks where locktype = 'advisory' and granted and classid = ${kind}::bigint::oid
    and database = (select oid from pg_database where datname = current_database())`

async function readLanes(db: Database): Promise<Lanes[]> {
  const lanes: Lanes[] = []
  for (const lane of LANES) {
    const { destinations, messages } = OF_LANE[lane] ?? {}
    const waiting = messages
      ? sql`(select count(*) from (select from messages m where ${IN_QUEUE} and ${messages} limit ${COUNT_MAX}) waiting)`
      : sql`null::bigint`
    const active = destinations
      ? sql`from (${leases(LEASES.destinations)}) l join destinations d on d.id = l.id where ${destinations}`
      : sql`from (${leases(LEASES.objects)}) l`
    const found = await db.one<Omit<Lanes, 'lane'>>(sql`select ${waiting} as waiting, (select count(*) ${active}) as active`, ALL)
    lanes.push({ lane, ...found! })
  }
  return lanes
}

interface Sessions {
  connections: number
  /** How many seconds the longest statement of the service has been running. */
  longest_statement: number
}

const readSessions = (db: Database): Promise<Sessions | undefined> =>
  db.one<Sessions>(sql`
    select count(*) as connections,
      ${age(sql`min(query_start) filter (where state = 'active' and pid <> pg_backend_pid())`)} as longest_statement
    from pg_stat_activity where datname = current_database() and application_name like 'goldmaster%'`)

interface Overdue {
  deliveries: number
  outbox: number
}

/** Citus refuses to look for the rows of each integration, which is on every server: there it is the first of each account. */
const oldestDeliveries = async (db: Database): Promise<Sql> =>
  (await db.isDistributed())
    ? sql`outbox_heads h cross join lateral (
        select received_at from deliveries where account_id = h.account_id order by id limit 1) d`
    : sql`integrations i cross join lateral (
        select received_at from deliveries where integration_id = i.id order by received_at limit 1) d`

/** By how many seconds the oldest row is past its retention; a little accumulates between two hourly runs. */
const readOverdue = async (db: Database, { deliveries, outbox }: Retention): Promise<Overdue | undefined> =>
  db.one<Overdue>(
    sql`
    select
      (select ${age(sql`min(d.received_at) + make_interval(days => ${deliveries}::integer)`)} from ${await oldestDeliveries(db)}) as deliveries,
      (select ${age(sql`min(written_at) + make_interval(days => ${outbox}::integer)`)} from (
        select written_at from outbox where position is not null order by written_at limit 1) o) as outbox`,
    ALL,
  )

async function readSchema(db: Database): Promise<number> {
  return (await db.one<{ number: number }>(sql`select max(number) as number from schema_migrations`))!.number
}

export interface Status {
  schema: number
  nodes: Node[]
  sessions: Sessions
  jobs: JobCount[]
  backlog: Backlog
  lanes: Lanes[]
  destinations: DestinationCount[]
  troubles: Trouble[]
  failing: FailingAccount[]
  refused: Refused
  overdue: Overdue
  sizes: Sizes
  backups: Backups
  slow: SlowStatements
}

interface Reading {
  retention: Retention
  /** For frequent readers that don't list them. */
  slow?: () => Promise<SlowStatements>
}

/** Sequential statements: it takes only one connection away from requests. */
export const readStatus = async (db: Database, { retention, slow }: Reading): Promise<Status> => ({
  schema: await readSchema(db),
  nodes: await listNodes(db),
  sessions: (await readSessions(db))!,
  jobs: await countJobs(db, COUNT_MAX),
  backlog: (await readBacklog(db))!,
  lanes: await readLanes(db),
  destinations: await countDestinations(db),
  troubles: await listTroubles(db),
  failing: await listFailing(db, FAILING),
  refused: await readRefused(db),
  overdue: (await readOverdue(db, retention))!,
  sizes: await readSizes(db),
  backups: await readBackups(db),
  slow: await (slow ? slow() : readSlowStatements(db)),
})
