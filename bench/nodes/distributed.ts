import { randomBytes, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { SCOPES } from '../../src/contract/sets.ts'
import { isTransient, openDatabase, type Pool, type Sql, sql } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import { CITUS_PREFIX, distributeDatabase, startCluster } from '../../test/support/servers/cluster.ts'
import { cpuOfEach, usedBetween } from '../harness/cpu.ts'
import { openCluster } from '../harness/database.ts'
import { build, SECRET, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable } from '../harness/table.ts'

/**
 * Accounts on a Citus coordinator with two workers, and the same on one plain server: pushes, builds, tasks, lists, search and streams. A
 * worker is killed under load, and shards move while the service serves. Needs CITUS_PREFIX.
 */
const ACCOUNTS = Number(process.argv[3] ?? 200)
const CONNECTIONS = 6
/** Requests of each kind per account while the processor's time is measured. */
const ROUNDS = 1
const LISTENERS = 20
const DOWN_MS = 10_000

const KEYS = Array.from({ length: ACCOUNTS }, (_, i) => `a${i}`)
const WORLD = {
  accounts: KEYS.map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
  users: KEYS.map((key) => ({ key, email: `${key}@example.com`, name: key, accounts: { [key]: 'owner' } })),
  projects: KEYS.map((key) => ({ key, account: key, name: key })),
  tasks: KEYS.flatMap((key) => [1, 2, 3].map((n) => ({ key: `${key}-${n}`, project: key, title: `crate ${n} of ${key}` }))),
  tokens: KEYS.map((key) => ({ key, user: key, name: key, scopes: SCOPES })),
  integrations: KEYS.flatMap((key) => [
    { key: `git-${key}`, project: key, provider: 'github' },
    { key: `ci-${key}`, project: key, provider: 'jenkins' },
  ]),
}
type World = Awaited<ReturnType<typeof loadWorld>>

export async function benchDistributed() {
  if (!CITUS_PREFIX) throw new Error('Set CITUS_PREFIX to the folder above bin of a PostgreSQL with Citus.')
  build()
  const plain = await openCluster()
  const { url } = await plain.create('plain')
  const alone = await measured('one plain server', url, [url])
  print([alone])
  await plain.close()
  const cluster = await startCluster()
  try {
    const url = await cluster.create('studios')
    await migrate(url)
    await distributeDatabase(url)
    const spread = await measured('coordinator and two workers', url, cluster.servers, async (load) => {
      const db = openDatabase(url, { max: 2, statementTimeout: 120_000 })
      printTable('a worker killed under load', ...(await whileKilled(load, db, cluster)))
      printTable('shards moved under load', ...(await whileMoving(load, db)))
      await load.heardAll()
      printTable('at the end', ['acknowledged', 'lost', 'to be heard by streams', 'missed'], [await load.lost(db)])
      await db.close()
    })
    print([alone, spread])
  } finally {
    await cluster.stop()
  }
}

const print = (rows: (string | number)[][]) =>
  printTable('processor milliseconds per request', ['', ...KINDS, 'of it service', 'coordinator', 'workers', 'failed'], rows)

const KINDS = ['push', 'build', 'task', 'list', 'search'] as const
type Kind = (typeof KINDS)[number]

interface Load {
  /** Sends requests of all accounts until told to stop; counts failures by account. */
  until(over: () => boolean): Promise<Map<string, { ok: number; failed: number }>>
  heardAll(): Promise<void>
  /** Account, kind and status of each. */
  failures: string[]
  lost(db: Pool): Promise<number[]>
  accountOf(key: string): number
}

async function measured(name: string, url: string, servers: string[], more?: (load: Load) => Promise<void>) {
  const db = openDatabase(url, { max: 4, statementTimeout: 120_000 })
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET) })
  await db.close()
  const server = await startGoldmaster(url, { DATABASE_CONNECTIONS: '16' })
  const load = loadOn(server, world)
  try {
    const [coordinator, ...workers] = servers
    const groups = async () =>
      Promise.all(
        [[server.pid], await processesOf(coordinator!), (await Promise.all(workers.map(processesOf))).flat()].map(cpuOfEach),
      )
    const perKind: number[] = []
    const shares = [0, 0, 0]
    let failed = 0
    await load.round('list', 1)
    for (const kind of KINDS) {
      const before = await groups()
      failed += await load.round(kind, ROUNDS)
      const used = (await groups()).map((after, group) => usedBetween(before[group]!, after))
      for (const [group, ms] of used.entries()) shares[group]! += ms
      perKind.push(used.reduce((sum, ms) => sum + (ms || 0), 0) / (ACCOUNTS * ROUNDS))
    }
    await more?.(load)
    const requests = ACCOUNTS * ROUNDS * KINDS.length
    return [name, ...perKind, ...shares.map((ms) => ms / requests), failed]
  } finally {
    load.end()
    await server.stop()
  }
}

