import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { keepLog } from '../../test/support/log.ts'
import { until } from '../../test/support/until.ts'
import { sql } from '../db/database.ts'
import { enqueue } from '../db/queue.ts'
import { Unreachable } from '../net/safe-fetch.ts'
import { openBreaker } from './breaker.ts'
import { startRunner, type Task, type WorkerPool } from './runner.ts'
import { hourly } from './schedule.ts'

let own: TestDatabase
let db: TestDatabase['db']
const runners: { stop(): Promise<void> }[] = []
beforeAll(async () => {
  own = await createDatabase()
  db = own.db
})
afterAll(() => own.drop())
beforeEach(() => db.execute(sql`delete from jobs`))
afterEach(async () => {
  await Promise.all(runners.splice(0).map((runner) => runner.stop()))
})

const MINUTE = 30
async function start(task: Task, pool: Partial<WorkerPool> = {}, times = {}) {
  const { log } = keepLog()
  const limits = { remote: false, slots: 6, perOwner: 3, perServer: 2 }
  const runner = await startRunner({ db, log, breaker: openBreaker(), times }, [{ ...limits, tasks: { ingest: task }, ...pool }])
  runners.push(runner)
  return runner
}
const add = async (account_id: number, count: number, more: object = {}) => {
  for (let i = 0; i < count; i++) await enqueue(db, 'ingest', { account_id: 1, delivery_id: i }, { account_id, ...more })
}
const waiting = async () => (await db.rows(sql`select from jobs where state = 'waiting'`)).length

test('no owner gets all slots, and the rest is available to others', async () => {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  await add(1, 10)
  await start(() => ended)
  await until(async () => (await waiting()) === 7)
  await add(2, 10)
  await until(async () => (await waiting()) === 14)
  expect(await db.rows(sql`select owner, count(*) as jobs from jobs where state = 'running' group by 1 order by 1`)).toEqual([
    { owner: 'account:1', jobs: 3 },
    { owner: 'account:2', jobs: 3 },
  ])
  end()
  await until(async () => (await db.rows(sql`select from jobs`)).length === 0)
})

