import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { type Mood, openUnsteadyWay } from '../../test/support/servers/unsteady.ts'
import { until } from '../../test/support/until.ts'
import { isConnectionError, isTransient, openDatabase, type Pool, raw, sql } from './database.ts'

let own: TestDatabase
let way: Awaited<ReturnType<typeof openUnsteadyWay>>
let db: Pool
beforeAll(async () => {
  own = await createDatabase()
  await own.db.execute(sql`create table notes (id integer primary key)`)
  way = await openUnsteadyWay(own.url)
  db = openDatabase(way.url, { max: 2, statementTimeout: 2_000 })
})
beforeEach(() => way.become('good'))
afterAll(async () => {
  way.close()
  await db.close()
  await own.drop()
})

const written = async () => (await own.db.rows<{ id: number }>(sql`select id from notes`)).map(({ id }) => id)
/** A pool with timeouts so short that a busy machine alone may exceed them. */
const answers = (hasty: Pool) =>
  hasty.one(sql`select 1`).then(
    () => true,
    () => false,
  )
const write = (id: number) => sql`insert into notes (id) values (${id})`

test.each<[Mood, number]>([
  ['silent', 1],
  ['hangs up', 2],
])('behind a network gone "%s" a database is unreachable for statements and transactions, until it is back', async (mood, id) => {
  await Promise.all([db.one(sql`select 1`), db.one(sql`select 1`)])
  way.become(mood)
  const refusals = await Promise.allSettled([db.one(sql`select 1`), db.transaction((db) => db.execute(write(id)))])
  for (const refusal of refusals)
    expect(refusal).toMatchObject({ status: 'rejected', reason: expect.toSatisfy(isConnectionError) })
  way.become('good')
  expect(await written()).not.toContain(id)
  await db.transaction((db) => db.execute(write(id)))
  expect(await written()).toContain(id)
})

test('a transaction that loses its network halfway is rolled back, and its connection is not used again', async () => {
  const pid = (db: Pick<Pool, 'one'>) => db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)
  let first: { pid: number } | undefined
  const half = db.transaction(async (db) => {
    first = await pid(db)
    await db.execute(write(3))
    way.become('silent')
    await db.execute(write(4))
  })
  await expect(half).rejects.toSatisfy(isConnectionError)
  way.become('good')
  const others = await Promise.all([pid(db), pid(db)])
  expect(others).not.toContainEqual(first)
  expect(await written()).not.toContain(3)
})

test('after idle periods a silent network is detected again and again', async () => {
  const brief = openDatabase(way.url, { max: 1, statementTimeout: 200 })
  for (let spell = 0; spell < 3; spell++) {
    way.become('good')
    await until(() => answers(brief))
    // Longer than any timeout of this pool.
    await sleep(1_000)
    way.become('silent')
    await expect(brief.one(sql`select 1`)).rejects.toSatisfy(isConnectionError)
  }
  way.become('good')
  await brief.close()
})

test('an idle connection that is held for its session is reported lost when its network falls silent', async () => {
  // A pool of its own: a heartbeat of the shared one may have been lost in an earlier silence.
  const fresh = openDatabase(way.url, { max: 1, statementTimeout: 2_000 })
  const held = await fresh.pool.connect()
  const lost = new Promise<Error>((resolve) => held.on('error', resolve))
  await held.query('listen news')
  way.become('silent')
  expect(await lost).toSatisfy(isConnectionError)
  held.release(true)
  await fresh.close()
})

test('connections that were idle while the network was silent are replaced when they are needed', async () => {
  const idle = openDatabase(way.url, { max: 3, statementTimeout: 200 })
  await until(async () => {
    await Promise.all([1, 2, 3].map(() => answers(idle)))
    return idle.pool.totalCount === 3
  })
  way.become('silent')
  await until(() => idle.pool.totalCount === 0)
  way.become('good')
  await until(() => answers(idle))
  await idle.close()
})

test('a connection that is lost fails alone: a statement that waits for one gets another, because the database answers', async () => {
  const full = openDatabase(way.url, { max: 1, statementTimeout: 500 })
  await until(() => answers(full))
  way.vanish()
  const lost = full.one(sql`select 1`)
  const next = full.one(sql`select 2 as two`)
  await expect(lost).rejects.toSatisfy(isConnectionError)
  expect(await next).toEqual({ two: 2 })
  await full.close()
})

test('a statement that waits for a connection of a silent database fails with those that have one', async () => {
  const full = openDatabase(way.url, { max: 1, statementTimeout: 500 })
  await until(() => answers(full))
  way.become('silent')
  for (const refusal of await Promise.allSettled([1, 2, 3].map(() => full.one(sql`select 1`))))
    expect(refusal).toMatchObject({ status: 'rejected', reason: expect.toSatisfy(isConnectionError) })
  way.become('good')
  await full.close()
})

test('a statement for which no connection gets free is refused as busy, not as away', async () => {
  const full = openDatabase(own.url, { max: 1 })
  await full.onOneConnection(async () => {
    await expect(full.one(sql`select 1`)).rejects.toMatchObject({ status: 503, code: 'busy' })
  })
  await full.close()
})

test('a transaction may have a longer timeout than its pool, and only that one', async () => {
  const brief = openDatabase(own.url, { max: 1, statementTimeout: 1_000 })
  const nap = sql`select pg_sleep(2.5)`
  expect(await brief.transaction((db) => db.execute(nap), { statementTimeout: 0 })).toBe(1)
  await expect(brief.transaction((db) => db.execute(nap))).rejects.toMatchObject({ code: '57014' })
  await brief.close()
})

test('a statement whose result type has changed is refused once, as a transient error', async () => {
  const one = openDatabase(own.url, { max: 1 })
  await one.execute(sql`create table grown (id integer)`)
  const read = sql`select id from grown`
  await one.rows(read)
  await one.execute(sql`alter table grown alter column id type bigint`)
  expect(isTransient(await one.rows(read).catch((error) => error))).toBe(true)
  expect(await one.rows(read)).toEqual([])
  await one.close()
})

test('a slow network only takes more time', async () => {
  way.become('slow')
  expect(await db.transaction((db) => db.execute(write(5)))).toBe(1)
  expect(await written()).toContain(5)
})

test('statements of ever new forms do not fill a connection, and few forms stay prepared', async () => {
  const one = openDatabase(own.url, { max: 1 })
  const look = async (asks: Pick<Pool, 'one'>) =>
    (await asks.one<{ pid: number; held: number }>(
      sql`select pg_backend_pid() as pid, count(*)::integer as held from pg_prepared_statements`,
    ))!
  const first = await look(one)
  for (let again = 0; again < 600; again++) await one.one(sql`select ${again}::integer`)
  expect((await look(one)).pid).toBe(first.pid)

  const held: number[] = []
  for (let form = 0; form < 400; form++) {
    await one.one(sql`select ${raw(String(form))} as plain`)
    await one.transaction((db) => db.one(sql`select ${raw(String(form))} as within`))
    held.push((await look(one)).held)
  }
  expect(Math.max(...held)).toBeLessThan(300)
  await one.close()
})

test.each([
  [['read:tasks', 'write:tasks']],
  [[]],
  [['']],
  [[null, 'NULL', 'null']],
  [['a,b', '{c}', 'd"e', 'f\\g', ' h ', 'ANNULLED']],
  [[['nested'], ['twice']]],
])('texts %j are returned unchanged from an array', async (texts) => {
  expect(await own.db.one(sql`select ${texts}::text[] as texts`)).toEqual({ texts })
})