function loadOn({ port }: Server, world: World) {
  const site = `http://127.0.0.1:${port}`
  const acknowledged: { kind: Kind; key: string; name: string }[] = []
  const heard = new Set<string>()
  const listening = KEYS.slice(0, LISTENERS)
  const ended = new AbortController()
  const failures: string[] = []
  for (const key of listening) void listen(key)

  async function listen(key: string) {
    let last = ''
    while (!ended.signal.aborted) {
      try {
        const answer = await fetch(`${site}/api/v1/workspace/events/stream`, {
          signal: ended.signal,
          headers: { authorization: `Bearer ${world.tokens![key]!.token}`, ...(last && { 'last-event-id': last }) },
        })
        let rest = ''
        for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
          const parts = (rest + chunk).split('\n\n')
          rest = parts.pop()!
          for (const part of parts) {
            last = /^id: ?(.+)$/m.exec(part)?.[1] ?? last
            for (const [name] of part.matchAll(/x[0-9a-f]{12}x/g)) heard.add(name)
          }
        }
      } catch {
        await sleep(200)
      }
    }
  }

  /** The status, 0 without an answer. */
  const ask = async (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) => {
    const answer = await fetch(`${site}${path}`, { ...init, signal: AbortSignal.timeout(20_000) }).catch(() => undefined)
    await answer?.arrayBuffer().catch(() => {})
    return answer?.status ?? 0
  }
  const send = (path: string, body: object, headers: Record<string, string> = {}) =>
    ask(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })

  /** Names are found again in tables and streams. */
  const request = async (kind: Kind, key: string): Promise<boolean> => {
    const name = `x${randomBytes(6).toString('hex')}x`
    const project = `/api/v1/projects/${world.projects![key]!.id}`
    const authorization = `Bearer ${world.tokens![key]!.token}`
    const requests: Record<Kind, () => Promise<number>> = {
      push: () =>
        send(
          `/webhooks/github?token=${world.integrations![`git-${key}`]!.webhook_token}`,
          {
            ref: 'refs/heads/main',
            repository: { full_name: `${key}/game` },
            commits: [
              {
                id: randomBytes(20).toString('hex'),
                message: name,
                timestamp: new Date().toISOString(),
                author: { name: 'Kim' },
                modified: ['a.cpp'],
              },
            ],
          },
          { 'x-github-event': 'push', 'x-github-delivery': randomUUID() },
        ),
      build: () =>
        send(`/webhooks/ci?token=${world.integrations![`ci-${key}`]!.webhook_token}`, {
          job_name: name,
          build_number: 1,
          status: 'SUCCESS',
        }),
      task: () => send(`${project}/tasks`, { task: { title: name } }, { authorization }),
      list: () => ask(`${project}/tasks`, { headers: { authorization } }),
      search: () => ask(`${project}/search/tasks?q=crate`, { headers: { authorization } }),
    }
    const status = await requests[kind]()
    const ok = status >= 200 && status < 300
    if (!ok) failures.push(`${key} ${kind} ${status}`)
    if (ok && kind !== 'list' && kind !== 'search') acknowledged.push({ kind, key, name })
    return ok
  }

  const inParallel = async (work: () => Promise<boolean>) => {
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (await work());
      }),
    )
  }

  return {
    end: () => ended.abort(),
    failures,
    /** Returns how many requests failed. */
    async round(kind: Kind, rounds: number) {
      const queue = Array.from({ length: rounds }, () => KEYS).flat()
      let failed = 0
      await inParallel(async () => {
        const key = queue.pop()
        if (key !== undefined && !(await request(kind, key))) failed++
        return key !== undefined
      })
      return failed
    },
    async until(over: () => boolean) {
      const counts = new Map(KEYS.map((key) => [key, { ok: 0, failed: 0 }]))
      let turn = 0
      await inParallel(async () => {
        const key = KEYS[turn % ACCOUNTS]!
        const ok = await request(KINDS[(turn++ >> 3) % KINDS.length]!, key)
        counts.get(key)![ok ? 'ok' : 'failed']++
        return !over()
      })
      return counts
    },
    accountOf: (key: string) => Number(world.accounts![key]!.id),
    async heardAll() {
      const wanted = acknowledged.filter(({ kind, key }) => kind !== 'push' && listening.includes(key))
      for (const end = Date.now() + 60_000; Date.now() < end && !wanted.every(({ name }) => heard.has(name)); ) await sleep(200)
    },
    async lost(db: Pool) {
      const stored = new Set<string>()
      for (const from of [
        sql`select description as name from changes`,
        sql`select ci_job_name as name from build_runs`,
        sql`select title as name from tasks`,
      ])
        for (const { name } of await db.rows<{ name: string }>(from)) stored.add(name)
      const wanted = acknowledged.filter(({ kind, key }) => kind !== 'push' && listening.includes(key))
      return [
        acknowledged.length,
        acknowledged.filter(({ name }) => !stored.has(name)).length,
        wanted.length,
        wanted.filter(({ name }) => !heard.has(name)).length,
      ]
    },
  }
}

