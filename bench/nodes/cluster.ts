import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { SCOPES } from '../../src/contract/sets.ts'
import { openDatabase, sql } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import { freePort } from '../../test/support/servers/free-port.ts'
import { openSynchronousPair, program, statement, until, writePoolerSettings, writeProxySettings } from '../harness/machines.ts'
import { printTable } from '../harness/table.ts'

/**
 * Three nodes behind HAProxy, PgBouncer, a primary with a synchronous standby; under writes, a node, the pooler and the primary are killed
 * with -9 and the standby is promoted. `npm run build` first; the number of rounds is the argument after the name.
 */
const SECRET_KEY = 'a key of the cluster that is killed'
const NODES = 3
const WRITERS = 8
const WORLD = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise' }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
  tokens: [{ key: 'all', user: 'lead', name: 'all', scopes: SCOPES }],
  integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
}

export async function benchCluster() {
  const rounds = Number(process.argv[3] ?? 20)
  const results = []
  for (let i = 1; i <= rounds; i++) {
    const result = await round()
    results.push(result)
    console.log(i, JSON.stringify(result))
  }
  printTable(
    'three nodes, HAProxy, PgBouncer, synchronous standby (targets: 0 lost, 0 doubled, 0 missed, back ≤ 5 s)',
    ['round', ...Object.keys(results[0]!)],
    results.map((result, i) => [i + 1, ...Object.values(result)]),
  )
}

async function round() {
  const folder = await mkdtemp(join(tmpdir(), 'goldmaster-cluster-'))
  // PostgreSQL and PgBouncer do not run as root.
  await chmod(folder, 0o755)
  const ports = await Promise.all(Array.from({ length: NODES + 4 }, freePort))
  const [one, two, pool, front, ...nodePorts] = ports as [number, number, number, number, ...number[]]
  const [primary, standby] = await openSynchronousPair(join(folder, 'pg'), [one, two])
  await migrate(primary.url)
  const db = openDatabase(primary.url)
  const made = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET_KEY) })
  await db.close()
  const [poolerFile, proxyFile] = [join(folder, 'pgbouncer.ini'), join(folder, 'haproxy.cfg')]
  await writePoolerSettings(poolerFile, pool, one)
  await writeProxySettings(proxyFile, front, nodePorts)
  const pooler = program('pgbouncer', ['-q', poolerFile])
  const proxy = program('haproxy', ['-db', '-f', proxyFile])
  const nodes = nodePorts.map((port) =>
    program(process.execPath, [resolve('dist/main.js'), 'serve'], {
      PORT: String(port),
      DATABASE_URL: `postgres://postgres@127.0.0.1:${pool}/postgres`,
      DATABASE_DIRECT_URL: `postgres://postgres@127.0.0.1:${one},127.0.0.1:${two}/postgres`,
      SECRET_KEY,
      LOG_LEVEL: 'silent',
      LIMIT_REQUESTS_PER_IP: 'off',
      LIMIT_WEBHOOKS: 'off',
      LIMIT_STREAMS_PER_TOKEN: '10000',
      DATABASE_CONNECTIONS: '18',
    }),
  )
  for (const part of [pooler, proxy, ...nodes]) part.start()
  const site = `http://127.0.0.1:${front}`
  let over = false
  try {
    await until(async () => (await fetch(`${site}/readyz`).catch(() => undefined))?.status === 200, 'the cluster is ready')
    const address = `${site}/webhooks/ci?token=${made.integrations!.ci!.webhook_token}`
    const acknowledged: { job: string; at: number }[] = []
    const follower = follow(site, made.tokens!.all!.token as string, () => over)
    const write = async (writer: number) => {
      for (let i = 0; !over; i++) {
        const job = `w${writer}-${i}`
        // A tool that retries until it succeeds.
        while (!over && !(await report(address, job))) await sleep(50)
        if (!over) acknowledged.push({ job, at: performance.now() })
      }
    }
    await until(() => follower.connected(), 'the stream is open')
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i)))
    const more = async (count: number) => {
      const goal = acknowledged.length + count
      await until(() => acknowledged.length >= goal, 'writes go on')
    }
    await more(50)
    nodes[0]!.signal('SIGKILL')
    await more(50)
    nodes[0]!.start()
    pooler.signal('SIGKILL')
    await sleep(500)
    pooler.start()
    await more(50)
    await primary.kill()
    const killed = performance.now()
    await standby.promote()
    const promoted = performance.now()
    await statement(standby.url, 'alter system reset synchronous_standby_names').catch(() => {})
    await writePoolerSettings(poolerFile, pool, two)
    pooler.signal('SIGHUP')
    await more(100)
    const back = acknowledged.find(({ at }) => at > promoted)!.at - promoted
    over = true
    await writing
    const held = openDatabase(standby.url)
    const rows = await held.rows<{ job: string; count: number }>(
      sql`select ci_job_name as job, count(*) as count from build_runs group by 1`,
    )
    const stored = new Map(rows.map(({ job, count }) => [job, count]))
    await until(() => acknowledged.every(({ job }) => follower.heard(job)), 'the follower heard everything').catch(() => {})
    await held.close()
    return {
      acknowledged: acknowledged.length,
      lost: acknowledged.filter(({ job }) => !stored.has(job)).length,
      doubled: rows.filter(({ count }) => count > 1).length,
      missed: acknowledged.filter(({ job }) => !follower.heard(job)).length,
      'promotion s': ((promoted - killed) / 1000).toFixed(1),
      'back s': (back / 1000).toFixed(1),
    }
  } finally {
    over = true
    for (const part of [...nodes, proxy, pooler]) part.signal('SIGKILL')
    await standby.kill().catch(() => {})
    await primary.kill().catch(() => {})
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const report = (address: string, job: string) =>
  fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ job_name: job, build_number: 1, status: 'SUCCESS' }),
    signal: AbortSignal.timeout(12_000),
  }).then(
    (answer) => answer.body?.cancel().then(() => answer.ok) ?? answer.ok,
    () => false,
  )

/** Follows the live stream with its last id, through every disconnect. */
function follow(site: string, token: string, isOver: () => boolean) {
  const heard = new Set<string>()
  let last = ''
  let connected = false
  const listen = async () => {
    const answer = await fetch(`${site}/api/v1/workspace/events/stream`, {
      headers: { authorization: `Bearer ${token}`, ...(last && { 'last-event-id': last }) },
    })
    if (!answer.ok) throw new Error(String(answer.status))
    connected = true
    let rest = ''
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split('\n\n')
      rest = parts.pop()!
      for (const part of parts) {
        last = /^id: ?(.+)$/m.exec(part)?.[1] ?? last
        for (const [job] of part.matchAll(/w\d+-\d+/g)) heard.add(job)
      }
    }
  }
  void (async () => {
    for (let quiet = 0; !isOver() || quiet < 200; quiet++) {
      await listen().catch(() => {})
      await sleep(100)
    }
  })()
  return { heard: (job: string) => heard.has(job), connected: () => connected }
}
