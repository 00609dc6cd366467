import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../src/contract/sets.ts'
import { openDatabase, type Pool, raw, sql } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { PLACEMENTS } from '../src/domain/accounts/table-placement.ts'
import { sequenceAll } from '../src/domain/feed/sequencer.ts'
import { purge } from '../src/domain/retention/retention.ts'
import * as destinations from '../src/domain/sending/destinations.ts'
import { enqueueMessages } from '../src/domain/webhooks/webhook-messages.ts'
import * as webhooks from '../src/domain/webhooks/webhooks.ts'
import { adminOfDatabase } from './support/admin.ts'
import { listen, titlesOf } from './support/callers/listening.ts'
import { signIn } from './support/callers/visitor.ts'
import { CITUS_PREFIX, type Cluster, startCluster } from './support/servers/cluster.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { commit, push } from './support/tools.ts'
import { until } from './support/until.ts'

const KEYS = ['owl', 'fox', 'elk', 'bat']
const PASSWORD = 'a long password of the studio'
const WORLD = {
  accounts: KEYS.map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
  users: KEYS.map((key) => ({ key, email: `${key}@example.com`, name: key, password: PASSWORD, accounts: { [key]: 'owner' } })),
  projects: KEYS.map((key) => ({ key, account: key, name: key })),
  tasks: KEYS.map((key) => ({ key, project: key, title: `${key} draws` })),
  tokens: KEYS.map((key) => ({ key, user: key, name: key, scopes: SCOPES })),
  integrations: KEYS.flatMap((key) =>
    ['github', 'jenkins'].map((provider) => ({ key: `${provider}-${key}`, project: key, provider })),
  ),
}

