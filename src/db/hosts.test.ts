import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openNode } from '../../test/support/killing.ts'
import { openPair, type Pair } from '../../test/support/servers/standby.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { until } from '../../test/support/until.ts'
import { isConnectionError, openDatabase, type Pool, sql } from './database.ts'
import { readHostList } from './hosts.ts'
import { migrate } from './migrate.ts'

test.each([
  'postgres://db/gold',
  'postgres://me:a,b@db:5432/gold?target_session_attrs=read-write',
  'postgresql://me@/gold?host=%2Fa%2Cb&port=5432',
  'no address',
])('%s has one host', (url) => {
  expect(readHostList(url)).toBe(undefined)
})

test.each([
  ['postgres://a:5432,b:5433/gold', ['postgres://a:5432/gold', 'postgres://b:5433/gold'], 'read-write'],
  [
    'postgresql://me:h%40sh@a,[::1]:5433,c/gold?sslmode=require&target_session_attrs=primary',
    ['a', '[::1]:5433', 'c'].map((host) => `postgresql://me:h%40sh@${host}/gold?sslmode=require`),
    'primary',
  ],
  [
    'postgres://me@/gold?target_session_attrs=any&host=/a,/b&port=1,2&sslmode=disable',
    ['postgres://me@/gold?host=/a&port=1&sslmode=disable', 'postgres://me@/gold?host=/b&port=2&sslmode=disable'],
    'any',
  ],
  ['postgres:///gold?host=a,b&port=7', ['postgres:///gold?host=a&port=7', 'postgres:///gold?host=b&port=7'], 'read-write'],
])('%s has several', (url, urls, target) => {
  expect(readHostList(url)).toEqual({ urls, target })
})

test.each([
  ['postgres://a,,b/gold', 'empty'],
  ['postgres://a,b/gold?target_session_attrs=standby', 'target_session_attrs'],
  ['postgres:///gold?host=a,b,c&port=1,2', '2 ports for 3 hosts'],
])('%s is refused', (url, why) => {
  expect(() => readHostList(url)).toThrow(why)
})

test('a connection whose server refused a write is not used again', async () => {
  const db = openDatabase(inject('server'), { max: 1 })
  const demote = () => db.one(sql`select set_config('default_transaction_read_only', 'on', false)`)
  const write = (at: { execute: Pool['execute'] }) => at.execute(sql`create temporary table written (id int) on commit drop`)
  const persist = (at: { execute: Pool['execute'] }) => at.execute(sql`create table if not exists hosts_test (id int)`)
  await demote()
  await expect(db.transaction(persist)).rejects.toMatchObject({ code: '25006' })
  await db.transaction(write)
  await demote()
  const client = await db.pool.connect()
  await expect(client.query('create table hosts_test (id int)')).rejects.toMatchObject({ code: '25006' })
  client.release()
  await db.transaction(write)
  expect(await db.one(sql`select current_setting('transaction_read_only') as read_only`)).toEqual({ read_only: 'off' })
  await db.close()
})

// On Windows a server would need its own port and password.
describe.skipIf(process.platform === 'win32')('several hosts', () => {
  let pair: Pair
  const opened: Pool[] = []
  beforeAll(async () => {
    pair = await openPair()
  })
  afterAll(async () => {
    await Promise.all(opened.map((db) => db.close()))
    await pair?.close()
  })

  const folderOf = (url: string) => /host=([^&]+)/.exec(url)![1]!
  const listOf = (hosts: string[], target: string) =>
    `postgresql://goldmaster@/goldmaster?host=${hosts.join(',')}&port=5432&sslmode=disable&target_session_attrs=${target}`
  const both = () => [folderOf(pair.standby.url), folderOf(pair.primary.url)]
  const open = (url: string, max = 4) => {
    const db = openDatabase(url, { max })
    opened.push(db)
    return db
  }
  const isStandby = async (db: Pool) => (await db.one<{ standby: boolean }>(sql`select pg_is_in_recovery() as standby`))!.standby

  test('the first suitable one is used', async () => {
    expect(await isStandby(open(listOf(both(), 'any')))).toBe(true)
    expect(await isStandby(open(listOf(both(), 'primary')))).toBe(false)
    expect(await isStandby(open(listOf(['/nowhere', ...both()], 'read-write')))).toBe(false)
  })

  test('one that accepts connections and does not respond does not delay the others', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((done) => silent.once('listening', done))
    const { port } = silent.address() as { port: number }
    const list = `postgresql://goldmaster@/goldmaster?host=127.0.0.1,${folderOf(pair.primary.url)}&port=${port},5432`
    expect(await isStandby(open(list))).toBe(false)
    silent.close()
  })

  test('if none is suitable each is listed with its reason, as a transient error', async () => {
    const [standby] = both()
    const error: Error = await open(listOf(['/nowhere', standby!], 'primary'))
      .one<never>(sql`select 1`)
      .catch((error) => error)
    expect(error.message).toBe(
      `none of the hosts is primary (/nowhere:5432: ENOENT; ${decodeURIComponent(standby!)}:5432: is a standby)`,
    )
    expect(isConnectionError(error)).toBe(true)
  })

  test('a read-only primary is skipped for read-write', async () => {
    await pair.primary.db.onOneConnection(async (session) => {
      await session.execute(sql`alter database goldmaster set default_transaction_read_only = on`)
      await expect(open(listOf(both(), 'read-write')).one(sql`select 1`)).rejects.toThrow('is read-only')
      expect(await isStandby(open(listOf(both(), 'primary')))).toBe(false)
      await session.execute(sql`alter database goldmaster reset default_transaction_read_only`)
    })
  })

  test('the service writes to the primary, and after a failover to its successor, automatically', async () => {
    const url = listOf(both(), 'read-write')
    await migrate(url)
    const db = open(url, 8)
    const studio: Studio = await openStudio(
      {
        accounts: [{ key: 'owl', name: 'Night Owl' }],
        projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
        integrations: [{ key: 'perforce', project: 'star', provider: 'perforce' }],
      },
      { beside: { db, url, drop: async () => {} } },
    )
    const node = await openNode(studio)
    const address = `${node.site}/webhooks/perforce?token=${studio.world.integrations!.perforce!.webhook_token}`
    const post = (changelist: number) =>
      fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ changelist, user: 'kim', description: 'Paint', files: ['//depot/a.png'] }),
      }).then(({ ok }) => ok)
    const changes = async (at: Pool) => (await at.one<{ count: number }>(sql`select count(*) as count from changes`))!.count
    expect(await post(1)).toBe(true)
    // An accepted delivery is recorded by a job, which has its own connections.
    await until(async () => (await changes(pair.standby)) === 1)
    await pair.stopPrimary()
    await pair.promote()
    await until(() => post(2))
    await until(async () => (await changes(pair.standby)) === 2)
    expect(await node.kill('SIGTERM')).toBe(0)
    await studio.close()
  })
})
