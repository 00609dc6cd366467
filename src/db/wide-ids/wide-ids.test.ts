import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { dump } from '../backup/dump.ts'
import { restore } from '../backup/restore.ts'
import { type Database, isConnectionError, openDatabase, raw, sql } from '../database.ts'
import { migrate } from '../migrate.ts'
import { migrations } from '../migration-files.ts'

const WIDENING = 100
const BEFORE = migrations().filter(({ number }) => number < 99)
const ROWS = 5_000
/** As long as a node of the version before waits for a lock at most. */
const LOCK_TIMEOUT_MS = 4_000

const WORLD = [
  sql`insert into accounts (id, name) values (1, 'Owl')`,
  sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall')`,
  sql`
    insert into changes (account_id, project_id, identifier, source_type, author)
    select 1, 1, 'old ' || n, 'GitCommit', 'ada' from generate_series(1, ${ROWS}::integer) n`,
  sql`
    insert into build_runs (account_id, project_id, status, ci_job_name, build_number, output_log)
    select 1, 1, 'failed', 'night', n::text, 'error C2065' from generate_series(1, 200) n`,
  sql`update build_runs set fixed_build_run_id = id - 1 where id % 10 = 0`,
  sql`insert into build_steps (build_run_id, name, status) select id, 'cook', 'failed' from build_runs`,
  sql`insert into investigations (account_id, build_run_id) select 1, id from build_runs`,
  sql`insert into tasks (account_id, project_id, title, labels) select 1, 1, 'Task ' || n, '{ui}' from generate_series(1, 500) n`,
  sql`insert into task_changes (task_id, change_id) select t.id, c.id from tasks t join changes c using (id)`,
  sql`
    insert into change_branches (account_id, project_id, branch, change_id)
    select 1, 1, 'main', id from changes where id <= 1000`,
]

let own: TestDatabase
let copy: TestDatabase
/** One that was never anything but new. */
let fresh: TestDatabase
beforeEach(async () => {
  ;[own, copy, fresh] = await Promise.all([createEmptyDatabase(), createEmptyDatabase(), createDatabase()])
  await migrate(own.url, undefined, BEFORE)
  for (const statement of WORLD) await own.db.execute(statement)
})
afterEach(() => Promise.all([own, copy, fresh].map((one) => one.drop())))

/** What nobody writes to any more, in all tables with their references. */
async function imageOf(db: Database): Promise<string> {
  const hash = createHash('sha256')
  for (const text of [
    `select id, identifier, created_at from changes where identifier like 'old %' order by id`,
    'select id, fixed_build_run_id from build_runs where id <= 200 order by id',
    'select id, build_run_id from build_steps where build_run_id <= 200 order by id',
    'select id, build_run_id from investigations order by id',
    'select id, title from tasks where id <= 500 order by id',
    'select task_id, change_id from task_changes where task_id <= 500 order by 1, 2',
    'select task_id, label from task_labels where task_id <= 500 order by 1, 2',
    'select change_id, branch, position from change_branches where change_id <= 1000 order by 1',
  ])
    hash.update(JSON.stringify(await db.rows(raw(text))))
  return hash.digest('hex')
}

/** A node of the version before: writes, reads back and counts what was acknowledged, until told to stop. */
async function serve(url: string, name: string, isOver: () => boolean) {
  const db = openDatabase(url, { max: 2 })
  const kept: { id: number; identifier: string }[] = []
  let refused = 0
  for (let n = 0; !isOver(); n++) {
    const identifier = `${name} ${n}`
    try {
      await db.transaction(
        async (db) => {
          const change = (await db.one<{ id: number }>(sql`
            insert into changes (account_id, project_id, identifier, source_type) values (1, 1, ${identifier}, 'GitCommit') returning id`))!
          const task = (await db.one<{ id: number }>(sql`
            insert into tasks (account_id, project_id, title, labels) values (1, 1, ${identifier}, '{new}') returning id`))!
          await db.execute(sql`insert into task_changes (task_id, change_id) values (${task.id}, ${change.id})`)
          await db.execute(sql`update changes set author = ${name} where id = (select min(id) + ${n} from changes)`)
          kept.push({ id: change.id, identifier })
        },
        { lockTimeout: LOCK_TIMEOUT_MS },
      )
      await db.one(sql`select id, author from changes order by id desc limit 1`)
    } catch (error) {
      // As after a restart of PostgreSQL: 503 for those who asked just then, and a new connection.
      if (!isConnectionError(error)) throw error
      if (kept.at(-1)?.identifier === identifier && !(await isThere(own.db, identifier))) kept.pop()
      refused++
    }
    // As many requests as a small studio sends: the migration is to get its share of a slow machine.
    await sleep(20)
  }
  await db.close()
  return { kept, refused }
}

