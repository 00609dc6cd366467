import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/database.ts'
import * as sets from '../contract/sets.ts'
import { sql } from './database.ts'
import { migrate, migrations } from './migrate.ts'

let own: TestDatabase
beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

/** An empty database beside the migrated one. */
async function emptied(): Promise<TestDatabase> {
  const made = await createDatabase()
  const client = new pg.Client({ connectionString: made.url })
  await client.connect()
  await client.query('drop schema public cascade; create schema public; drop schema graphile_worker cascade')
  await client.end()
  return made
}

test('several nodes that start at once migrate an empty database once', async () => {
  const { url, db, drop } = await emptied()
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url)])
  expect(applied.toSorted((a, b) => a - b)).toEqual([0, 0, migrations().length])
  expect(await db.rows(sql`select number from schema_migrations order by number`)).toEqual(
    migrations().map(({ number }) => ({ number })),
  )
  await drop()
})

test('a database newer than the code is refused and left alone', async () => {
  const { url, db, drop } = await createDatabase()
  await db.count(sql`insert into schema_migrations (number, name) values (9999, 'tomorrow')`)
  await expect(migrate(url)).rejects.toThrow(/newer than this version \(migration 9999/)
  await drop()
})

test('a value outside its closed set is refused by the database itself', async () => {
  await own.db.count(sql`insert into accounts (id, name) values (1, 'Owl')`)
  await own.db.count(sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall')`)
  await expect(
    own.db.count(sql`insert into tasks (account_id, project_id, title, state) values (1, 1, 'x', 'doing')`),
  ).rejects.toMatchObject({ constraint: 'tasks_state_set' })
  for (const state of sets.TASK_STATES)
    await own.db.count(sql`insert into tasks (account_id, project_id, title, state) values (1, 1, 'x', ${state})`)
})

test('a set that has grown is applied at the next start, an unchanged one is not touched', async () => {
  const { url, db, drop } = await createDatabase()
  const constraint = sql`select oid, obj_description(oid, 'pg_constraint') as list from pg_constraint where conname = 'tasks_state_set'`
  const before = await db.one<{ oid: number; list: string }>(constraint)
  await migrate(url)
  expect(await db.one(constraint)).toEqual(before)
  await db.count(sql`comment on constraint tasks_state_set on tasks is 'to_do'`)
  await migrate(url)
  const after = await db.one<{ oid: number; list: string }>(constraint)
  expect(after).toMatchObject({ list: sets.TASK_STATES.join(' ') })
  expect(after!.oid).not.toBe(before!.oid)
  await drop()
})
