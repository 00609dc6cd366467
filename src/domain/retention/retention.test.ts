import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AGING, makeOwners, numbers } from '../../../test/support/aging.ts'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { RETENTION_KINDS } from '../../contract/sets.ts'
import { type Database, openDatabase, raw, sql } from '../../db/database.ts'
import { RETENTION_DEFAULTS, type Retained } from '../accounts/retention-days.ts'
import { purge, purgeExpired } from './retention.ts'

let own: TestDatabase
let db: TestDatabase['db']
beforeEach(async () => {
  own = await createDatabase()
  db = own.db
  await makeOwners(db)
})
afterEach(() => own.drop())

const DAYS = 10
const old = sql`now() - interval '11 days'`
const kinds = Object.keys(RETENTION_DEFAULTS) as Retained[]

/** Records how many rows each batch purged. */
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
  const { fill, left } = AGING[kind]

  test('thousands of due rows are purged in batches, and new ones stay', async () => {
    await db.execute(fill(2_500, old))
    await db.execute(fill(30, sql`now()`))
    const counted = counting(db)
    expect(await purge(counted.db, kind, DAYS, { largestBatch: 1_000 })).toBe(2_500)
    expect(Math.max(...counted.batches)).toBeLessThanOrEqual(1_000)
    expect(await db.rows(left)).toHaveLength(30)
    expect(await purge(db, kind, DAYS)).toBe(0)
  })

  test('nothing is purged without a retention', async () => {
    await db.execute(fill(3, old))
    expect(await purge(db, kind, null)).toBe(0)
    expect(await db.rows(left)).toHaveLength(3)
  })
})

test.each(['deliveries', 'outbox'] as const)(
  'a clock that was ahead for a while does not keep %s that came after it',
  async (kind) => {
    await db.execute(AGING[kind].fill(700, sql`now() + interval '2 years'`))
    await db.execute(AGING[kind].fill(1_200, old))
    expect(await purge(db, kind, DAYS)).toBe(1_200)
    expect(await db.rows(AGING[kind].left)).toHaveLength(700)
  },
)

test('a run that exceeds its time leaves the rest to the next', async () => {
  await db.execute(AGING.outbox.fill(2_000, old))
  const first = await purge(db, 'outbox', DAYS, { budget: 1, largestBatch: 100 })
  expect(first).toBeLessThan(2_000)
  expect(first + (await purge(db, 'outbox', DAYS))).toBe(2_000)
})

test('a stopped run ends after its batch', async () => {
  await db.execute(AGING.outbox.fill(200, old))
  expect(await purge(db, 'outbox', DAYS, { signal: AbortSignal.abort() })).toBe(0)
})

test('a batch that exceeds the statement timeout is retried with fewer rows', async () => {
  await db.execute(AGING.deliveries.fill(300, old))
  await db.execute(sql`
    create function linger() returns trigger language plpgsql as ${raw(`$$
      begin perform pg_sleep(0.005); return null; end $$`)}`)
  await db.execute(sql`create trigger lingers after delete on deliveries for each row execute function linger()`)
  const hasty = openDatabase(own.url, { statementTimeout: 1_000 })
  // Only a connection knows where the tables are.
  await hasty.one(sql`select 1`)
  expect(await purge(hasty, 'deliveries', DAYS, { largestBatch: 500 })).toBe(300)
  await hasty.close()
})

test('deliveries are purged while their bodies are, except for a batch that is locked at the end', async () => {
  await db.execute(AGING.bodies.fill(15_000, old))
  const bodies = purge(db, 'bodies', DAYS, { largestBatch: 500 })
  const deliveries = await purge(db, 'deliveries', DAYS, { largestBatch: 500 })
  await bodies
  expect(deliveries).toBeGreaterThanOrEqual(14_500)
})

test('a locked body is left for the next run and blocks nobody', async () => {
  await db.execute(AGING.bodies.fill(50, old))
  const { account_id, id } = (await db.one<{ account_id: number; id: number }>(sql`
    select account_id, id from deliveries order by id limit 1`))!
  await db.transaction(async (other) => {
    await other.rows(sql`select id from deliveries where account_id = ${account_id} and id = ${id} for update`)
    expect(await purge(db, 'bodies', DAYS)).toBe(49)
  })
  expect(await purge(db, 'bodies', DAYS)).toBe(1)
})

test('a replay outlives the delivery it repeats', async () => {
  await db.execute(AGING.deliveries.fill(1, old))
  await db.execute(AGING.deliveries.fill(1, sql`now()`))
  await db.execute(
    sql`update deliveries set replay_of = (select min(id) from deliveries) where id = (select max(id) from deliveries)`,
  )
  expect(await purge(db, 'deliveries', DAYS)).toBe(1)
  expect(await db.rows(sql`select replay_of from deliveries`)).toEqual([{ replay_of: null }])
})

test('rows that wait to be sent or numbered stay, however old', async () => {
  await db.execute(AGING.outgoing.fill(5, old))
  await db.execute(sql`update messages set status = 'waiting'`)
  await db.execute(AGING.outbox.fill(5, old))
  await db.execute(sql`update outbox set position = null`)
  expect(await purge(db, 'outgoing', DAYS)).toBe(0)
  expect(await purge(db, 'outbox', DAYS)).toBe(0)
})

test('expired sessions, links and codes are purged automatically', async () => {
  await db.execute(sql`
    insert into sessions (user_id, token, expires_at)
    select 1, n::text, now() + case when n > 700 then 1 else -1 end * interval '1 hour' from ${numbers(705)}`)
  await db.execute(sql`insert into verifications (identifier, value, expires_at) values ('a', 'b', now() - interval '1 hour')`)
  await db.execute(sql`
    insert into oauth_codes (hash, user_id, code_challenge, client_name, scopes, expires_at)
    values (${Buffer.alloc(32)}, 1, '', '', '{}', now() - interval '25 hours')`)
  expect(await purgeExpired(db)).toBe(702)
  expect(await db.rows(sql`select from sessions`)).toHaveLength(5)
})

