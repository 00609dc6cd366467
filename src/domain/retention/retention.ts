import { type Database, type Sql, sql } from '../../db/database.ts'
import { type Batch, type Pace, type Purge, purgeInBatches } from './purge.ts'

/** For how many days what is kept; null keeps it for good. */
export const RETENTION_DEFAULTS = {
  /** Bodies of deliveries; without its body a delivery cannot be replayed. */
  bodies: 30,
  /** The delivery log; a delivery that comes again after this time counts as a new one. */
  deliveries: 180,
  /** What happened, for streams that resume and webhooks that catch up. */
  outbox: 7,
  /** Finished messages of outbound webhooks with their attempts. */
  outgoing: 30,
  /** Messages to chat channels with their attempts; after this time one is not changed any more. */
  channel_messages: 90,
  notifications: 90,
  mails: 30,
  /** Jobs that were given up, so that somebody can ask why. */
  jobs: 30,
  logs: null,
  investigations: null,
} satisfies Record<string, number | null>

export type Retained = keyof typeof RETENTION_DEFAULTS
export type Retention = Record<Retained, number | null>

/**
 * Rows are named by where they stand: a batch that is joined by its ids may be planned as a scan of the whole table. What somebody
 * else has locked is left for the next time.
 */
const deleting = (table: Sql, due: (batch: Batch) => Sql): Purge => {
  return (batch) => sql`
    with gone as (delete from ${table} where ctid = any (array(
      select ctid from ${table} where ${due(batch)} limit ${batch.size} for update skip locked)) returning 1)
    select count(*) as purged, null::bigint as last from gone`
}

/** Along the ids, for rows without an index by age: each batch looks at a bounded number of rows. */
const walking = (table: Sql, due: (batch: Batch) => Sql, deed: Sql): Purge => {
  return (batch) => sql`
    with seen as materialized (select id from ${table} where id > ${batch.after} order by id limit ${batch.size}),
      gone as (${deed} where id = any (array(select id from seen)) and ${due(batch)} returning 1)
    select (select count(*) from gone) as purged, (select max(id) from seen having count(*) = ${batch.size}) as last`
}

const PURGES: Record<Retained, Purge> = {
  bodies: ({ before, size }) => sql`
    with gone as (update deliveries set body = null, facts = null where ctid = any (array(
      select ctid from deliveries where body is not null and received_at < ${before}
      order by received_at limit ${size} for update skip locked)) returning 1)
    select count(*) as purged, null::bigint as last from gone`,
  deliveries: deleting(sql`deliveries`, ({ before }) => sql`received_at < ${before} order by received_at`),
  outbox: deleting(sql`outbox`, ({ before }) => sql`position is not null and written_at < ${before} order by written_at`),
  outgoing: deleting(sql`outgoing`, ({ before }) => sql`status <> 'waiting' and created_at < ${before}`),
  channel_messages: walking(
    sql`channel_messages`,
    ({ before }) => sql`status not in ('waiting', 'sending') and coalesce(sent_at, created_at) < ${before}`,
    sql`delete from channel_messages`,
  ),
  notifications: walking(sql`notifications`, ({ before }) => sql`at < ${before}`, sql`delete from notifications`),
  mails: deleting(sql`mails`, ({ before }) => sql`created_at < ${before}`),
  // Along the ids too: an index of ours has no place in the queue's own schema.
  jobs: walking(
    sql`graphile_worker._private_jobs`,
    ({ before }) => sql`attempts >= max_attempts and locked_at is null and updated_at < ${before}`,
    sql`delete from graphile_worker._private_jobs`,
  ),
  logs: walking(
    sql`build_runs`,
    ({ before }) => sql`output_log is not null and coalesce(finished_at, updated_at) < ${before}`,
    sql`update build_runs set output_log = null`,
  ),
  investigations: walking(
    sql`investigations`,
    ({ before }) => sql`status not in ('pending', 'running') and created_at < ${before}`,
    sql`delete from investigations`,
  ),
}

/** What expires by itself; no setting changes it. */
const EXPIRED: Purge[] = [
  deleting(sql`idempotency_keys`, () => sql`created_at < now() - interval '24 hours'`),
  deleting(sql`sessions`, () => sql`expires_at < now()`),
  deleting(sql`verifications`, () => sql`expires_at < now()`),
  // Of builds whose end nobody told. Afterwards a repeated piece is told that the build has its log.
  deleting(sql`build_log_streams`, () => sql`received_at < now() - interval '30 days'`),
  deleting(sql`login_codes`, () => sql`expires_at < now() - interval '1 day'`),
  deleting(sql`refresh_tokens`, () => sql`expires_at < now()`),
]

/** Purges what is older than its days, in short transactions; returns how many rows that were. */
export const purge = (db: Database, kind: Retained, days: number | null, pace: Pace = {}): Promise<number> =>
  days === null ? Promise.resolve(0) : purgeInBatches(db, [PURGES[kind]], sql`now() - make_interval(days => ${days})`, pace)

export const purgeExpired = (db: Database, pace: Pace = {}): Promise<number> => purgeInBatches(db, EXPIRED, sql`now()`, pace)
