import { RETENTION_KINDS, type RetentionKind } from '../../contract/sets.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { givenUpBefore } from '../../db/queue.ts'
import type { Retained } from '../accounts/retention-days.ts'
import { replacing } from '../builds/stored-log.ts'
import { artifactsBeyondCount } from './kept-artifacts.ts'
import { type Batch, COUNTED, isOf, type Pace, type Purge, purgeInBatches } from './purge.ts'

/** Older rows are due, for the account in the row `a`: by its own retention, but never later than by the service's. */
const cutoff = (kind: Retained, days: number | null) =>
  sql`now() - make_interval(days => least(${days}::integer, (a.retention->>${kind})::integer))`

/**
 * Rows are identified by ctid: a batch that is joined by ids may be planned as a scan of the whole table. Locked rows are left for the next
 * run.
 */
const deleting = (table: string, due: (batch: Batch) => Sql): Purge => ({
  table,
  statement: (batch) =>
    batch.central
      ? sql`
    with gone as (
      delete from ${raw(table)} where ctid = any (array(select ctid from ${raw(table)} where ${due(batch)} limit ${batch.size})) returning 1)
    select count(*) as purged, count(*) = ${batch.size} as more from gone`
      : sql`
    with due as materialized (
        select ctid as row from ${raw(table)} where ${isOf(batch)} and ${due(batch)} limit ${batch.size} for update skip locked),
      gone as (delete from ${raw(table)} where ${isOf(batch)} and ctid = any (array(select row from due)) returning 1)
    ${COUNTED}`,
})

/** From owner to owner, each by the retention of its account. Unordered: a backlog of one owner delays nobody else. */
const byOwner = (owners: Sql, table: string, due: (batch: Batch) => Sql, deed: Sql): Purge => ({
  table,
  statement: (batch) => sql`
    with due as materialized (
        select found.row from (${owners} where ${isOf(batch, 'a.id')} order by random()) a
        cross join lateral (
          select ctid as row from ${raw(table)} where ${isOf(batch)} and ${due(batch)} limit ${batch.size} for update skip locked) found
        limit ${batch.size}),
      gone as (${deed} where ${isOf(batch)} and ctid = any (array(select row from due)) returning 1)
    ${COUNTED}`,
})

const accounts = sql`select a.id, a.retention from accounts a`
const integrations = sql`
  select i.account_id, i.id, a.retention from integrations i join accounts a on a.id = i.account_id`
const destinations = (kinds: Sql) =>
  sql`select d.id, a.retention from destinations d join accounts a on a.id = d.account_id and ${kinds}`

const PURGES: Record<Retained, Purge | Purge[]> = {
  // In the row or in object storage: an index each.
  bodies: ['body', 'body_object'].map((column) =>
    byOwner(
      integrations,
      'deliveries',
      ({ before }) =>
        sql`account_id = a.account_id and integration_id = a.id and ${raw(column)} is not null and received_at < ${before} order by received_at`,
      sql`update deliveries set body = null, body_object = null, facts = null`,
    ),
  ),
  deliveries: byOwner(
    integrations,
    'deliveries',
    ({ before }) => sql`account_id = a.account_id and integration_id = a.id and received_at < ${before} order by received_at`,
    sql`delete from deliveries`,
  ),
  outbox: deleting('outbox', ({ before }) => sql`position is not null and written_at < ${before} order by written_at`),
  outgoing: byOwner(
    destinations(sql`d.kind = 'webhook'`),
    'messages',
    ({ before }) =>
      sql`destination_id = a.id and status not in ('waiting', 'sending') and created_at < ${before} order by created_at`,
    sql`delete from messages`,
  ),
  channel_messages: byOwner(
    destinations(sql`d.kind not in ('webhook', 'audit_stream')`),
    'messages',
    // Edited rows stay until the edit is that old.
    ({ before }) =>
      sql`destination_id = a.id and status not in ('waiting', 'sending') and created_at < ${before} and coalesce(finished_at, created_at) < ${before}
        order by created_at`,
    sql`delete from messages`,
  ),
  notifications: byOwner(
    accounts,
    'notifications',
    ({ before }) => sql`account_id = a.id and at < ${before} order by at`,
    sql`delete from notifications`,
  ),
  mails: deleting('mails', ({ before }) => sql`created_at < ${before}`),
  jobs: deleting('jobs', ({ before }) => sql`${givenUpBefore(before)} order by run_at`),
  test_runs: deleting('test_runs', ({ before }) => sql`received_at < ${before} order by received_at`),
  artifacts: byOwner(
    accounts,
    'artifacts',
    ({ before }) => sql`account_id = a.id and completed_at < ${before} order by completed_at`,
    sql`delete from artifacts`,
  ),
  // Large, small, only in object storage: parts of one index.
  logs: ['true', 'false', 'unknown'].map((isLarge) =>
    byOwner(
      accounts,
      'build_runs',
      ({ before }) => sql`account_id = a.id and (output_log is not null or log_object is not null)
        and (octet_length(output_log) >= 16384) is ${raw(isLarge)} and happened_at < ${before}
        and coalesce(finished_at, updated_at) < ${before} order by happened_at`,
      sql`update build_runs set ${replacing(sql`null`)}`,
    ),
  ),
  investigations: byOwner(
    accounts,
    'investigations',
    ({ before }) =>
      sql`account_id = a.id and status not in ('pending', 'running') and created_at < ${before} order by created_at`,
    sql`delete from investigations`,
  ),
}

