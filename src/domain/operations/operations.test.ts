import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import { RETENTION_DEFAULTS } from '../accounts/retention-days.ts'
import { purgeExpired } from '../retention/retention.ts'
import { judged } from './areas.ts'
import { listNodes, type NodeProcess, removeNode, reportNode } from './nodes.ts'
import { RefusedRequests, readRefused } from './refused-requests.ts'
import { readSizes, recordSizes } from './sizes.ts'
import { readSlowStatements } from './slow-statements.ts'
import { readStatus } from './status.ts'

let own: TestDatabase | undefined
let db: TestDatabase['db']
beforeEach(async () => {
  await own?.drop()
  own = await createDatabase()
  db = own.db
})
afterAll(() => own?.drop())

const process = (host: string, more: Partial<NodeProcess> = {}): NodeProcess => ({
  id: randomUUID(),
  host,
  role: 'serve',
  version: '2.0.0',
  mails: true,
  backs_up: true,
  ...more,
})
const areaOf = async (name: string) =>
  judged(await readStatus(db, { retention: RETENTION_DEFAULTS })).find((area) => area.name === name)!

test('processes of one machine are one node, which is removed when it stops', async () => {
  const [serving, working] = [process('owl'), process('owl', { role: 'work' })]
  await reportNode(db, serving, [])
  await reportNode(db, working, ['https://ci.example', 'ssl:p4.example:1666'])
  await reportNode(db, working, ['https://ci.example'])
  expect(await listNodes(db)).toMatchObject([
    { host: 'owl', processes: 2, roles: ['serve', 'work'], versions: ['2.0.0'], silent_servers: ['https://ci.example'] },
  ])
  await removeNode(db, serving.id)
  await removeNode(db, working.id)
  expect(await listNodes(db)).toEqual([])
})

test('a node that ended without signing off is shown as vanished, until its machine is back or a day is over', async () => {
  await reportNode(db, process('owl'), [])
  await reportNode(db, process('fox'), ['https://ci.example'])
  await db.execute(sql`update nodes set seen_at = now() - interval '10 minutes'`)
  await reportNode(db, process('owl'), [])
  expect(await listNodes(db)).toMatchObject([
    { host: 'fox', vanished: true },
    { host: 'owl', vanished: false, processes: 1 },
  ])
  expect(await areaOf('nodes')).toMatchObject({ level: 'warn', text: 'No report from fox.' })
  expect((await areaOf('breakers')).level, 'what it noticed is out of date').toBe('ok')
  await db.execute(sql`update nodes set seen_at = now() - interval '25 hours' where host = 'fox'`)
  await purgeExpired(db)
  expect((await listNodes(db)).map(({ host }) => host)).toEqual(['owl'])
})

test('nodes of two versions are listed until the upgrade is done', async () => {
  await reportNode(db, process('owl'), [])
  await reportNode(db, process('fox', { version: '1.9.0' }), [])
  expect(await areaOf('nodes')).toMatchObject({ level: 'warn', text: 'Nodes run different versions: 1.9.0, 2.0.0.' })
})

test('refused requests are summed by account and address, over all processes', async () => {
  await db.execute(sql`insert into accounts (id, name) overriding system value values (1, 'Owl')`)
  for (const count of [2, 3]) {
    const refused = new RefusedRequests()
    for (let i = 0; i < count; i++) refused.add({ account_id: 1, address: '192.0.2.1', reason: 'LIMIT_WEBHOOKS' })
    refused.add({ account_id: null, address: '192.0.2.2', reason: 'LIMIT_REQUESTS_PER_IP' })
    // An account that was deleted meanwhile.
    refused.add({ account_id: 77, address: '192.0.2.3', reason: 'LIMIT_WEBHOOKS' })
    await refused.flush(db)
    await refused.flush(db)
  }
  expect(await readRefused(db)).toEqual({
    count: 7,
    most: [
      { account_id: 1, account: 'Owl', address: '192.0.2.1', reason: 'LIMIT_WEBHOOKS', count: 5 },
      { account_id: null, account: null, address: '192.0.2.2', reason: 'LIMIT_REQUESTS_PER_IP', count: 2 },
    ],
  })
  expect(await areaOf('refused')).toMatchObject({
    level: 'warn',
    next: 'If these requests are legitimate, raise LIMIT_WEBHOOKS, LIMIT_REQUESTS_PER_IP.',
  })
})

test('an account with thousands of addresses fills only its own share, and nothing is kept for longer than a week', async () => {
  await db.execute(sql`insert into accounts (id, name) overriding system value values (1, 'Owl'), (2, 'Fox')`)
  for (let flushes = 0; flushes < 10; flushes++) {
    const refused = new RefusedRequests()
    for (let i = 0; i < 500; i++) refused.add({ account_id: 1, address: `10.0.${flushes}.${i}`, reason: 'rate_limited' })
    await refused.flush(db)
  }
  const late = new RefusedRequests()
  late.add({ account_id: 2, address: '192.0.2.9', reason: 'rate_limited' })
  await late.flush(db)
  const rows = await db.rows<{ account_id: number; rows: number; count: number }>(sql`
    select account_id, count(*) as rows, sum(count)::bigint as count from refused_requests group by account_id order by account_id`)
  expect(rows).toEqual([
    { account_id: 1, rows: expect.any(Number), count: 5_000 },
    { account_id: 2, rows: 1, count: 1 },
  ])
  expect(rows[0]!.rows).toBeLessThan(130)
  expect(await db.rows(sql`select address from refused_requests where account_id = 2`)).toEqual([{ address: '192.0.2.9' }])
  await db.execute(sql`update refused_requests set day = day - 8`)
  await purgeExpired(db)
  expect(await db.rows(sql`select from refused_requests`)).toEqual([])
})

