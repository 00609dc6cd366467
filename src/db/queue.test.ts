import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { type Database, sql } from './database.ts'
import * as queue from './queue.ts'

let own: TestDatabase
let db: TestDatabase['db']
beforeAll(async () => {
  own = await createDatabase()
  db = own.db
})
afterAll(() => own.drop())
beforeEach(() => db.execute(sql`delete from jobs`))

const worker = randomUUID()
type Claim = Partial<Parameters<typeof queue.claim>[1]>
const claim = (more: Claim = {}, on: Database = db) =>
  queue.claim(on, { worker, remote: false, kinds: ['ingest'], after: '', full: { owners: [], servers: [] }, limit: 10, ...more })
const claimOne = async (more: Claim = {}) => (await claim({ ...more, limit: 1 }))[0]!
const add = async (owner: string, count = 1, more: object = {}) => {
  for (let i = 0; i < count; i++) await queue.enqueue(db, 'ingest', { account_id: 1, delivery_id: i }, { owner, ...more })
}
const owners = (jobs: queue.Job[]) => jobs.map(({ owner }) => owner)
const rows = () => db.rows(sql`select name, state, attempts, last_error from jobs order by id`)

describe('a claim', () => {
  test('takes one job per owner, starting after the owner of the last turn', async () => {
    await add('ann', 3)
    await add('ben')
    await add('cat', 2)
    expect(owners(await claim({ after: 'ann', limit: 2 }))).toEqual(['ben', 'cat'])
    expect(owners(await claim({ after: 'cat' }))).toEqual(['ann', 'cat'])
    expect(owners(await claim({ after: 'ann' }))).toEqual(['ann'])
    expect(owners(await claim({ after: 'ann' }))).toEqual(['ann'])
    expect(await claim()).toEqual([])
  })

  test('takes the oldest job of an owner, and skips owners at their limit', async () => {
    await add('ann', 2)
    await add('ben')
    const [job] = await claim({ full: { owners: ['ben'], servers: [] } })
    expect(job).toMatchObject({ owner: 'ann', payload: { delivery_id: 0 }, attempts: 1 })
  })

  test('takes one job per server, and another server of the same owner if one is at its limit', async () => {
    await add('ann', 2, { server: 'a' })
    await add('ann', 1, { server: 'b' })
    await add('ben', 1, { server: 'a' })
    const at = (jobs: queue.Job[]) => jobs.map(({ owner, server }) => `${owner} ${server}`)
    expect(at(await claim({ remote: true }))).toEqual(['ann a'])
    expect(at(await claim({ remote: true, full: { owners: [], servers: ['a'] } }))).toEqual(['ann b'])
    expect(at(await claim({ remote: true, after: 'ann' }))).toEqual(['ben a'])
    expect(await claim()).toEqual([])
  })

  test('skips unknown kinds, jobs that are not due, and claimed jobs', async () => {
    await add('ann', 1, { delay: 60 })
    await add('ben')
    await queue.enqueue(db, 'purge_integration', { integration_id: 1 }, { owner: 'cat' })
    await db.transaction(async (other) => {
      expect(owners(await claim({}, other))).toEqual(['ben'])
      await add('dan')
      expect(owners(await claim())).toEqual(['dan'])
    })
  })

  test('reads as little of ten thousand jobs as of a hundred, even with a plan for none', async () => {
    const crowd = (count: number) =>
      db.execute(sql`
        insert into jobs (owner, server, kind, payload, state)
        select 'ann', 'a', 'ingest', '{}', 'waiting' from generate_series(1, ${count}::integer)`)
    const read = async (db: Database) => {
      const blocks = async () => {
        await db.execute(sql`select pg_stat_force_next_flush()`)
        await db.execute(sql`select pg_stat_clear_snapshot()`)
        return (await db.one<{ count: number }>(sql`
          select coalesce(sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read), 0)::bigint as count
          from pg_statio_user_tables where relname = 'jobs'`))!.count
      }
      const before = await blocks()
      await claim({ remote: true, full: { owners: [], servers: ['a'] } }, db)
      await claim({ remote: true, limit: 1 }, db)
      return (await blocks()) - before
    }
    await db.onOneConnection(async (db) => {
      await queue.planForIndexes(db, true)
      await db.execute(sql`analyze jobs`)
      // The statement is planned here, for an empty table.
      await read(db)
      await crowd(100)
      await add('zoe', 1, { server: 'z' })
      const few = await read(db)
      await crowd(10_000)
      await add('zoe', 1, { server: 'z' })
      expect(few).toBeGreaterThan(0)
      expect(await read(db)).toBeLessThanOrEqual(3 * few)
      await queue.planForIndexes(db, false)
    })
  })
})

