import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../../test/support/database.ts'
import * as sets from '../contract/sets.ts'
import { raw, sql } from './database.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migration-files.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

test('several nodes that start at once migrate an empty database once', async () => {
  const { url, db, drop } = await createEmptyDatabase()
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)])
  expect(applied.map(({ applied }) => applied).toSorted((a, b) => a - b)).toEqual([0, 0, migrations().length])
  expect(applied.filter(({ fresh }) => fresh)).toHaveLength(1)
  expect(await db.rows(sql`select number from schema_migrations order by number`)).toEqual(
    migrations().map(({ number }) => ({ number })),
  )
  await drop()
})

test('empty tables count as of unknown size: plans are made for later rows', async () => {
  const tables = ['changes', 'change_branches', 'build_runs', 'assets', 'tasks', 'task_changes']
  expect(await own.db.rows(sql`select relname from pg_class where oid = any (${tables}::regclass[]) and reltuples = 0`)).toEqual(
    [],
  )
})

test('a database newer than the code is refused and not changed', async () => {
  const { url, db, drop } = await createDatabase()
  await db.execute(sql`insert into schema_migrations (number, name) values (9999, 'tomorrow')`)
  await expect(migrate(url)).rejects.toThrow(/newer than this version \(migration 9999/)
  await drop()
})

test('the database itself rejects a value outside its closed set', async () => {
  await own.db.execute(sql`insert into accounts (id, name) values (1, 'Owl')`)
  await own.db.execute(sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall')`)
  await expect(
    own.db.execute(sql`insert into tasks (account_id, project_id, title, state) values (1, 1, 'x', 'doing')`),
  ).rejects.toMatchObject({ constraint: 'tasks_state_set' })
  for (const state of sets.TASK_STATES)
    await own.db.execute(sql`insert into tasks (account_id, project_id, title, state) values (1, 1, 'x', ${state})`)
})

const checkOf = (db: TestDatabase['db']) =>
  db.one<{ oid: number; definition: string; valid: boolean }>(
    sql`select oid, pg_get_constraintdef(oid) as definition, convalidated as valid from pg_constraint where conname = 'tasks_state_set'`,
  )

test('a set that has grown is applied at the next start, an unchanged one is not touched', async () => {
  const { url, db, drop } = await createDatabase()
  const before = await checkOf(db)
  await migrate(url)
  expect(await checkOf(db)).toEqual(before)
  await db.execute(
    sql`alter table tasks drop constraint tasks_state_set, add constraint tasks_state_set check (state in ('to_do'))`,
  )
  await migrate(url)
  const after = await checkOf(db)
  for (const state of sets.TASK_STATES) expect(after!.definition).toContain(`'${state}'`)
  expect(after!.valid).toBe(true)
  await drop()
})

test('a value that only a newer version knows stays allowed when an older one starts', async () => {
  const { url, db, drop } = await createDatabase()
  await db.execute(sql`
    alter table tasks drop constraint tasks_state_set,
      add constraint tasks_state_set check (state in ('to_do', 'in_progress', 'blocked', 'dreamt_of'))`)
  await migrate(url)
  const { definition } = (await checkOf(db))!
  for (const state of [...sets.TASK_STATES, 'dreamt_of']) expect(definition).toContain(`'${state}'`)
  await drop()
})

test('a check that an interrupted start left unvalidated is validated', async () => {
  const { url, db, drop } = await createDatabase()
  const { definition } = (await checkOf(db))!
  await db.execute(sql`
    alter table tasks drop constraint tasks_state_set, add constraint tasks_state_set ${raw(definition)} not valid`)
  await migrate(url)
  expect((await checkOf(db))!.valid).toBe(true)
  await drop()
})