test('growth is shown per day, once there are two days to compare', async () => {
  expect(await readSizes(db)).toMatchObject({ growth: null, log_growth: null })
  await recordSizes(db)
  await recordSizes(db)
  const days = sql`select day from daily_sizes`
  expect(await db.rows(days)).toHaveLength(1)
  await db.execute(sql`
    update daily_sizes set day = day - 4, database_bytes = database_bytes - 4000000, log_bytes = log_bytes + 4000`)
  await recordSizes(db)
  const { growth, log_growth, bytes } = await readSizes(db)
  expect(bytes).toBeGreaterThan(1_000_000)
  expect(growth).toBeGreaterThanOrEqual(1_000_000)
  expect(log_growth).toBe(-1_000)
  expect(await db.rows(days)).toHaveLength(2)
})

test('slow statements are shown as not recorded if PostgreSQL lacks the extension or its library is not loaded', async () => {
  expect(await readSlowStatements(db)).toEqual({ recorded: false, statements: [] })
  await db.execute(sql`create extension if not exists pg_stat_statements`)
  const { rows } = await db.pool.query<{ loaded: string }>(`select current_setting('shared_preload_libraries') as loaded`)
  expect((await readSlowStatements(db)).recorded).toBe(rows[0]!.loaded.includes('pg_stat_statements'))
  expect(await areaOf('statements')).toMatchObject({ level: 'ok', next: expect.stringContaining('pg_stat_statements') })
})

test('a failed backup is shown with the last good one, and a good one with its age', async () => {
  await reportNode(db, process('owl'), [])
  expect(await areaOf('backups')).toMatchObject({ level: 'warn', text: 'No backup was made yet.' })
  const backup = (status: string, hours: number, error = '') =>
    db.execute(sql`
      insert into backups (place, name, status, test, error, started_at)
      values ('/mnt/backups', ${`${status}-${hours}`}, ${status}, 'restored', ${error}, now() - make_interval(hours => ${hours}))`)
  await backup('good', 20)
  expect(await areaOf('backups')).toMatchObject({ level: 'ok', text: 'The last backup is 20 h old and passed its restore test.' })
  await backup('failed', 2, 'The disk is full.')
  await backup('running', 0)
  expect(await areaOf('backups')).toMatchObject({
    level: 'err',
    text: 'The last backup failed: The disk is full.',
    next: expect.stringContaining('good-20, 20 h old'),
  })
  await db.execute(sql`delete from backups where status <> 'good'`)
  await db.execute(sql`update backups set started_at = started_at - interval '20 hours'`)
  expect(await areaOf('backups')).toMatchObject({ level: 'err', text: 'The last good backup is 40 h old.' })
})

test('data is overdue only once it is older than its retention, and by as much', async () => {
  const { id } = (await db.one<{ id: number }>(sql`
    with a as (insert into accounts (name) values ('Night Owl') returning id)
    insert into projects (account_id, name, engine) select id, 'Starfall', 'unreal' from a returning id`))!
  const overdueAfter = async (age: string) => {
    await db.execute(sql`delete from outbox`)
    await db.execute(sql`
      insert into outbox (account_id, project_id, kind, row_id, event_type, happened_at, facts, position, written_at)
      select account_id, id, 'task', '1', 'task.state_changed', now(), '{}', 1, now() - ${age}::interval from projects where id = ${id}`)
    return (await readStatus(db, { retention: RETENTION_DEFAULTS })).overdue.outbox
  }
  expect(await overdueAfter('2 hours')).toBe(0)
  expect((await areaOf('purges')).level).toBe('ok')
  expect(Math.round((await overdueAfter('9 days')) / 86_400)).toBe(2)
})

test('previews that wait are counted, and worth a warning after an hour', async () => {
  await db.execute(sql`insert into accounts (id, name) overriding system value values (1, 'Owl')`)
  await db.execute(sql`insert into projects (id, account_id, name) overriding system value values (1, 1, 'Starfall')`)
  const [asset] = await db.rows<{ id: string }>(
    sql`insert into assets (account_id, project_id, name, path, asset_type) values (1, 1, 'T_Rock', 'T_Rock', 'texture') returning id`,
  )
  const add = (version: number, state: string, minutes: number) =>
    db.execute(sql`
      insert into previews (account_id, project_id, asset_id, version, state, created_at)
      values (1, 1, ${asset!.id}, ${version}, ${state}, now() - make_interval(mins => ${minutes}))`)
  expect(await areaOf('previews')).toMatchObject({ level: 'ok', text: 'No previews are waiting.' })
  await add(1, 'pending', 50)
  await add(2, 'none', 600)
  expect(await areaOf('previews')).toMatchObject({ level: 'ok', text: '1 preview is waiting.' })
  await add(3, 'pending', 70)
  expect(await areaOf('previews')).toMatchObject({
    level: 'warn',
    text: expect.stringMatching(/^A preview has been waiting for 7\d min/),
  })
})
