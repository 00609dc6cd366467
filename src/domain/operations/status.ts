import { type Database, type Sql, sql } from '../../db/database.ts'
import { ASKS, SILENT } from '../../db/queue.ts'
import type { Retention } from '../retention/retention.ts'

/** How the service is, for whoever runs it: the same figures for `admin status` and for metrics, one statement for each. */

/** A longer queue is counted up to here. */
const COUNT_MAX = 100_000

interface JobCount {
  kind: string
  state: 'running' | 'failed' | 'retrying' | 'scheduled' | 'waiting'
  count: number
}

export const countJobs = (db: Database): Promise<JobCount[]> =>
  db.rows<JobCount>(sql`
    select task_identifier as kind, count(*) as count,
      case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed'
        when attempts > 0 then 'retrying' when run_at > now() then 'scheduled' else 'waiting' end as state
    from (select * from graphile_worker.jobs limit ${COUNT_MAX}) jobs group by 1, 3 order by 1, 3`)

const age = (time: Sql) => sql`coalesce(greatest(0, extract(epoch from now() - ${time})), 0)::float8`

/** What waits, and for how many seconds. */
interface Backlog {
  oldest_job: number
  outbox: number
  outbound: number
  mails: number
  /** Servers that don't answer and are left alone for now. */
  silent_servers: number
}

export const readBacklog = (db: Database): Promise<Backlog | undefined> =>
  db.one<Backlog>(sql`
    select
      (select ${age(sql`min(run_at)`)} from (
        select run_at from graphile_worker._private_jobs where is_available and run_at <= now() and attempts < max_attempts
        limit ${COUNT_MAX}) due) as oldest_job,
      (select ${age(sql`min(written_at)`)} from (select written_at from outbox where position is null order by id limit 1) unplaced) as outbox,
      (select ${age(sql`min(waiting.created_at)`)} from subscriptions s cross join lateral (
        select created_at from outgoing where subscription_id = s.id and status = 'waiting' order by turn limit 1) waiting
        where s.status = 'active') as outbound,
      (select count(*) from (select from mails where sent_at is null limit ${COUNT_MAX}) unsent) as mails,
      (select count(distinct flag) from (
        select flags from graphile_worker._private_jobs where run_at > now() and flags is not null and last_error = ${SILENT}
        limit ${COUNT_MAX}) postponed, jsonb_object_keys(flags) flag where starts_with(flag, ${ASKS})) as silent_servers`)

interface DestinationCount {
  kind: 'channel' | 'webhook'
  status: string
  count: number
  /** Of these, where nothing has got through lately. */
  failing: number
}

export const countDestinations = (db: Database): Promise<DestinationCount[]> =>
  db.rows<DestinationCount>(sql`
    select 'channel' as kind, status, count(*) as count, count(failing_since) as failing from channels group by status
    union all
    select 'webhook', status, count(*), count(failing_since) from subscriptions group by status
    order by 1, 2`)

interface Sessions {
  /** Machines with connections of the service; those over a socket count as one. */
  nodes: number
  connections: number
  /** Seconds for which the longest statement of the service has been running. */
  longest_statement: number
}

export const readSessions = (db: Database): Promise<Sessions | undefined> =>
  db.one<Sessions>(sql`
    select count(distinct coalesce(host(client_addr), '')) as nodes, count(*) as connections,
      ${age(sql`min(query_start) filter (where state = 'active' and pid <> pg_backend_pid())`)} as longest_statement
    from pg_stat_activity where datname = current_database() and application_name like 'goldmaster%'`)

interface TableSize {
  table: string
  bytes: number
}

const LARGEST = 8

/** The whole database, and its largest tables with their indexes. */
export async function readSizes(db: Database): Promise<{ bytes: number; tables: TableSize[] }> {
  const tables = await db.rows<TableSize>(sql`
    select relname as table, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by bytes desc limit ${LARGEST}`)
  const whole = await db.one<{ bytes: number }>(sql`select pg_database_size(current_database()) as bytes`)
  return { bytes: whole!.bytes, tables }
}

interface Overdue {
  deliveries: number
  outbox: number
}

/** By how many seconds the oldest is older than it may get; a little is what comes between two hourly runs. */
export const readOverdue = (db: Database, { deliveries, outbox }: Retention): Promise<Overdue | undefined> =>
  db.one<Overdue>(sql`
    select
      (select ${age(sql`min(d.received_at) + make_interval(days => ${deliveries}::integer)`)} from integrations i cross join lateral (
        select received_at from deliveries where integration_id = i.id order by received_at limit 1) d) as deliveries,
      (select ${age(sql`min(written_at) + make_interval(days => ${outbox}::integer)`)} from (
        select written_at from outbox where position is not null order by written_at limit 1) o) as outbox`)

export async function readSchema(db: Database): Promise<number> {
  return (await db.one<{ number: number }>(sql`select max(number) as number from schema_migrations`))!.number
}