const suite = CITUS_PREFIX ? describe : describe.skip
suite(`a filled database on a coordinator and two workers${CITUS_PREFIX ? '' : ' [CITUS_PREFIX not set]'}`, () => {
  let cluster: Cluster
  let db: Pool
  let studio: Studio
  let world: Studio['world']
  let before: Record<string, number>
  let url: string
  const answers: Record<string, string> = {}

  /** The connection that distributes is lost in the middle. */
  const interrupted = async () => {
    const running = adminOfDatabase(url, 'distribute', '--yes')
    const operator = openDatabase(cluster.servers[0]!, { max: 1 })
    const end = sql`
      select pg_terminate_backend(pid) from pg_stat_activity where query like 'select create_distributed_table(%' and datname = 'studios'`
    await Promise.race([running, until(async () => (await operator.rows(end)).length > 0)])
    await operator.close()
    return running
  }

  const counts = async () => {
    const tables = Object.keys(PLACEMENTS).map((table) => sql`select ${table} as name, count(*) from ${raw(table)}`)
    const rows: { name: string; count: number }[] = []
    for (const table of tables) rows.push(...(await db.rows<{ name: string; count: number }>(table)))
    return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
  }

  beforeAll(async () => {
    cluster = await startCluster()
    url = await cluster.create('studios')
    await migrate(url)
    const open = () => openDatabase(url, { max: 8, statementTimeout: 60_000 })
    db = open()
    const loading = await openStudio(WORLD, { beside: { db, url, drop: async () => {} } })
    world = loading.world
    await loading.close()
    before = await counts()
    answers.serving = await adminOfDatabase(url, 'distribute').catch(({ message }) => message)
    await db.close()
    answers.preview = await adminOfDatabase(url, 'distribute')
    answers.interrupted = await interrupted().catch(({ message }) => message)
    answers.done = await adminOfDatabase(url, 'distribute', '--yes')
    db = open()
    studio = await openStudio({}, { beside: { db, url, drop: async () => {} } })
  })
  afterAll(async () => {
    await studio?.close()
    await db?.close()
    await cluster?.stop()
  })

  const token = (key: string) => world.tokens![key]!.token as string
  const ids = (kind: 'accounts' | 'projects', key: string) => Number(world[kind]![key]!.id)

  /** The number of the server that stores an account's rows. */
  const serverOf = async (key: string) => {
    const { nodeport } = (await db.one<{ nodeport: number }>(sql`
      select s.nodeport from citus_shards s
      where s.table_name = 'tasks'::regclass and s.shardid = get_shard_id_for_distribution_column('tasks', ${ids('accounts', key)}::integer)`))!
    return cluster.servers.findIndex((server) => server.includes(`:${nodeport}/`))
  }
  const tasksOf = (key: string) => `/api/v1/projects/${ids('projects', key)}/tasks`
  const createTask = async (key: string, title: string, headers = {}) =>
    (await studio.ask(tasksOf(key), { method: 'POST', token: token(key), headers, body: { task: { title } } })).status
  const report = async (key: string, [provider, path]: ['github', 'github'] | ['jenkins', 'ci'], body: object) => {
    const { webhook_token } = world.integrations![`${provider}-${key}`]!
    const headers = { 'x-github-event': 'push', 'x-github-delivery': randomUUID() }
    return (await studio.ask(`/webhooks/${path}?token=${webhook_token}`, { method: 'POST', headers, body })).status
  }
  const pushTo = (key: string) => report(key, ['github', 'github'], push([commit(randomBytes(20).toString('hex'))]))
  const reportBuild = (key: string) =>
    report(key, ['jenkins', 'ci'], { job_name: randomUUID(), build_number: 1, status: 'FAILURE' })
  const titlesIn = async (key: string): Promise<string[]> => {
    const { status, json } = await studio.ask(tasksOf(key), { token: token(key) })
    return status === 200 ? json.tasks.map(({ title }: { title: string }) => title) : [`status ${status}`]
  }

  test('distribution says what it would do, takes place after an interruption, and is refused the second time', async () => {
    expect(answers.serving).toBe('The service is connected to this database. Stop all its processes first.')
    const count = (wanted: string) => Object.values(PLACEMENTS).filter((placement) => placement === wanted).length
    const plan = [
      `Workers: ${cluster.servers
        .slice(1)
        .map((server) => new URL(server).host)
        .sort()
        .join(', ')}`,
      `Distributed by account: ${count('by account')} tables of 4 accounts`,
      `Copied to every server: ${count('copied')} tables`,
      `Only on the coordinator: ${count('central')} tables`,
      expect.stringMatching(/^Size of the database: \d+ MB$/),
    ]
    const lines = (text: string) => text.trimEnd().split('\n')
    expect(lines(answers.preview!)).toEqual([
      ...plan,
      'Nothing was changed. To distribute, stop the service, make a backup and add --yes.',
    ])
    expect(answers.interrupted).toMatch(/terminat/)
    expect(lines(answers.done!)).toEqual([...plan, 'Done. Start the service with the same DATABASE_URL, without a pooler.'])
    await expect(adminOfDatabase(url, 'distribute')).rejects.toThrow(/^This database is already distributed\./)
  })

  test('distribution without workers is refused', async () => {
    const operator = openDatabase(cluster.servers[0]!, { max: 1 })
    await operator.execute(sql`create database alone`)
    const alone = openDatabase(cluster.servers[0]!.replace(/[^/]*$/, 'alone'), { max: 1 })
    await alone.execute(sql`create extension citus`)
    await alone.close()
    await operator.close()
    await expect(adminOfDatabase(alone.url, 'distribute', '--yes')).rejects.toThrow(
      'The cluster has no workers: add them with citus_add_node (docs/scale.md).',
    )
  })

  test('has the same rows as before, on both workers', async () => {
    expect(await counts()).toEqual(before)
    const workers = await db.rows(sql`
      select distinct s.nodeport from accounts a, citus_shards s
      where s.table_name = 'tasks'::regclass and s.shardid = get_shard_id_for_distribution_column('tasks', a.id)`)
    expect(workers).toHaveLength(2)
  })

  test('a new pool knows before its first statement that the tables are distributed', async () => {
    const fresh = openDatabase(url, { max: 1 })
    expect(await fresh.isDistributed()).toBe(true)
    await fresh.close()
  })

  test('lists of a project and a single task are read', async () => {
    const project = `/api/v1/projects/${ids('projects', 'owl')}`
    const task = `${project}/tasks/${world.tasks!.owl!.id}`
    const lists = ['tasks', 'build_runs', 'assets', 'deployments'].map((list) => `${project}/${list}`)
    for (const path of ['/api/v1/ping', '/api/v1/projects', ...lists, task]) {
      const { status } = await studio.ask(path, { token: token('owl') })
      expect([path, status]).toEqual([path, 200])
    }
  })

  test('a stream gets the events of its account in order, and those of another account never', async () => {
    const listeners = await Promise.all(KEYS.map((key) => listen({ site: studio.site, token: token(key) })))
    for (const title of ['first', 'second'])
      for (const key of KEYS)
        await db.execute(sql`
          insert into tasks (account_id, project_id, title) values (${ids('accounts', key)}, ${ids('projects', key)}, ${`${key} ${title}`})`)
    await Promise.all(listeners.map((one) => one.until(2)))
    expect(listeners.map(({ events }) => titlesOf(events))).toEqual(KEYS.map((key) => [`${key} first`, `${key} second`]))
    for (const one of listeners) one.stop()
  })

  test('events of accounts on both workers are queued for their webhooks once, found by the sender, and purged', async () => {
    for (const key of KEYS)
      await webhooks.create(db, studio.service.vault, { account_id: ids('accounts', key), url: 'https://gold.example/hook' })
    for (const key of KEYS)
      await db.execute(sql`
        insert into tasks (account_id, project_id, title) values (${ids('accounts', key)}, ${ids('projects', key)}, ${`${key} sends`})`)
    await sequenceAll(db)
    while (await enqueueMessages(db));
    const queued = await db.rows(sql`select account_id, payload::json ->> 'type' as type from messages order by account_id`)
    expect(queued).toEqual(KEYS.map((key) => ({ account_id: ids('accounts', key), type: 'task.state_changed' })))
    expect(await destinations.due(db, { busy: [], resting: [], free: 100 })).toHaveLength(KEYS.length)
    for (const key of KEYS)
      await db.execute(sql`
        update messages set status = 'delivered', created_at = now() - interval '40 days' where account_id = ${ids('accounts', key)}`)
    expect(await purge(db, 'outgoing', 30)).toBe(KEYS.length)
    expect(await purge(db, 'mails', 30)).toBe(0)
  })

  test('deleting a record clears the references to it, and what belongs to it is deleted', async () => {
    const [account, project] = [ids('accounts', 'fox'), ids('projects', 'fox')]
    const change = (await db.one<{ id: number }>(sql`
      insert into changes (account_id, project_id, identifier, source_type) values (${account}, ${project}, 'a', 'GitCommit') returning id`))!
    await db.execute(sql`
      insert into assets (account_id, project_id, name, path, asset_type, last_change_id)
      values (${account}, ${project}, 'hero', 'hero.png', 'texture', ${change.id})`)
    await db.execute(sql`delete from changes where account_id = ${account} and id = ${change.id}`)
    expect(await db.rows(sql`select last_change_id from assets where account_id = ${account}`)).toEqual([
      { last_change_id: null },
    ])
  })

  test('a killed worker stops only its own accounts; nothing acknowledged is lost, and all continue after its restart', async () => {
    const places = new Map<string, number>()
    for (const key of KEYS) places.set(key, await serverOf(key))
    const killed = places.get('owl')!
    const [down, up] = [KEYS.filter((key) => places.get(key) === killed), KEYS.filter((key) => places.get(key) !== killed)]
    for (const key of KEYS) expect(await createTask(key, 'before')).toBe(201)
    const listeners = await Promise.all(up.map((key) => listen({ site: studio.site, token: token(key) })))
    await cluster.kill(killed)
    try {
      for (const key of up) {
        expect([key, await createTask(key, 'meanwhile')]).toEqual([key, 201])
        expect(await titlesIn(key)).toEqual(expect.arrayContaining(['before', 'meanwhile']))
        expect([key, await pushTo(key), await reportBuild(key)]).toEqual([key, 200, 200])
        expect([key, await createTask(key, 'repeatable', { 'idempotency-key': randomUUID() })]).toEqual([key, 201])
        const visitor = await signIn(studio, `${key}@example.com`, PASSWORD)
        expect([key, (await visitor.app('/me')).status]).toEqual([key, 200])
      }
      await Promise.all(listeners.map((one) => until(() => titlesOf(one.events).includes('meanwhile'))))
      for (const one of listeners) one.stop()
      for (const key of down) expect(await createTask(key, 'refused')).toBeGreaterThanOrEqual(500)
    } finally {
      await cluster.start(killed)
    }
    for (const key of down) {
      await expect.poll(() => createTask(key, 'after')).toBe(201)
      const titles = await titlesIn(key)
      expect(titles).toEqual(expect.arrayContaining(['before', 'after']))
      expect(titles).not.toContain('refused')
    }
    for (const key of up) expect(await createTask(key, 'after')).toBe(201)
  })

  test('a silent worker stops only its own accounts, and does not keep the connections of others', async () => {
    const silent = await serverOf('owl')
    const up: string[] = []
    for (const key of KEYS) if ((await serverOf(key)) !== silent) up.push(key)
    // Fewer connections than requests for the silent worker, and a timeout that the test can wait for.
    const few = openDatabase(url, { max: 4, statementTimeout: 4_000 })
    const beside = await openStudio({}, { beside: { db: few, url, drop: async () => {} } })
    const ask = async (key: string) => {
      const body = { task: { title: 'silence' } }
      const { status, json } = await beside.ask(tasksOf(key), { method: 'POST', token: token(key), body })
      return status === 201 ? status : json.error
    }
    const thaw = await cluster.freeze(silent)
    try {
      await expect.poll(() => ask('owl')).toBe('unavailable')
      const refused = Promise.all(Array.from({ length: 20 }, () => ask('owl')))
      for (const key of up) expect([key, await ask(key)]).toEqual([key, 201])
      expect(new Set(await refused)).toEqual(new Set(['unavailable']))
    } finally {
      thaw()
    }
    await expect.poll(() => ask('owl')).toBe(201)
    await beside.close()
    await few.close()
  })
})