test('a job of a rolled back transaction does not exist', async () => {
  const failing = db.transaction(async (db) => {
    await queue.enqueue(db, 'ingest', { account_id: 1, delivery_id: 1 }, { owner: 'ann', name: 'once' })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await rows()).toEqual([])
})

describe('a named job', () => {
  const named = (account_id: number, delivery_id: number, more: object = {}) =>
    queue.enqueue(db, 'ingest', { account_id: 1, delivery_id }, { account_id, name: 'look', ...more })
  const payloads = () => db.rows(sql`select account_id, payload ->> 'delivery_id' as delivery, state from jobs order by id`)

  test('replaces the waiting one of its account, and is due at its own time', async () => {
    await named(1, 1, { delay: 60 })
    await named(2, 2)
    await named(1, 3)
    expect(await payloads()).toEqual([
      { account_id: 1, delivery: '3', state: 'waiting' },
      { account_id: 2, delivery: '2', state: 'waiting' },
    ])
  })

  test('keeps the first due time under a steady stream, and takes an earlier one', async () => {
    await named(1, 1, { delay: 60 })
    await named(2, 1, { delay: 60 })
    await db.execute(sql`update jobs set run_at = run_at - interval '50 seconds' where account_id = 1`)
    const dueIn = () =>
      db.rows<{ seconds: number }>(
        sql`select payload ->> 'delivery_id' as delivery, round(extract(epoch from run_at - created_at))::integer as seconds from jobs order by id`,
      )
    for (const delivery of [2, 3]) await named(1, delivery, { delay: 60 })
    expect(await dueIn()).toEqual([
      { delivery: '3', seconds: 10 },
      { delivery: '1', seconds: 60 },
    ])
    await named(1, 4, { delay: 5 })
    await queue.enqueueAll(db, 'ingest', 1, [{ payload: { account_id: 1, delivery_id: 5 }, name: 'look', delay: 60 }])
    expect((await dueIn())[0]).toEqual({ delivery: '5', seconds: 5 })
  })

  test('that failed before waits for the delay of the new one', async () => {
    await named(1, 1)
    await queue.fail(db, worker, await claimOne(), { error: 'It failed.', seconds: 1 })
    await named(1, 2, { delay: 60 })
    expect(await db.rows(sql`select state, run_at > now() + interval '50 seconds' as later from jobs`)).toEqual([
      { state: 'scheduled', later: true },
    ])
  })

  test('never runs twice at once: what is added meanwhile is one more run', async () => {
    await named(1, 1)
    const first = await claimOne()
    for (const delivery of [2, 3]) await named(1, delivery)
    // The same name in another account, and a job behind it.
    await named(2, 4)
    await add('account:1')
    const ids = async (jobs: Promise<queue.Job[]>) =>
      (await jobs).map(({ payload }) => (payload as { delivery_id: number }).delivery_id)
    expect(await ids(claim())).toEqual([0, 4])
    expect(await ids(claim({ worker: randomUUID() }))).toEqual([])
    await queue.complete(db, worker, first)
    const next = await claimOne()
    expect(next.payload).toMatchObject({ delivery_id: 3 })
    await queue.complete(db, worker, next)
    expect(await claim()).toEqual([])
  })

  test('of a dead worker makes way for the one that waits for its end', async () => {
    await named(1, 1)
    await claimOne()
    await named(1, 2)
    await db.execute(sql`update jobs set lease_until = now() - interval '1 second' where state <> 'waiting'`)
    expect(await claim()).toEqual([])
    expect(await queue.reclaim(db)).toBe(1)
    expect((await claimOne()).payload).toMatchObject({ delivery_id: 2 })
  })

  test('replaces a failed one, and has as many attempts as a new one', async () => {
    await named(1, 1)
    await db.execute(sql`update jobs set state = 'failed', attempts = 25, last_error = 'It failed.'`)
    await named(1, 2)
    expect(await rows()).toEqual([{ name: 'look', state: 'waiting', attempts: 0, last_error: null }])
  })

  test('is not retried if it was replaced while it ran', async () => {
    await named(1, 1)
    const job = await claimOne()
    await named(1, 2)
    await queue.fail(db, worker, job, { error: 'It failed.', seconds: 1 })
    expect(await payloads()).toEqual([{ account_id: 1, delivery: '2', state: 'waiting' }])
  })

  test('is not retried either if its replacement did not see it run', async () => {
    await named(1, 1)
    const job = await claimOne()
    await named(1, 2)
    await db.execute(sql`update jobs set state = 'running' where id = ${job.id}`)
    await queue.fail(db, worker, job, { error: 'It failed.', seconds: 1 })
    expect(await payloads()).toEqual([{ account_id: 1, delivery: '2', state: 'waiting' }])
  })

  test('that is canceled is gone, and a running one is not retried', async () => {
    await named(1, 1)
    await named(2, 2)
    await queue.cancel(db, { name: 'look', account_id: 1 })
    expect(await payloads()).toEqual([{ account_id: 2, delivery: '2', state: 'waiting' }])
    const job = await claimOne()
    await queue.cancel(db, { name: 'look', account_id: 2 })
    expect(await payloads()).toEqual([{ account_id: 2, delivery: '2', state: 'canceled' }])
    await queue.fail(db, worker, job, { error: 'It failed.', seconds: 1 })
    expect(await payloads()).toEqual([])
  })

  test('may be longer than an index allows', async () => {
    const name = (end: string) => `look ${'🦉'.repeat(2_000)}${end}`
    for (const end of ['a', 'b', 'b'])
      await queue.enqueue(db, 'ingest', { account_id: 1, delivery_id: 1 }, { account_id: 1, name: name(end) })
    expect(await rows()).toHaveLength(2)
    await queue.cancel(db, { name: name('a'), account_id: 1 })
    expect(await rows()).toHaveLength(1)
  })
})

describe('a lease', () => {
  test("is renewed for the worker's own jobs, also while a job's transaction locks its row", async () => {
    await add('ann')
    await add('ben')
    const [mine, lost] = (await claim()) as [queue.Job, queue.Job]
    await db.execute(sql`update jobs set worker = gen_random_uuid() where id = ${lost.id}`)
    await db.execute(sql`update jobs set lease_until = now() - interval '1 second'`)
    await db.transaction(async (other) => {
      await other.execute(sql`update jobs set state = 'canceled' where id = ${mine.id}`)
      expect(await queue.renew(db, worker, [mine.id, lost.id])).toEqual([lost.id])
      // A job with an open transaction is not reclaimed.
      expect(await queue.reclaim(db)).toBe(1)
    })
    expect(await queue.renew(db, worker, [mine.id])).toEqual([])
    expect(await queue.reclaim(db)).toBe(0)
  })

  test('that is valid keeps others away', async () => {
    await add('ann')
    await claim()
    expect(await queue.reclaim(db)).toBe(0)
    expect(await claim({ worker: randomUUID() })).toEqual([])
  })

  test("that expired gives the job to the next worker, and the former worker's writes change nothing", async () => {
    await add('ann')
    const former = await claimOne()
    await db.execute(sql`update jobs set lease_until = now() - interval '1 second'`)
    expect(await queue.reclaim(db)).toBe(1)
    const next = randomUUID()
    expect(await claimOne({ worker: next })).toMatchObject({ id: former.id, attempts: 1 })
    await queue.complete(db, worker, former)
    await queue.fail(db, worker, former, { error: 'It failed.' })
    expect(await rows()).toEqual([{ name: null, state: 'running', attempts: 1, last_error: null }])
    expect(await queue.release(db, next)).toBe(1)
    expect(await rows()).toEqual([{ name: null, state: 'waiting', attempts: 0, last_error: null }])
  })
})

test('a due job waits for a worker, unless it is just being replaced', async () => {
  await add('ann', 1, { delay: 60, name: 'a' })
  await add('ben', 1, { delay: 60, name: 'b' })
  await add('cat', 1, { delay: 60 })
  await db.execute(sql`update jobs set run_at = now() where owner <> 'cat'`)
  await db.transaction(async (other) => {
    await queue.enqueue(other, 'ingest', { account_id: 1, delivery_id: 9 }, { owner: 'ann', name: 'a', delay: 60 })
    expect(await queue.promote(db)).toBe(1)
  })
  expect(owners(await claim())).toEqual(['ben'])
})

test('jobs of a silent server wait, with the reason, and no attempt is counted', async () => {
  await add('ann', 2, { server: 'a' })
  await add('ann', 1, { server: 'b' })
  await queue.postpone(db, 'a', 60)
  expect((await claim({ remote: true })).map(({ server }) => server)).toEqual(['b'])
  expect(
    await db.rows(
      sql`select state, attempts, last_error, run_at > now() + interval '59 seconds' as later from jobs where server = 'a'`,
    ),
  ).toEqual(
    Array(2).fill({
      state: 'scheduled',
      attempts: 0,
      last_error: 'The server does not answer. We try again later.',
      later: true,
    }),
  )
})

describe('recurring work', () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000)
  const slots = () =>
    db.rows<{ kind: string; slot: string; state: string }>(sql`select kind, slot, state from jobs order by kind`)

  test('has one row per kind, which is due earlier if the settings say so', async () => {
    const [early, late] = [at(10), at(20)]
    await queue.schedule(db, { ingest: late, purge: late })
    await queue.schedule(db, { ingest: early, purge: at(30) })
    expect(await slots()).toEqual([
      { kind: 'ingest', slot: early.toISOString(), state: 'scheduled' },
      { kind: 'purge', slot: late.toISOString(), state: 'scheduled' },
    ])
    expect(await queue.countJobs(db, 100)).toEqual([])
  })

  test('that was not done for half a day waits for its next time, and is deleted if no node knows it', async () => {
    const next = at(10)
    const missed = { ingest: at(-13 * 60), purge: at(-13 * 60) }
    await db.execute(sql`
      insert into jobs (owner, kind, name, payload, state, slot, run_at) select '', kind, kind, '{}', 'waiting', slot, slot
      from unnest(${Object.keys(missed)}::text[], ${Object.values(missed)}::timestamptz[]) m (kind, slot)`)
    expect(await db.rows(queue.dueTimes)).toEqual([])
    expect(await queue.countJobs(db, 100)).toEqual([])
    await queue.schedule(db, { ingest: next })
    expect(await slots()).toEqual([{ kind: 'ingest', slot: next.toISOString(), state: 'scheduled' }])
  })

  test('is not added while it runs, and waits for its next time afterwards', async () => {
    await queue.schedule(db, { ingest: at(0) })
    await queue.promote(db)
    const job = await claimOne()
    expect(job.slot).not.toBeNull()
    await queue.schedule(db, { ingest: at(10) })
    expect(await slots()).toMatchObject([{ state: 'running' }])
    const next = at(60)
    await queue.reschedule(db, worker, job, next, null)
    expect(await slots()).toEqual([{ kind: 'ingest', slot: next.toISOString(), state: 'scheduled' }])
  })
})
