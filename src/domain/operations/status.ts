import { LANES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { countJobs, dueTimes, type JobCount, LEASES } from '../../db/queue.ts'
import type { Retention } from '../accounts/retention-days.ts'
import { type Backups, readBackups } from './backups.ts'
import { listNodes, type Node } from './nodes.ts'
import { type Refused, readRefused } from './refused-requests.ts'
import { readSizes, type Sizes } from './sizes.ts'
import { readSlowStatements, type SlowStatements } from './slow-statements.ts'

/** How the service is, for whoever runs it: what the operator's page, `admin status` and metrics tell (areas.ts), read from the database. */

/** A longer queue is counted up to here. */
const COUNT_MAX = 100_000

const age = (time: Sql) => sql`coalesce(greatest(0, extract(epoch from now() - (${time}))), 0)::float8`

/** What waits, and for how many seconds. */
interface Backlog {
  oldest_job: number
  outbox: number
  outbound: number
  mails: number
  /** Of these, mails that the mail server refused. */
  failed_mails: number
}

const readBacklog = (db: Database): Promise<Backlog | undefined> =>
  db.one<Backlog>(sql`
    select
      (select ${age(sql`min(run_at)`)} from (${dueTimes} limit ${COUNT_MAX}) due) as oldest_job,
      (select ${age(sql`min(written_at)`)} from (select written_at from outbox where position is null order by id limit 1) unplaced) as outbox,
      (select ${age(sql`min(waiting.created_at)`)} from subscriptions s cross join lateral (
        select created_at from outgoing where subscription_id = s.id and status = 'waiting' order by turn limit 1) waiting
        where s.status = 'active') as outbound,
      (select count(*) from (select from mails where sent_at is null limit ${COUNT_MAX}) unsent) as mails,
      (select count(*) from (select from mails where sent_at is null and error <> '' limit ${COUNT_MAX}) failed) as failed_mails`)

interface DestinationCount {
  kind: 'channel' | 'webhook'
  status: string
  count: number
  /** Of these, where nothing has got through lately. */
  failing: number
}

const countDestinations = (db: Database): Promise<DestinationCount[]> =>
  db.rows<DestinationCount>(sql`
    select 'channel' as kind, status, count(*) as count, count(failing_since) as failing from channels group by status
    union all
    select 'webhook', status, count(*), count(failing_since) from subscriptions group by status
    order by 1, 2`)

/** A channel or webhook that doesn't get through, or doesn't know whether it did. */
interface Trouble {
  kind: 'channel' | 'webhook'
  account_id: number
  account: string
  /** Of a webhook its host: the rest of its address may be a secret. */
  name: string
  status: string
  failing_since: string | null
  /** Messages of which nobody knows whether the chat has them. */
  uncertain: number
}

const TROUBLES = 20

const listTroubles = (db: Database): Promise<Trouble[]> =>
  db.rows<Trouble>(sql`
    with uncertain as (select channel_id, count(*) as messages from channel_messages where status = 'uncertain' group by channel_id)
    select found.*, a.name as account from (
      select 'channel' as kind, account_id, name, status, failing_since, coalesce(u.messages, 0) as uncertain
      from channels c left join uncertain u on u.channel_id = c.id
      where status not in ('active', 'paused') or failing_since is not null or u.messages > 0
      union all
      select 'webhook', account_id, substring(url from '://(?:[^/@]*@)?([^/:?#]+)'), status, failing_since, 0 from subscriptions
      where status not in ('active', 'paused') or failing_since is not null) found
    join accounts a on a.id = found.account_id
    order by failing_since nulls last, account_id, kind, name limit ${TROUBLES}`)

/** Queues that are worked off one message after the other. */
interface Lanes {
  lane: (typeof LANES)[number]
  /** Lanes under way on all nodes. */
  active: number
  /** Messages that wait; null where they are not counted. */
  waiting: number | null
}

const WAITING: Partial<Record<keyof typeof LEASES, Sql>> = {
  webhooks: sql`select from outgoing where status = 'waiting'`,
  channels: sql`select from channel_messages where status in ('waiting', 'sending')`,
}

async function readLanes(db: Database): Promise<Lanes[]> {
  const lanes: Lanes[] = []
  for (const lane of LANES) {
    const waiting = WAITING[lane] ? sql`(select count(*) from (${WAITING[lane]} limit ${COUNT_MAX}) waiting)` : sql`null::bigint`
    const found = await db.one<Omit<Lanes, 'lane'>>(sql`
      select ${waiting} as waiting,
        (select count(*) from pg_locks where locktype = 'advisory' and granted and classid = ${LEASES[lane]}::bigint::oid
          and database = (select oid from pg_database where datname = current_database())) as active`)
    lanes.push({ lane, ...found! })
  }
  return lanes
}

interface Sessions {
  connections: number
  /** Seconds for which the longest statement of the service has been running. */
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

/** By how many seconds the oldest is older than it may get; a little is what comes between two hourly runs. */
const readOverdue = (db: Database, { deliveries, outbox }: Retention): Promise<Overdue | undefined> =>
  db.one<Overdue>(sql`
    select
      (select ${age(sql`min(d.received_at) + make_interval(days => ${deliveries}::integer)`)} from integrations i cross join lateral (
        select received_at from deliveries where integration_id = i.id order by received_at limit 1) d) as deliveries,
      (select ${age(sql`min(written_at) + make_interval(days => ${outbox}::integer)`)} from (
        select written_at from outbox where position is not null order by written_at limit 1) o) as outbox`)

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
  refused: Refused
  overdue: Overdue
  sizes: Sizes
  backups: Backups
  slow: SlowStatements
}

interface Reading {
  retention: Retention
  /** For whoever reads often and doesn't list them. */
  slow?: () => Promise<SlowStatements>
}

/** One statement after the other: it takes no connections away from requests. */
export const readStatus = async (db: Database, { retention, slow }: Reading): Promise<Status> => ({
  schema: await readSchema(db),
  nodes: await listNodes(db),
  sessions: (await readSessions(db))!,
  jobs: await countJobs(db, COUNT_MAX),
  backlog: (await readBacklog(db))!,
  lanes: await readLanes(db),
  destinations: await countDestinations(db),
  troubles: await listTroubles(db),
  refused: await readRefused(db),
  overdue: (await readOverdue(db, retention))!,
  sizes: await readSizes(db),
  backups: await readBackups(db),
  slow: await (slow ? slow() : readSlowStatements(db)),
})