test.each(RETENTION_KINDS)(
  'an account with its own retention keeps %s that long if the service keeps it longer or forever, and no longer than the service',
  async (kind) => {
    const { fill, left } = AGING[kind]
    const keep = (days: number) =>
      db.execute(sql`update accounts set retention = jsonb_build_object(${kind}::text, ${days}::integer)`)
    for (const service of [30, null]) {
      await db.execute(fill(20, old))
      await keep(12)
      expect(await purge(db, kind, service)).toBe(0)
      await keep(DAYS)
      expect(await purge(db, kind, service)).toBe(20)
    }
    await db.execute(fill(20, old))
    await keep(100)
    expect(await purge(db, kind, DAYS)).toBe(20)
    expect(await db.rows(left)).toEqual([])
  },
)

test('a backlog in one account delays that of others by a few batches at most', async () => {
  await db.execute(AGING.deliveries.fill(20_000, old))
  await db.execute(sql`
    insert into integrations (id, account_id, project_id, provider, token_hash, token_sealed) values (2, 1, 1, 'linear', ${Buffer.alloc(32, 2)}, '')`)
  await db.execute(sql`update deliveries set integration_id = 2 where id in (select max(id) from deliveries)`)
  const counted = counting(db)
  const gone = async () => (await db.rows(sql`select from deliveries where integration_id = 2`)).length === 0
  const stop = new AbortController()
  const watching: Database = {
    ...counted.db,
    one: async (query, how) => {
      const row = await counted.db.one(query, how)
      if (await gone()) stop.abort()
      return row as never
    },
  }
  await purge(watching, 'deliveries', DAYS, { signal: stop.signal, largestBatch: 100 })
  // The probability that none of a hundred batches starts with it is 2^-100.
  expect(counted.batches.length).toBeLessThan(100)
})

test('a log is kept as long as its build is running', async () => {
  await db.execute(AGING.logs.fill(2, old))
  await db.execute(sql`update build_runs set finished_at = null, updated_at = now() where id = (select min(id) from build_runs)`)
  expect(await purge(db, 'logs', DAYS)).toBe(1)
})

describe('artifacts beyond the number of builds that an account keeps', () => {
  /** Builds of `Pack Win64` on main, newest first, and one of each other series. */
  beforeEach(async () => {
    const build = (
      id: number,
      status: string,
      more: Partial<{ job: string; branch: string; platform: string; kind: string }> = {},
    ) => {
      const { job = 'Pack', branch = 'main', platform = 'Win64', kind = 'regular' } = more
      return db.execute(sql`
        insert into build_runs (id, account_id, project_id, status, ci_job_name, branch, platform, kind, created_at)
        values (${id}, 1, 1, ${status}, ${job}, ${branch}, ${platform}, ${kind}, now() - make_interval(hours => ${100 - id}))`)
    }
    for (const id of [9, 8, 7, 6, 3]) await build(id, 'failed')
    for (const id of [5, 4, 2, 1]) await build(id, 'completed')
    await build(11, 'completed', { job: 'Cook' })
    await build(12, 'completed', { branch: 'release' })
    await build(13, 'completed', { platform: 'PS5' })
    await build(14, 'completed', { kind: 'preflight' })
    await db.execute(sql`
      insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
      select 1, 1, b.id, 'Game.zip', 'one', 1, 1, now(), sha256('1') from build_runs b`)
    await db.execute(sql`
      insert into deployments (account_id, project_id, platform, status, build_run_id, track, live_at)
      values (1, 1, 'steam', 'live', 1, 'default', now() - interval '2 days'), (1, 1, 'steam', 'live', 2, 'default', now() - interval '3 days'),
        (1, 1, 'steam', 'in_review', 3, 'beta', null), (1, 1, 'steam', 'rolled_back', 4, 'beta', now())`)
  })
  const keep = (builds: number) =>
    db.execute(sql`update accounts set retention = jsonb_build_object('artifact_builds', ${builds}::integer) where id = 1`)
  const left = async () =>
    (await db.rows<{ id: number }>(sql`select build_run_id as id from artifacts order by 1 desc`)).map(({ id }) => id)

  test('are deleted, but not those of the newest passed build or of a build in a store', async () => {
    await keep(3)
    expect(await purgeExpired(db)).toBe(3)
    // 6, 4 and 2 are gone: 2 is no longer the newest that is live on its track.
    expect(await left()).toEqual([14, 13, 12, 11, 9, 8, 7, 5, 3, 1])
    expect(await purgeExpired(db)).toBe(0)
  })

  test('stay of the build that counts as passed, not of one that its tests fail', async () => {
    await db.execute(sql`update build_runs set tests_verdict = 'failed' where id = 5`)
    await keep(3)
    expect(await purgeExpired(db)).toBe(3)
    expect(await left()).toEqual([14, 13, 12, 11, 9, 8, 7, 4, 3, 1])
  })

  test('all stay unless the account chooses a number', async () => {
    expect(await purgeExpired(db)).toBe(0)
    expect(await left()).toHaveLength(13)
  })

  test('are deleted in batches', async () => {
    await keep(1)
    const counted = counting(db)
    expect(await purgeExpired(counted.db, { largestBatch: 2 })).toBe(5)
    expect(Math.max(...counted.batches)).toBeLessThanOrEqual(2)
    expect(await left()).toEqual([14, 13, 12, 11, 9, 5, 3, 1])
  })
})