/** The swap ends the connections that rest here as well, and one may be handed out before it is known to be gone. */
async function insist<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!isConnectionError(error)) throw error
    return insist(ask)
  }
}

const isThere = async (db: Database, identifier: string) =>
  (await insist(() => db.one(sql`select from changes where identifier = ${identifier}`))) !== undefined

test('ids become 64 bits wide while nodes of the version before read and write, interrupted and taken up again', async () => {
  const [before, shape] = [await imageOf(own.db), await shapeOf(fresh.db)]
  let over = false
  const nodes = ['ada', 'bob'].map((name) => serve(own.url, name, () => over))
  const failed = Promise.race(nodes)
  failed.catch(() => {})

  // It comes as far as the last of the rows, and waits there.
  const holder = new pg.Client({ connectionString: own.url })
  await holder.connect()
  await holder.query(`
    create function hold() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1); return new; end $$;
    create trigger hold before update on changes for each row when (old.identifier = 'old ${ROWS}') execute function hold();
    select pg_advisory_lock(1)`)
  const interrupted = expect(migrate(own.url)).rejects.toThrow('0100_wide_ids.sql failed')
  const filled = sql`select count(*) as count from changes where identifier like 'old %' and to_jsonb(changes) ->> 'id_wide' = id::text`
  await until(async () => (await own.db.one<{ count: number }>(filled))!.count > ROWS / 4)
  await own.db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'goldmaster migrate'`)
  await interrupted
  await holder.query('drop trigger hold on changes; drop function hold()')
  await holder.end()
  expect(
    await own.db.one(sql`select to_jsonb(changes) ->> 'id_wide' as id from changes where identifier = ${`old ${ROWS}`}`),
  ).toEqual({ id: null })
  // A copy of that moment has both columns.
  await restore(copy.url, dump(own.url, { secretKey: null }), { log: { info: () => {}, warn: () => {} } as never })

  expect(await migrate(own.url)).toMatchObject({ applied: migrations().filter(({ number }) => number >= WIDENING).length })
  const count = async () => (await insist(() => own.db.one<{ count: number }>(sql`select count(*) as count from changes`)))!.count
  const written = await count()
  // They go on against the newer schema, or say what keeps them from it.
  await Promise.race([until(async () => (await count()) > written + 10), failed])
  over = true
  for (const { kept, refused } of await Promise.all(nodes)) {
    expect(kept.length).toBeGreaterThan(0)
    // Once for each connection that was busy in the moment of the swap.
    expect(refused).toBeLessThanOrEqual(2)
    const found = await own.db.rows(sql`
      select id, identifier from changes where identifier = any (${kept.map(({ identifier }) => identifier)}) order by id`)
    expect(found).toEqual(kept)
  }
  expect(await imageOf(own.db)).toBe(before)
  expect(await imageOf(copy.db)).toBe(before)
  for (const { db } of [own, copy]) {
    expect(await shapeOf(db)).toEqual(shape)
    expect(await db.rows(sql`select conname from pg_constraint where not convalidated`)).toEqual([])
    expect(await db.rows(sql`select relname from pg_class where relname like '%\\_wide'`)).toEqual([])
    expect(
      await db.rows(
        sql`select c.relname from pg_attribute join pg_class c on c.oid = attrelid and c.relkind = 'r' where attname like '%\\_wide'`,
      ),
    ).toEqual([])
  }
})

/** Indexes, constraints and triggers, as PostgreSQL writes them. */
const shapeOf = (db: Database) =>
  db.rows(sql`
    select pg_get_indexdef(c.oid) as definition from pg_class c where c.relkind = 'i' and c.relnamespace = 'public'::regnamespace
    union all select conname || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1`)