/** Rows that expire by themselves, independent of settings. */
const EXPIRED: Purge[] = [
  deleting('idempotency_keys', () => sql`created_at < now() - interval '24 hours'`),
  deleting('sessions', () => sql`expires_at < now()`),
  deleting('verifications', () => sql`expires_at < now()`),
  // For builds whose end was never reported. After that, a repeated piece gets the reply that the build has its log.
  deleting('build_log_streams', () => sql`received_at < now() - interval '30 days'`),
  // Uploads that stopped: they count against the quota.
  deleting('artifacts', () => sql`completed_at is null and updated_at < now() - interval '1 day'`),
  artifactsBeyondCount,
  deleting('share_links', () => sql`expires_at < now()`),
  // Their creator may no longer create them: they are refused already, and must not work again.
  deleting(
    'share_links',
    () => sql`not exists (select from project_access p where p.account_id = share_links.account_id and p.project_id = share_links.project_id
      and p.user_id = share_links.user_id and may_share(p.share_policy, p.account_role, p.project_role))`,
  ),
  // Nobody builds a commit that old, and a comment is found by its mark.
  // Of test runs that are over by then.
  deleting('result_addresses', () => sql`updated_at < now() - interval '30 days'`),
  deleting('import_etags', () => sql`read_at < now() - interval '7 days'`),
  deleting('write_backs', () => sql`updated_at < now() - interval '180 days'`),
  // Deleted tasks with what hangs on them, and their history, which does not refer to them.
  {
    table: 'tasks',
    statement: (batch) => sql`
    with due as materialized (
        select ctid as row from tasks where ${isOf(batch)} and deleted_at < now() - interval '30 days'
        order by deleted_at limit ${batch.size} for update skip locked),
      gone as (delete from tasks where ${isOf(batch)} and ctid = any (array(select row from due)) returning account_id, id),
      history as (
        delete from task_history h using gone g
        where ${isOf(batch, 'h.account_id')} and h.account_id = g.account_id and h.task_id = g.id)
    ${COUNTED}`,
  },
  // In chunks, since a file may be large.
  deleting('export_chunks', () => sql`(account_id, export_id) in (select account_id, id from exports where expires_at < now())`),
  deleting(
    'exports',
    () =>
      sql`expires_at < now() and not exists (select from export_chunks c where c.account_id = exports.account_id and c.export_id = exports.id)`,
  ),
  deleting('oauth_codes', () => sql`expires_at < now() - interval '1 day'`),
  deleting('refresh_tokens', () => sql`expires_at < now()`),
  // Data for the operator only, with addresses.
  deleting('refused_requests', () => sql`day < current_date - 7`),
  // What is not tried again has nothing left to do.
  deleting('failing_accounts', () => sql`rest_until < now() - interval '1 day'`),
  deleting('daily_sizes', () => sql`day < current_date - 400`),
  deleting('nodes', () => sql`seen_at < now() - interval '1 day'`),
  deleting('backups', () => sql`started_at < now() - interval '30 days' and (status = 'failed' or removed_at is not null)`),
]

const isOfAccounts = (kind: Retained): kind is RetentionKind => (RETENTION_KINDS as readonly string[]).includes(kind)

/** Purges rows past their retention in the service or in their account, in short transactions; returns how many. */
export async function purge(db: Database, kind: Retained, days: number | null, pace: Pace = {}): Promise<number> {
  if (!isOfAccounts(kind))
    return days === null ? 0 : purgeInBatches(db, [PURGES[kind]].flat(), sql`now() - make_interval(days => ${days})`, pace)
  if (days === null && !(await db.one(sql`select from accounts where retention ? ${kind} limit 1`))) return 0
  return purgeInBatches(db, [PURGES[kind]].flat(), cutoff(kind, days), pace)
}

export const purgeExpired = (db: Database, pace: Pace = {}): Promise<number> => purgeInBatches(db, EXPIRED, sql`now()`, pace)
