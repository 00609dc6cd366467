import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { admin } from '../../test/support/admin.ts'
import { AGING, makeOwners } from '../../test/support/aging.ts'
import { createDatabase } from '../../test/support/database.ts'
import { sql } from '../db/database.ts'
import { enqueue } from '../db/queue.ts'
import { reportNode } from '../domain/operations/nodes.ts'
import { RefusedRequests } from '../domain/operations/refused-requests.ts'
import { Vault } from '../domain/privacy/secrets.ts'

test('status prints what waits, what is disabled, what is overdue, and all sizes', async () => {
  const own = await createDatabase()
  const { db } = own
  const status = (...words: string[]) => admin({ db, vault: new Vault('a key of these tests') }, 'status', ...words)
  await makeOwners(db)
  const quiet = JSON.parse(await status('--json'))
  expect(quiet).toMatchObject({
    oldest_job_seconds: 0,
    waiting_deliveries: 0,
    oldest_delivery_seconds: 0,
    silent_servers: 0,
    unsent_mails: 0,
    deliveries_overdue_seconds: 0,
    jobs: [],
  })
  expect(quiet.destinations).toEqual([
    { kind: 'channel', status: 'active', count: 1, failing: 0 },
    { kind: 'webhook', status: 'active', count: 1, failing: 0 },
  ])

  await db.execute(sql`update destinations set status = 'broken', failing_since = now() where kind <> 'webhook'`)
  await db.execute(sql`update destinations set status = 'paused' where kind = 'webhook'`)
  await db.execute(AGING.deliveries.fill(1, sql`now() - interval '182 days'`))
  await db.execute(sql`update deliveries set deferred = true, outcome = 'accepted' where id = (select min(id) from deliveries)`)
  await db.execute(sql`insert into mails (to_user_id, subject, text) values (1, 'Hello', 'Hello')`)
  for (const looks of [1, 2]) {
    const asking = { account_id: 1, build_run_id: looks, offset: 0, looks }
    await enqueue(db, 'poll_jenkins', asking, { server: 'https://ci.example', account_id: 1 })
  }
  await enqueue(db, 'recompute_breakages', { account_id: 1, project_id: 1, job: 'night' }, {})
  await db.execute(sql`
    update jobs set run_at = now() + interval '10 minutes' * case when kind = 'recompute_breakages' then -1 else 1 end`)
  await reportNode(db, { id: randomUUID(), host: 'owl-1', role: 'work', version: '1.2.3', mails: true, backs_up: false }, [
    'https://ci.example',
  ])
  const refused = new RefusedRequests()
  refused.add({ account_id: null, address: '192.0.2.7', reason: 'LIMIT_REQUESTS_PER_IP' })
  await refused.flush(db)
  const busy = JSON.parse(await status('--json'))
  expect(busy).toMatchObject({ silent_servers: 1, unsent_mails: 1, connections: expect.any(Number) })
  expect(busy.waiting_deliveries).toBe(1)
  expect(busy.oldest_delivery_seconds).toBeGreaterThan(600)
  expect(busy.oldest_job_seconds).toBeGreaterThanOrEqual(600)
  expect(busy.deliveries_overdue_seconds).toBeGreaterThanOrEqual(2 * 86_400 - 1)
  expect(busy.jobs).toEqual([
    { kind: 'poll_jenkins', state: 'scheduled', count: 2 },
    { kind: 'recompute_breakages', state: 'waiting', count: 1 },
  ])
  expect(busy.destinations).toEqual([
    { kind: 'channel', status: 'broken', count: 1, failing: 1 },
    { kind: 'webhook', status: 'paused', count: 1, failing: 0 },
  ])
  expect(busy.database_bytes).toBeGreaterThan(0)
  expect(busy.nodes).toMatchObject([
    { host: 'owl-1', versions: ['1.2.3'], silent_servers: ['https://ci.example'], vanished: false },
  ])
  expect(busy.refused).toEqual([
    { account_id: null, account: null, address: '192.0.2.7', reason: 'LIMIT_REQUESTS_PER_IP', count: 1 },
  ])
  const levels = Object.fromEntries(busy.states.map(({ name, level }: { name: string; level: string }) => [name, level]))
  expect(levels).toMatchObject({
    nodes: 'ok',
    queue: 'err',
    destinations: 'warn',
    breakers: 'warn',
    purges: 'warn',
    backups: 'warn',
  })
  expect(busy.tables).toHaveLength(8)
  expect(await status()).toContain('recompute_breakages')
  await own.drop()
})
