import { afterAll, beforeAll, expect, test } from 'vitest'
import { isOnSeveralServers } from '../../test/support/database.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { workshop } from '../../test/support/studios/workshop.ts'
import { until } from '../../test/support/until.ts'
import { sql } from '../db/database.ts'
import { analyzeGrown, startTableStatistics } from './table-statistics.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
  // Otherwise PostgreSQL would analyze it at any moment.
  await studio.db.execute(sql`alter table tasks set (autovacuum_enabled = false)`)
})
afterAll(() => studio.close())

const addTasks = (count: number) =>
  studio.db.transaction(async (db) => {
    await db.execute(sql`
      insert into tasks (account_id, project_id, title)
      select account_id, id, 'A task' from projects, generate_series(1, ${count}::integer) where name = 'Starfall'`)
    // A session's counters are otherwise published about once a second.
    await db.execute(sql`select pg_stat_force_next_flush()`)
  })
const known = async () =>
  (await studio.db.one<{ rows: number }>(sql`select reltuples as rows from pg_class where oid = 'tasks'::regclass`))!.rows

// Workers with the rows of a distributed table analyze it themselves, and its statements are planned with their values.
test.skipIf(isOnSeveralServers())('a table with twice the rows of its statistics is analyzed, once', async () => {
  await addTasks(300)
  await until(async () => (await analyzeGrown(studio.db)).includes('tasks'))
  expect(await known()).toBe(300)
  await addTasks(100)
  expect(await analyzeGrown(studio.db)).not.toContain('tasks')
  expect(await known()).toBe(300)
})

test.skipIf(isOnSeveralServers())('a node does so automatically, and skips a locked table', async () => {
  await addTasks(900)
  const warned: unknown[] = []
  const log = { ...studio.service.log, warn: (...said: unknown[]) => warned.push(said) } as unknown as typeof studio.service.log
  await studio.db.transaction(async (db) => {
    await db.execute(sql`lock table tasks in share update exclusive mode`)
    await until(async () => (await analyzeGrown(studio.db)).includes('tasks'))
    expect(await known()).toBe(300)
  })
  const node = startTableStatistics({ db: studio.db, log })
  try {
    await until(async () => (await known()) === 1_300)
  } finally {
    await node.stop()
  }
  expect(warned).toEqual([])
})
