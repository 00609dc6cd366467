import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createEmptyDatabase } from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'
import { type Database, raw, sql } from './database.ts'
import { migrate } from './migrate.ts'
import { migrationOf, migrations } from './migration-files.ts'

const ROWS = 5_000
/** The longest time that a statement of a node of the previous version may wait for a lock. */
const LOCK_TIMEOUT_MS = 4_000

const TABLES = [
  'deliveries',
  'changes',
  'build_runs',
  'tasks',
  'assets',
  'approvals',
  'deployments',
  'outbox',
  'messages',
  'mails',
]

/** Rows as a node writes them, `count` of each kind. */
const fill = (count: number) => {
  const numbers = sql`generate_series(1, ${count}::integer) n`
  return [
    sql`
      insert into deliveries (account_id, integration_id, path, dedupe_key, counts, outcome, status, headers, body)
      select 1, 1, 'github', gen_random_uuid()::text, true, 'processed', 200, '{"user-agent": "GitHub"}', '{"commits": []}' from ${numbers}`,
    sql`
      insert into changes (account_id, project_id, integration_id, identifier, source_type, author, description, files)
      select 1, 1, 1, md5(gen_random_uuid()::text), 'GitCommit', 'ada@example.com', 'Fix it', '[{"path": "a.uasset", "action": "edit"}]'
      from ${numbers}`,
    sql`
      insert into build_runs (account_id, project_id, integration_id, status, ci_job_name, build_number, output_log)
      select 1, 1, 1, 'failed', 'night', gen_random_uuid()::text, 'error C2065' from ${numbers}`,
    sql`insert into tasks (account_id, project_id, title, description) select 1, 1, 'Task ' || n, 'Do it' from ${numbers}`,
    sql`
      with made as (
        insert into assets (account_id, project_id, name, path, asset_type)
        select 1, 1, 'hero', gen_random_uuid()::text, 'texture' from ${numbers} returning id)
      insert into approvals (account_id, project_id, asset_id) select 1, 1, id from made`,
    sql`
      insert into messages (account_id, destination_id, event_id, position, event_type, payload)
      select 1, 1, gen_random_uuid()::text, nextval(pg_get_serial_sequence('messages', 'id')), 'task.created', '{}' from ${numbers}`,
    sql`insert into mails (to_user_id, subject, text) select 1, 'Hello', 'There' from ${numbers}`,
  ]
}

const WORLD = [
  sql`insert into accounts (id, name) values (1, 'Owl')`,
  sql`insert into users (id, email, name) values (1, 'lead@example.com', 'Lead')`,
  sql`insert into account_members (account_id, user_id, role) values (1, 1, 'owner')`,
  sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall')`,
  sql`
    insert into integrations (id, account_id, project_id, provider, token_hash, token_sealed)
    values (1, 1, 1, 'github', decode(repeat('00', 32), 'hex'), '')`,
  sql`insert into destinations (id, account_id, kind, url) values (1, 1, 'webhook', 'https://a.example')`,
]

/** Reads and writes like the previous version, repeatedly, until stopped. */
async function serve(db: Database, isOver: () => boolean): Promise<number> {
  let requests = 0
  while (!isOver()) {
    await db.transaction(
      async (db) => {
        for (const statement of fill(1)) await db.execute(statement)
      },
      { lockTimeout: LOCK_TIMEOUT_MS },
    )
    await db.transaction(
      async (db) => {
        for (const table of TABLES) await db.rows(sql`select t.id from (select * from ${raw(table)}) t limit 10`)
        await db.execute(sql`update tasks set title = 'edited', updated_at = now() where id = (select max(id) from tasks)`)
      },
      { lockTimeout: LOCK_TIMEOUT_MS },
    )
    requests += 2
    // The load of a small studio, not the maximum: the migration needs its share of a slow machine.
    await sleep(50)
  }
  return requests
}

/** What a next release might add: a column and an index for every table. */
const NEXT = [
  ...migrations(),
  migrationOf('9000_columns.sql', TABLES.map((table) => `alter table ${table} add column mood text`).join(';')),
  migrationOf(
    '9001_indexes.sql',
    `-- online\n${TABLES.map((table) => `create index concurrently if not exists ${table}_mood on ${table} (mood)`).join(';')}`,
  ),
]

test('a filled database is migrated while nodes of the previous version serve requests and a dump runs', async () => {
  const { url, db, drop } = await createEmptyDatabase()
  await migrate(url)
  for (const statement of [...WORLD, ...fill(ROWS)]) await db.execute(statement)

  const dump = new pg.Client({ connectionString: url, application_name: 'pg_dump' })
  await dump.connect()
  await dump.query(`begin isolation level repeatable read; lock table ${TABLES.join(', ')} in access share mode`)
  let over = false
  const nodes = [1, 2, 3].map(() => serve(db, () => over))

  let waits = 0
  const log = { info: () => {}, warn: () => void waits++ }
  const migrating = migrate(url, log as never, NEXT)
  await Promise.race([until(() => waits > 0), migrating])
  await dump.query('commit')
  await dump.end()
  const { applied } = await migrating
  over = true
  const requests = await Promise.all(nodes)

  expect(applied).toBe(2)
  expect(Math.min(...requests)).toBeGreaterThan(0)
  // It continues with the newer schema.
  for (const statement of fill(1)) await db.execute(statement)
  for (const table of ['deliveries', 'changes', 'tasks', 'mails'])
    expect((await db.rows(sql`select from ${raw(table)}`)).length).toBeGreaterThan(ROWS)
  expect(await db.rows(sql`select kind from outbox where event_type is null or happened_at is null or facts is null`)).toEqual([])
  expect(await migrate(url, undefined, NEXT)).toEqual({ applied: 0, fresh: false })
  await drop()
})
