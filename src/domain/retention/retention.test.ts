import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type Database, openDatabase, raw, type Sql, sql } from '../../db/database.ts'
import { purge, purgeExpired, RETENTION_DEFAULTS, type Retained } from './retention.ts'

let own: TestDatabase
let db: TestDatabase['db']
beforeEach(async () => {
  own = await createDatabase()
  db = own.db
  await db.count(sql`insert into accounts (id, name) values (1, 'Owl')`)
  await db.count(sql`insert into users (id, email, name) values (1, 'lead@example.com', 'Lead')`)
  await db.count(sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall')`)
  await db.count(sql`
    insert into integrations (id, project_id, provider, token_hash, token_sealed) values (1, 1, 'github', ${Buffer.alloc(32)}, '')`)
  await db.count(
    sql`insert into subscriptions (id, account_id, url, secret_sealed, position) values (1, 1, 'https://a.example', '', 0)`,
  )
})
afterEach(() => own.drop())

const DAYS = 10
const numbers = (count: number) => sql`generate_series(1, ${count}::integer) n`
const old = sql`now() - interval '11 days'`

/** How rows of a given age come to be, and how many there are. */
const KINDS: Record<Retained, { fill: (count: number, at: Sql) => Sql; left: Sql }> = {
  bodies: {
    fill: (count, at) => sql`
      insert into deliveries (integration_id, path, dedupe_key, outcome, status, body, received_at)
      select 1, 'github', gen_random_uuid()::text, 'processed', 200, '{}', ${at} from ${numbers(count)}`,
    left: sql`select from deliveries where body is not null`,
  },
  deliveries: {
    fill: (count, at) => sql`
      insert into deliveries (integration_id, path, dedupe_key, counts, outcome, status, received_at)
      select 1, 'github', gen_random_uuid()::text, true, 'processed', 200, ${at} from ${numbers(count)}`,
    left: sql`select from deliveries`,
  },
  outbox: {
    fill: (count, at) => sql`
      insert into outbox (position, account_id, project_id, kind, row_id, written_at)
      select nextval('outbox_position'), 1, 1, 'task', n::text, ${at} from ${numbers(count)}`,
    left: sql`select from outbox`,
  },
  outgoing: {
    fill: (count, at) => sql`
      insert into outgoing (subscription_id, position, event_type, payload, status, created_at)
      select 1, nextval('outbox_position'), 'task.created', '{}', 'delivered', ${at} from ${numbers(count)}`,
    left: sql`select from outgoing`,
  },
  mails: {
    fill: (count, at) => sql`
      insert into mails (to_user_id, subject, text, created_at) select 1, 'Hello', 'There', ${at} from ${numbers(count)}`,
    left: sql`select from mails`,
  },
  jobs: {
    fill: (count, at) => sql`
      with task as (insert into graphile_worker._private_tasks (identifier) values ('ingest')
        on conflict (identifier) do update set identifier = excluded.identifier returning id)
      insert into graphile_worker._private_jobs (task_id, attempts, max_attempts, updated_at)
      select task.id, 25, 25, ${at} from task, ${numbers(count)}`,
    left: sql`select from graphile_worker._private_jobs`,
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
const kinds = Object.keys(RETENTION_DEFAULTS) as Retained[]

/** Notes how many rows each batch purged. */
function counting(db: Database): { db: Database; batches: number[] } {
  const batches: number[] = []
  const one: Database['one'] = async (query, how) => {
    const row = await db.one(query, how)
    batches.push((row as { purged: number }).purged)
    return row as never
  }
  return { db: { ...db, one }, batches }
}

describe.each(kinds)('%s', (kind) => {
  const { fill, left } = KINDS[kind]

  test('twenty thousand that are due go in batches, the young stay', async () => {
    await db.count(fill(20_000, old))
    await db.count(fill(30, sql`now()`))
    const counted = counting(db)
    expect(await purge(counted.db, kind, DAYS, { largestBatch: 1_000 })).toBe(20_000)
    expect(Math.max(...counted.batches)).toBeLessThanOrEqual(1_000)
    expect(await db.rows(left)).toHaveLength(30)
    expect(await purge(db, kind, DAYS)).toBe(0)
  })

  test('kept for good, nothing goes', async () => {
    await db.count(fill(3, old))
    expect(await purge(db, kind, null)).toBe(0)
    expect(await db.rows(left)).toHaveLength(3)
  })
})

test('a run whose time is over leaves the rest to the next', async () => {
  await db.count(KINDS.outbox.fill(2_000, old))
  const first = await purge(db, 'outbox', DAYS, { budget: 1, largestBatch: 100 })
  expect(first).toBeLessThan(2_000)
  expect(first + (await purge(db, 'outbox', DAYS))).toBe(2_000)
})

test('told to stop it ends with its batch', async () => {
  await db.count(KINDS.outbox.fill(200, old))
  expect(await purge(db, 'outbox', DAYS, { signal: AbortSignal.abort() })).toBe(0)
})

test('a batch that takes longer than a statement may is tried again with fewer rows', async () => {
  await db.count(KINDS.deliveries.fill(1_200, old))
  await db.count(sql`
    create function linger() returns trigger language plpgsql as ${raw(`$$
      begin if (select count(*) from gone) > 100 then perform pg_sleep(60); end if; return null; end $$`)}`)
  await db.count(sql`
    create trigger lingers after delete on deliveries referencing old table as gone for each statement execute function linger()`)
  const hasty = openDatabase(own.url, { statementTimeout: 2_000 })
  expect(await purge(hasty, 'deliveries', DAYS, { largestBatch: 500 })).toBe(1_200)
  await hasty.close()
})

test('a body that somebody holds is left for the next run and keeps nobody waiting', async () => {
  await db.count(KINDS.bodies.fill(50, old))
  await db.transaction(async (other) => {
    await other.rows(sql`select id from deliveries order by id limit 1 for update`)
    expect(await purge(db, 'bodies', DAYS)).toBe(49)
  })
  expect(await purge(db, 'bodies', DAYS)).toBe(1)
})

test('a replay outlives the delivery it repeats', async () => {
  await db.count(KINDS.deliveries.fill(1, old))
  await db.count(KINDS.deliveries.fill(1, sql`now()`))
  await db.count(
    sql`update deliveries set replay_of = (select min(id) from deliveries) where id = (select max(id) from deliveries)`,
  )
  expect(await purge(db, 'deliveries', DAYS)).toBe(1)
  expect(await db.rows(sql`select replay_of from deliveries`)).toEqual([{ replay_of: null }])
})

test('what waits to be sent or numbered stays, however old', async () => {
  await db.count(KINDS.outgoing.fill(5, old))
  await db.count(sql`update outgoing set status = 'waiting'`)
  await db.count(KINDS.outbox.fill(5, old))
  await db.count(sql`update outbox set position = null`)
  expect(await purge(db, 'outgoing', DAYS)).toBe(0)
  expect(await purge(db, 'outbox', DAYS)).toBe(0)
})

test('expired sessions, links and codes go by themselves', async () => {
  await db.count(sql`
    insert into sessions (user_id, token, expires_at)
    select 1, n::text, now() + case when n > 700 then 1 else -1 end * interval '1 hour' from ${numbers(705)}`)
  await db.count(sql`insert into verifications (identifier, value, expires_at) values ('a', 'b', now() - interval '1 hour')`)
  await db.count(sql`
    insert into login_codes (hash, user_id, code_challenge, client_name, scopes, expires_at)
    values (${Buffer.alloc(32)}, 1, '', '', '{}', now() - interval '25 hours')`)
  expect(await purgeExpired(db)).toBe(702)
  expect(await db.rows(sql`select from sessions`)).toHaveLength(5)
})
