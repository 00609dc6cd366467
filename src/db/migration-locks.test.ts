import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'
import { sql } from './database.ts'
import { migrate, schemaState } from './migrate.ts'
import { migrationOf, migrations, statementsOf } from './migration-files.ts'

let own: TestDatabase
let dump: pg.Client
beforeEach(async () => {
  own = await createDatabase()
  await own.db.execute(sql`insert into accounts (id, name) values (1, 'Owl')`)
  await own.db.execute(sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall')`)
  dump = new pg.Client({ connectionString: own.url, application_name: 'pg_dump' })
  await dump.connect()
})
afterEach(async () => {
  await dump.end()
  await own.drop()
})

const next = (text: string, number = 9000) => [...migrations(), migrationOf(`${number}_next.sql`, text)]
const insertTask = (title: string) =>
  own.db.execute(sql`insert into tasks (account_id, project_id, title) values (1, 1, ${title})`)
const isValid = async (name: string) =>
  (await own.db.one<{ valid: boolean }>(sql`select indisvalid as valid from pg_index where indexrelid = to_regclass(${name})`))
    ?.valid

/** Collects the warnings. */
const openLog = () => {
  const warnings: { blockers?: { application: string }[] }[] = []
  return { warnings, info: () => {}, warn: (line: object) => void warnings.push(line) } as never as Parameters<
    typeof migrate
  >[1] & {
    warnings: { blockers?: { application: string }[] }[]
  }
}

test('while a dump reads a table that is to change, writes continue; the change follows after the dump', async () => {
  await dump.query('begin; lock table tasks in access share mode')
  const log = openLog()
  let finished = false
  const migrating = migrate(own.url, log, next('alter table tasks add column mood text')).finally(() => {
    finished = true
  })
  await until(() => log.warnings.length > 0)
  expect(log.warnings[0]).toMatchObject({ blockers: [{ application: 'pg_dump' }] })
  for (let i = 0; i < 20; i++) {
    await insertTask(`task ${i}`)
    await sleep(50)
  }
  expect(finished).toBe(false)
  await dump.query('rollback')
  expect(await migrating).toMatchObject({ applied: 1, fresh: false })
  expect(await own.db.execute(sql`select mood from tasks`)).toBe(20)
})

test('a set that has grown waits for a dump in the same way', async () => {
  await own.db.execute(
    sql`alter table tasks drop constraint tasks_state_set, add constraint tasks_state_set check (state = 'to_do')`,
  )
  await dump.query('begin; lock table tasks in access share mode')
  const log = openLog()
  const migrating = migrate(own.url, log)
  await until(() => log.warnings.length > 0)
  await insertTask('in between')
  await dump.query('rollback')
  await migrating
  expect(await own.db.execute(sql`update tasks set state = 'blocked'`)).toBe(1)
})

const ONLINE =
  '-- online\ncreate unique index concurrently if not exists tasks_titles on tasks (title);\nupdate tasks set title = title;\n'

test('an online migration builds its index next to open writers, once, however many nodes start', async () => {
  await dump.query(`begin; insert into tasks (account_id, project_id, title) values (1, 1, 'open')`)
  let finished = 0
  const nodes = [1, 2, 3].map(() =>
    migrate(own.url, undefined, next(ONLINE)).then(({ applied }) => {
      finished++
      return applied
    }),
  )
  await until(async () => (await isValid('tasks_titles')) === false)
  await insertTask('meanwhile')
  expect(finished).toBe(0)
  await dump.query('commit')
  expect((await Promise.all(nodes)).toSorted()).toEqual([0, 0, 1])
  expect(await isValid('tasks_titles')).toBe(true)
})

test('an incomplete index of an interrupted build is dropped and built again', async () => {
  await insertTask('twin')
  await insertTask('twin')
  await expect(migrate(own.url, undefined, next(ONLINE))).rejects.toThrow(/9000_next.sql failed/)
  expect(await isValid('tasks_titles')).toBe(false)
  await own.db.execute(sql`delete from tasks where id = (select max(id) from tasks)`)
  expect(await migrate(own.url, undefined, next(ONLINE))).toMatchObject({ applied: 1 })
  expect(await isValid('tasks_titles')).toBe(true)
})

test('a migration that was changed after it was applied is refused; its comments and line ends may change', async () => {
  await migrate(own.url, undefined, next('create table moods (id bigint primary key);\n'))
  const rewritten = '-- How people feel.\r\ncreate table moods\r\n  (id bigint primary key);\r\n'
  expect(await migrate(own.url, undefined, next(rewritten))).toMatchObject({ applied: 0 })
  await expect(migrate(own.url, undefined, next('create table moods (id integer primary key);\n'))).rejects.toThrow(
    'Migration 9000_next.sql was changed after it was applied: restore the file and put the change into a new one.',
  )
})

test('a database that lacks a migration is older than the code, and the check changes nothing', async () => {
  expect(await schemaState(own.url)).toBe('current')
  expect(await schemaState(own.url, next('create table moods (id integer)'))).toBe('older')
  expect(await schemaState(own.url)).toBe('current')
})

test.each([
  ['of another schema', sql`update schema_migrations set checksum = 'another'`],
  ['with numbered migrations only', sql`update schema_migrations set number = 146, name = '0146_audit_log_in_time.sql'`],
])(
  'a database from before the first release, %s, is not changed, and the error says how to export the data',
  async (_, change) => {
    await own.db.execute(change)
    const message = /before the first release.*goldmaster admin export.*empty database.*goldmaster admin load/
    await expect(migrate(own.url)).rejects.toThrow(message)
    await expect(schemaState(own.url)).rejects.toThrow(message)
    expect(await own.db.rows(sql`select number from schema_migrations`)).toHaveLength(1)
  },
)

test('statements end at semicolons outside of comments, quotes and bodies', () => {
  const text = `-- one; two
create function f() returns text language sql as $x$ select 'a;b'; $x$; /* c; */
comment on table t is 'it''s; here -- really';
select 1 - 2 / 3;`
  expect(statementsOf(text)).toEqual([
    "create function f() returns text language sql as $x$ select 'a;b'; $x$",
    "comment on table t is 'it''s; here -- really'",
    'select 1 - 2 / 3',
  ])
})

test('every online migration can be restarted', () => {
  for (const { name, online, sql } of migrations())
    for (const statement of online ? statementsOf(sql) : [])
      if (/concurrently/i.test(statement))
        expect(statement, name).toMatch(/^(create (unique )?index concurrently if not exists|drop index concurrently if exists) /)
})
