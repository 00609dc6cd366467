import { type Database, join, raw, type Sql, sql } from '../../src/db/database.ts'
import type { Retained } from '../../src/domain/accounts/retention-days.ts'

/**
 * Moves times of the rows `t` of a table whose key is account and id. They are read before they are written: Citus refuses to calculate a
 * time from a column while it writes.
 */
export const moveTimes = (db: Database, table: string, columns: string[], by: Sql, which: Sql = sql`true`): Promise<number> =>
  db.execute(sql`
    with moved as materialized (
      select t.account_id, t.id, ${join(columns.map((name) => sql`t.${raw(name)} + ${by} as ${raw(name)}`))} from ${raw(table)} t where ${which})
    update ${raw(table)} t set ${join(columns.map((name) => sql`${raw(name)} = moved.${raw(name)}`))}
    from moved where t.account_id = moved.account_id and t.id = moved.id`)

/** The parents of the rows of `AGING`. */
export async function makeOwners(db: Database) {
  await db.execute(sql`insert into accounts (id, name) values (1, 'Owl')`)
  await db.execute(sql`insert into users (id, email, name) values (1, 'lead@example.com', 'Lead')`)
  await db.execute(sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall')`)
  await db.execute(sql`
    insert into integrations (id, account_id, project_id, provider, token_hash, token_sealed) values (1, 1, 1, 'github', ${Buffer.alloc(32)}, '')`)
  await db.execute(
    sql`insert into destinations (id, account_id, kind, url) values (1, 1, 'webhook', 'https://a.example'), (2, 1, 'discord', '')`,
  )
}

export const numbers = (count: number) => sql`generate_series(1, ${count}::integer) n`
/** How to create rows of a given age, and how to count them. */
export const AGING: Record<Retained, { fill: (count: number, at: Sql) => Sql; left: Sql }> = {
  bodies: {
    fill: (count, at) => sql`
      insert into deliveries (account_id, integration_id, path, dedupe_key, outcome, status, body, received_at)
      select 1, 1, 'github', gen_random_uuid()::text, 'processed', 200, '{}', ${at} from ${numbers(count)}`,
    left: sql`select from deliveries where body is not null`,
  },
  deliveries: {
    fill: (count, at) => sql`
      insert into deliveries (account_id, integration_id, path, dedupe_key, counts, outcome, status, received_at)
      select 1, 1, 'github', gen_random_uuid()::text, true, 'processed', 200, ${at} from ${numbers(count)}`,
    left: sql`select from deliveries`,
  },
  outbox: {
    fill: (count, at) => sql`
      insert into outbox (position, account_id, project_id, kind, row_id, written_at)
      select coalesce((select max(position) from outbox), 0) + n, 1, 1, 'task', n::text, ${at} from ${numbers(count)}`,
    left: sql`select from outbox`,
  },
  outgoing: {
    fill: (count, at) => sql`
      insert into messages (account_id, destination_id, event_id, position, event_type, payload, status, created_at)
      select 1, 1, gen_random_uuid()::text, nextval(pg_get_serial_sequence('messages', 'id')), 'task.created', '{}', 'delivered', ${at} from ${numbers(count)}`,
    left: sql`select from messages where event_id is not null`,
  },
  channel_messages: {
    fill: (count, at) => sql`
      insert into messages (account_id, destination_id, subject, subject_id, status, created_at)
      select 1, 2, 'test', gen_random_uuid()::text, 'sent', ${at} from ${numbers(count)}`,
    left: sql`select from messages where subject is not null`,
  },
  notifications: {
    fill: (count, at) => sql`
      insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path, at)
      select 1, 1, 1, 'task', 'task', gen_random_uuid()::text, 'Paint', '/', ${at} from ${numbers(count)}`,
    left: sql`select from notifications`,
  },
  mails: {
    fill: (count, at) => sql`
      insert into mails (to_user_id, subject, text, created_at) select 1, 'Hello', 'There', ${at} from ${numbers(count)}`,
    left: sql`select from mails`,
  },
  jobs: {
    fill: (count, at) => sql`
      insert into jobs (owner, kind, payload, state, attempts, last_error, run_at)
      select '', 'ingest', '{}', 'failed', 25, 'It failed.', ${at} from ${numbers(count)}`,
    left: sql`select from jobs where state = 'failed'`,
  },
  test_runs: {
    fill: (count, at) => sql`
      with build as (
          insert into test_builds (account_id, project_id, ci_job_name, build_number)
          select 1, 1, 'Tests', gen_random_uuid()::text from ${numbers(count)} returning id),
        report as (
          insert into test_reports (account_id, project_id, ci_job_name, name, platform, rhi)
          values (1, 1, 'Tests', gen_random_uuid()::text, '', '') returning id)
      insert into test_runs (account_id, test_build_id, test_report_id, passed, failed, errors, skipped, flaky, duration_ms, outcomes, durations, received_at)
      select 1, build.id, report.id, 1, 0, 0, 0, 0, 5, '\\x01', '\\x0005', ${at} from build, report`,
    left: sql`select from test_runs`,
  },
  artifacts: {
    fill: (count, at) => sql`
      with build as (insert into build_runs (account_id, project_id, status) values (1, 1, 'completed') returning id)
      insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
      select 1, 1, build.id, gen_random_uuid()::text, 'one', 1, 1, ${at}, sha256('1') from build, ${numbers(count)}`,
    left: sql`select from artifacts`,
  },
  logs: {
    fill: (count, at) => sql`
      insert into build_runs (account_id, project_id, status, output_log, created_at, finished_at)
      select 1, 1, 'failed', 'error', ${at}, ${at} from ${numbers(count)}`,
    left: sql`select from build_runs where output_log is not null`,
  },
  investigations: {
    fill: (count, at) => sql`
      with build as (insert into build_runs (account_id, project_id, status) values (1, 1, 'failed') returning id)
      insert into investigations (account_id, build_run_id, status, created_at)
      select 1, build.id, 'completed', ${at} from build, ${numbers(count)}`,
    left: sql`select from investigations`,
  },
}