/** The port of the worker that stores each account. */
async function placesOf(load: Load, db: Pool) {
  const rows = await db.rows<{ id: number; port: number }>(sql`
    select a.id, s.nodeport as port from accounts a, citus_shards s
    where s.table_name = 'tasks'::regclass and s.shardid = get_shard_id_for_distribution_column('tasks', a.id)`)
  const ports = new Map(rows.map(({ id, port }) => [id, port]))
  return new Map(KEYS.map((key) => [key, ports.get(load.accountOf(key))!]))
}

const summed = (counts: Map<string, { ok: number; failed: number }>, keys: string[]) => {
  const of = keys.map((key) => counts.get(key)!)
  return [of.reduce((sum, { ok }) => sum + ok, 0), of.reduce((sum, { failed }) => sum + failed, 0)] as const
}

async function whileKilled(load: Load, db: Pool, cluster: Awaited<ReturnType<typeof startCluster>>) {
  const places = await placesOf(load, db)
  const port = Number(new URL(cluster.servers[1]!).port)
  const hit = KEYS.filter((key) => places.get(key) === port)
  const spared = KEYS.filter((key) => places.get(key) !== port)
  load.failures.splice(0)
  const loading = load.until(overAfter(2 * DOWN_MS))
  await sleep(DOWN_MS)
  await cluster.kill(1)
  const counts = await loading
  const kinds = load.failures.splice(0).filter((failure) => spared.includes(failure.split(' ')[0]!))
  console.log(
    'failed elsewhere:',
    kinds
      .map((failure) => failure.replace(/^\S+ /, ''))
      .sort()
      .join(', ') || 'nothing',
  )
  await cluster.start(1)
  const began = performance.now()
  let back = await load.until(() => true)
  while (summed(back, KEYS)[1] > 0) back = await load.until(() => true)
  const resumed = (performance.now() - began) / 1000
  const after = await load.until(overAfter(5_000))
  const [ok, failed] = summed(counts, spared)
  const [okHit, failedHit] = summed(counts, hit)
  return table({
    'accounts elsewhere': spared.length,
    ok,
    failed,
    'accounts on it': hit.length,
    'ok on it': okHit,
    'failed on it': failedHit,
    'failed afterwards': summed(after, KEYS)[1],
    'resumed after s': resumed,
  })
}

const table = (result: Record<string, number>): [string[], number[][]] => [Object.keys(result), [Object.values(result)]]

const overAfter = (ms: number) => {
  const end = Date.now() + ms
  return () => Date.now() > end
}

/** Half of the shards of one worker move to the other and back, by Citus's own rebalancing. */
async function whileMoving(load: Load, db: Pool) {
  const shards = await db.rows<{ shardid: number; host: string; port: number; to: number }>(sql`
    with workers as (select node_name as host, node_port as port from citus_get_active_worker_nodes())
    select s.shardid, s.nodename as host, s.nodeport as port, (select max(port) from workers) as to from citus_shards s
    where s.table_name = 'tasks'::regclass and s.nodeport = (select min(port) from workers) order by s.shardid limit 2`)
  let over = false
  const loading = load.until(() => over)
  const began = performance.now()
  let repeated = 0
  /** Citus ends a move that waits for requests which wait for it. */
  const untilDone = async (move: Sql): Promise<unknown> => {
    try {
      return await db.execute(move)
    } catch (error) {
      if (!isTransient(error)) throw error
      repeated++
      await sleep(1_000)
      return untilDone(move)
    }
  }
  for (const { shardid, host, port, to } of shards)
    await untilDone(sql`select citus_move_shard_placement(${shardid}, ${host}, ${port}, ${host}, ${to}, 'auto')`)
  await untilDone(sql`select rebalance_table_shards()`)
  over = true
  const [ok, failed] = summed(await loading, KEYS)
  return table({ shards: shards.length * 2, seconds: (performance.now() - began) / 1000, repeated, ok, failed })
}

/** The processes of the PostgreSQL at a URL: its first one and all that this one started. */
async function processesOf(url: string): Promise<number[]> {
  const db = openDatabase(url, { max: 1 })
  const { pid } = (await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`))!
  const parentOf = async (id: number | string) =>
    Number((await readFile(`/proc/${id}/stat`, 'utf8').catch(() => ') x 0')).replace(/^.*\) /s, '').split(' ')[1])
  const first = await parentOf(pid)
  await db.close()
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(all.map(parentOf))
  return [first, ...all.filter((_, i) => parents[i] === first).map(Number)]
}
