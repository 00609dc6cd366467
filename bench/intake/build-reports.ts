import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { SCOPES } from '../../src/contract/sets.ts'
import { openDatabase, sql } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import { cpuOfEach, usedBetween } from '../harness/cpu.ts'
import type { Cluster } from '../harness/database.ts'
import { startLoad } from '../harness/load.ts'
import { median } from '../harness/rounds.ts'
import { build, SECRET, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const AT_ONCE = 32
const LOG_BYTES = 256 * 1024
const ROUNDS = 3
const SECONDS = 5

/** One project floods with build reports that contain their log; how fast they are processed, and the effect on another project's list. */
export async function benchBuildReports(cluster: Cluster) {
  build()
  const store = await cluster.create('build_reports')
  const db = openDatabase(store.url, { max: 1 })
  const load = startLoad()
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET) })
  const server = await startGoldmaster(store.url)
  const head = `GET /api/v1/projects/${world.projects.moon!.id}/tasks HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${world.tokens.kim!.token}\r\n\r\n`
  const list = (seconds: number) => load.run({ port: server.port, connections: 1, requests: [head], seconds, most: 1_000_000 })
  try {
    await list(2)
    await flood(server, world.integrations.ci!.webhook_token, list(2))
    const rows: Record<'quiet' | 'flooded' | 'p99' | 'perSecond' | 'refused' | 'server' | 'database', number>[] = []
    const backends = async () =>
      (await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)).map(
        ({ pid }) => pid,
      )
    const look = async () => [await cpuOfEach([server.pid]), await cpuOfEach(await backends())] as const
    for (let round = 0; round < ROUNDS; round++) {
      const quiet = await list(SECONDS)
      const before = await look()
      const during = list(SECONDS)
      const { taken, refused, seconds } = await flood(server, world.integrations.ci!.webhook_token, during)
      const { p50, p99 } = await during
      const after = await look()
      const [ofServer, ofDatabase] = [usedBetween(before[0], after[0]) / taken, usedBetween(before[1], after[1]) / taken]
      rows.push({
        quiet: quiet.p50,
        flooded: p50,
        p99,
        perSecond: taken / seconds,
        refused,
        server: ofServer,
        database: ofDatabase,
      })
    }
    const of = (name: keyof (typeof rows)[0]) => median(rows.map((row) => row[name]))
    const slower = median(rows.map(({ quiet, flooded }) => flooded / quiet))
    printTable(
      `${AT_ONCE} build reports of ${LOG_BYTES / 1024} kB at once, of one project`,
      ['', 'measured', 'target', ''],
      [
        ['reports/s', of('perSecond'), '≥ 150', verdict(of('perSecond') >= 150)],
        ['CPU ms of the server, lists included', of('server'), '', ''],
        ['CPU ms of PostgreSQL, lists included', of('database'), '', ''],
        ['refused with 503', of('refused'), '', ''],
        ["another project's list, p50 ms, quiet", of('quiet'), '', ''],
        ["another project's list, p50 ms, flooded", of('flooded'), '', ''],
        ["another project's list, p99 ms, flooded", of('p99'), '', ''],
        ['flooded / quiet', slower, '≤ 6', verdict(slower <= 6)],
      ],
    )
  } finally {
    load.stop()
    await server.stop()
    await db.close()
    await store.drop()
  }
}

/** Sends reports of ever new builds until `during` is over. */
async function flood({ port }: Server, token: string, during: Promise<unknown>) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  let over = false
  const counts = { 200: 0, 503: 0 }
  const began = performance.now()
  const send = async () => {
    while (!over) {
      const status = await post(agent, port, token)
      if (status !== 200 && status !== 503) throw new Error(`A build report was answered with ${status}.`)
      counts[status]++
    }
  }
  await Promise.all([
    during.finally(() => {
      over = true
    }),
    ...Array.from({ length: AT_ONCE }, send),
  ])
  agent.destroy()
  return { taken: counts[200], refused: counts[503], seconds: (performance.now() - began) / 1000 }
}

let sent = 0

function post(agent: Agent, port: number, token: string): Promise<number> {
  const beginning = Buffer.from(`{"job_name":"nightly","build_number":"${++sent}","status":"SUCCESS","log":"`)
  const length = beginning.length + REST.length
  const headers = { 'content-type': 'application/json', 'content-length': length }
  return new Promise((resolve, reject) => {
    const sending = request({ agent, port, path: `/webhooks/ci?token=${token}`, method: 'POST', headers }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode!))
    })
    sending.on('error', reject)
    sending.write(beginning)
    sending.end(REST)
  })
}

/** Like compiler output: many repetitions, and a unique path and number in every line. */
const line = (i: number) =>
  `[${i}/9000] Compile [x64] Module.Harbour.${randomBytes(3).toString('hex')}.cpp (0:${String(i % 60).padStart(2, '0')}.${randomBytes(1)[0]})`
const log = () => {
  let text = ''
  for (let i = 0; text.length < LOG_BYTES; i++) text += `${line(i)}\\n`
  return text.slice(0, text.lastIndexOf('\\n'))
}
const REST = Buffer.from(`${log()}"}`)

const WORLD = {
  accounts: [{ key: 'owl', name: 'Bench Studio', plan: 'team', payment_method: true }],
  users: [{ key: 'kim', email: 'kim@bench.example', name: 'Kim', accounts: { owl: 'owner' } }],
  projects: [
    { key: 'star', account: 'owl', name: 'Harbour', engine: 'unreal' },
    { key: 'moon', account: 'owl', name: 'Lighthouse', engine: 'unity' },
  ],
  tokens: [{ key: 'kim', user: 'kim', name: 'bench', scopes: SCOPES }],
  integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
  tasks: Array.from({ length: 100 }, (_, i) => ({ project: 'moon', title: `Polish the lamp ${i}` })),
}