test('at most two jobs at a time call one server', async () => {
  let calls = 0
  let most = 0
  const task = async () => {
    most = Math.max(most, ++calls)
    // The first waits for a second, and a third would have time to begin.
    await until(() => most > 1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    calls--
  }
  for (const account of [1, 2, 3, 4]) await add(account, 4, { server: 'exports' })
  await start(task, { remote: true })
  await until(async () => (await db.rows(sql`select from jobs`)).length === 0)
  expect(most).toBe(2)
})

test('a failing job stores its reason without addresses, waits longer each time, and is given up in the end', async () => {
  await add(1, 1)
  await start(async () => {
    throw new Error('asked kim@example.com \0 in vain')
  })
  const row = () =>
    db.one<Record<string, unknown>>(sql`
    select state, attempts, last_error, round(extract(epoch from run_at - now())) as seconds from jobs`)
  await until(async () => (await row())?.attempts === 1 && (await row())?.state === 'scheduled')
  const first = (await row())!
  expect(first.last_error).not.toContain('example.com')
  expect(first.last_error).toContain('in vain')
  expect(Number(first.seconds)).toBeLessThanOrEqual(3)
  await db.execute(sql`update jobs set attempts = 5, run_at = now()`)
  await until(async () => (await row())?.attempts === 6 && (await row())?.state === 'scheduled')
  expect(Number((await row())!.seconds)).toBeGreaterThan(300)
  await db.execute(sql`update jobs set attempts = 24, run_at = now()`)
  await until(async () => (await row())?.state === 'failed')
})

test('recurring work runs once among two processes, and then waits for its next time', async () => {
  const slots: unknown[] = []
  const task = async ({ slot }: { slot: string }) => void slots.push(slot)
  const times = { ingest: hourly(MINUTE) }
  await start(task as Task, {}, times)
  await start(task as Task, {}, times)
  const row = () => db.one<{ slot: string; state: string }>(sql`select slot, state from jobs`)
  const slot = (await row())!.slot
  expect(new Date(slot).getUTCMinutes()).toBe(MINUTE)
  await db.execute(sql`update jobs set run_at = now()`)
  await until(async () => (await row())!.slot !== slot)
  expect(slots).toEqual([slot])
  expect(Date.parse((await row())!.slot) - Date.parse(slot)).toBe(3_600_000)
})

test('missed times are made up for once', async () => {
  const slots: unknown[] = []
  const task = async ({ slot }: { slot: string }) => void slots.push(slot)
  const hoursAgo = (hours: number) => {
    const time = new Date(Date.now() - hours * 3_600_000)
    time.setUTCMinutes(MINUTE, 0, 0)
    return time
  }
  const missed = (slot: Date) => db.execute(sql`update jobs set slot = ${slot}, run_at = ${slot}, state = 'scheduled'`)
  const next = async () => Date.parse((await db.one<{ slot: string }>(sql`select slot from jobs`))!.slot)
  await start(task as Task, {}, { ingest: hourly(MINUTE) })
  await missed(hoursAgo(5))
  await until(async () => (await next()) > Date.now())
  expect(slots).toEqual([hoursAgo(5).toISOString()])
})

test('recurring work at a time that was removed from the settings is skipped', async () => {
  const slots: unknown[] = []
  await start(async (payload) => void slots.push(payload), {}, { ingest: hourly(MINUTE) })
  const old = new Date(Date.now() - 3_600_000)
  old.setUTCMinutes(MINUTE + 1, 0, 0)
  await db.execute(sql`update jobs set slot = ${old}, run_at = ${old}`)
  await until(async () => Date.parse((await db.one<{ slot: string }>(sql`select slot from jobs`))!.slot) > Date.now())
  expect(slots).toEqual([])
})

test('a job is not retried before its server asks for it', async () => {
  await add(1, 1)
  await start(() => Promise.reject(new Unreachable('busy', { retryAfter: 600 })))
  await until(async () => (await db.rows(sql`select from jobs where state = 'scheduled'`)).length === 1)
  expect(await db.one(sql`select run_at > now() + interval '500 seconds' as late from jobs`)).toEqual({ late: true })
})

test('recurring work that fails is retried, and keeps its next time', async () => {
  let runs = 0
  await start(
    async () => {
      runs++
      throw new Error('It failed.')
    },
    {},
    { ingest: hourly((new Date().getUTCMinutes() + 30) % 60) },
  )
  const row = () =>
    db.one<{ slot: string; attempts: number; state: string; last_error: string }>(
      sql`select slot, attempts, state, last_error from jobs`,
    )
  const slot = (await row())!.slot
  await db.execute(sql`update jobs set run_at = now()`)
  await until(async () => runs === 1 && (await row())!.state === 'scheduled')
  expect(await row()).toEqual({ slot, attempts: 1, state: 'scheduled', last_error: 'It failed.' })
  await db.execute(sql`update jobs set run_at = now(), attempts = 7`)
  await until(async () => runs === 2 && (await row())!.state === 'scheduled')
  expect(await row()).toMatchObject({ attempts: 0, last_error: 'It failed.' })
  expect(Date.parse((await row())!.slot)).toBeGreaterThan(Date.parse(slot))
})

test('a job that does not stop in time is released', async () => {
  await add(1, 1)
  let signal: AbortSignal | undefined
  const runner = await start((_, its) => {
    signal = its
    return new Promise(() => {})
  })
  await until(() => signal !== undefined)
  await runner.stop()
  runners.length = 0
  expect(signal!.aborted).toBe(true)
  expect(await db.rows(sql`select state, attempts from jobs`)).toEqual([{ state: 'waiting', attempts: 0 }])
})
