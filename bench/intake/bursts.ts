import { createHmac } from 'node:crypto'
import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { SCOPES } from '../../src/contract/sets.ts'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import { cpuOfEach, usedBetween } from '../harness/cpu.ts'
import type { Cluster } from '../harness/database.ts'
import { startLoad } from '../harness/load.ts'
import { build, SECRET, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable } from '../harness/table.ts'

const ACCOUNTS = 5
const SIGNING_SECRET = 'signed by the benchmark'
/** A sender that gives up sooner gets no answer. */
const SENDER_MS = 30_000
/** So long the other account's list is asked for while jobs run. */
const JOBS_MS = 10_000

interface Burst {
  name: string
  count: number
  accounts: number
  bytes: number
  kind: 'failing' | 'passing' | 'push'
}

const burst = (kind: Burst['kind'], count: number, bytes = 0, accounts = 1): Burst => ({
  name: `${count} ${kind === 'push' ? 'signed pushes' : `${kind} reports of ${bytes / 1024} kB`}, ${accounts} account${accounts === 1 ? '' : 's'}`,
  kind,
  count,
  bytes,
  accounts,
})

const KB = 1024
const BURSTS = [
  ...[200, 400, 1_000].flatMap((count) =>
    [15 * KB, 256 * KB].flatMap((bytes) => [burst('failing', count, bytes), burst('passing', count, bytes)]),
  ),
  burst('failing', 200, 15 * KB, ACCOUNTS),
  burst('passing', 1_000, 15 * KB, ACCOUNTS),
  burst('push', 200),
  burst('push', 200, 0, ACCOUNTS),
]

/** Many deliveries at the same instant: how they are answered, how long until all are processed, and another account's list meanwhile. Numbers choose bursts. */
export async function benchBursts(cluster: Cluster) {
  build()
  const store = await cluster.create('bursts')
  const db = openDatabase(store.url, { max: 1 })
  const load = startLoad()
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET) })
  const server = await startGoldmaster(store.url)
  const head = `GET /api/v1/projects/${world.projects.moon!.id}/tasks HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${world.tokens.ann!.token}\r\n\r\n`
  const asking = { port: server.port, connections: 1, requests: [head] }
  const list = (seconds: number) => load.run({ ...asking, seconds, most: 1_000_000 })
  const tokens = { ci: [] as string[], github: [] as string[] }
  for (let i = 0; i < ACCOUNTS; i++)
    for (const kind of ['ci', 'github'] as const) tokens[kind].push(world.integrations[`${kind}${i}`]!.webhook_token)
  const chosen = process.argv.slice(3).map(Number)
  const rows: (string | number)[][] = []
  try {
    await list(2)
    await send(server, burst('failing', 20, 15 * KB, ACCOUNTS), tokens)
    await settled(db)
    for (const one of BURSTS.filter((_, index) => chosen.length === 0 || chosen.includes(index))) {
      const quiet = await list(2)
      const look = async () => [await cpuOfEach([server.pid]), await cpuOfEach(await backends(db))] as const
      const before = await look()
      const began = performance.now()
      const [{ p50, p99 }, { answers, answered, done, after }] = await load.during(asking, async () => {
        const answers = await send(server, one, tokens)
        const answered = (performance.now() - began) / 1000
        await processed(db)
        return { answers, answered, done: (performance.now() - began) / 1000, after: await look() }
      })
      const left = settled(db)
      const [{ p50: withJobs }] = await load.during(asking, () => Promise.race([left, sleep(JOBS_MS)]))
      // They leave processor time to requests: without those they end sooner.
      await left
      const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
      const of = (status: string) => answers.filter((answer) => answer.status === status).length
      rows.push([
        one.name,
        of('processed'),
        of('accepted'),
        answers.length - of('processed') - of('accepted'),
        times[Math.floor(times.length / 2)]!,
        times.at(-1)!,
        one.count / answered,
        one.count / done,
        usedBetween(before[0], after[0]) / one.count,
        usedBetween(before[1], after[1]) / one.count,
        p50 / quiet.p50,
        p99,
        withJobs / quiet.p50,
      ])
    }
    printTable(
      'Deliveries at the same instant',
      [
        '',
        'processed',
        'accepted',
        'other',
        'answer p50 ms',
        'last answer ms',
        'answered/s',
        'processed/s',
        'CPU ms, server',
        'CPU ms, PostgreSQL',
        'list, × quiet p50',
        'list p99 ms',
        'list while jobs run, × quiet p50',
      ],
      rows,
    )
  } finally {
    load.stop()
    await server.stop()
    await db.close()
    await store.drop()
  }
}

const backends = async (db: Pool) =>
  (await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)).map(({ pid }) => pid)

const until = async (is: () => Promise<boolean>) => {
  while (!(await is())) await sleep(20)
}

const processed = (db: Pool) => until(async () => !(await db.one(sql`select from deliveries where outcome = 'accepted' limit 1`)))

/** No job is left, such as an investigation. */
const settled = async (db: Pool) => {
  await processed(db)
  await until(
    async () => !(await db.one(sql`select from jobs where slot is null and run_at < now() + interval '1 minute' limit 1`)),
  )
}

let sent = 0

async function send({ port }: Server, { kind, count, bytes, accounts }: Burst, tokens: Record<'ci' | 'github', string[]>) {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const requests = Array.from({ length: count }, (_, i) => {
    const number = ++sent
    if (kind !== 'push')
      return { path: `/webhooks/ci?token=${tokens.ci[i % accounts]}`, headers: {}, body: report(kind, number, bytes) }
    const body = push(number)
    const headers = {
      'x-github-event': 'push',
      'x-github-delivery': `delivery ${number}`,
      'x-hub-signature-256': `sha256=${createHmac('sha256', SIGNING_SECRET).update(body).digest('hex')}`,
    }
    return { path: `/webhooks/github?token=${tokens.github[i % accounts]}`, headers, body }
  })
  const answers = await Promise.all(requests.map((one) => post(agent, port, one)))
  agent.destroy()
  return answers
}

interface Post {
  path: string
  headers: Record<string, string>
  body: Buffer
}

function post(agent: Agent, port: number, { path, headers, body }: Post): Promise<{ status: string; ms: number }> {
  const began = performance.now()
  const all = { 'content-type': 'application/json', 'content-length': body.length, ...headers }
  return new Promise((resolve) => {
    const answer = (status: string) => resolve({ status, ms: performance.now() - began })
    const sending = request({ agent, port, path, method: 'POST', headers: all, timeout: SENDER_MS }, (reply) => {
      let text = ''
      reply
        .setEncoding('utf8')
        .on('data', (part: string) => {
          text += part
        })
        .on('end', () => answer(reply.statusCode === 200 ? JSON.parse(text).status : String(reply.statusCode)))
    })
    sending.on('error', () => answer('no answer'))
    sending.end(body)
  })
}

function report(kind: 'failing' | 'passing', number: number, bytes: number): Buffer {
  let log = ''
  for (let i = 0; log.length < bytes; i++)
    log += `[${i}/9000] Compile [x64] Module.Harbour.${number}.${i}.cpp (0:00.${i % 100})\n`
  if (kind === 'failing')
    log += `src/part${number % 10}.c:54:3: error: 'part${number % 10}' undeclared\nmake: *** [game] Error 1\n`
  const status = kind === 'failing' ? 'FAILURE' : 'SUCCESS'
  return Buffer.from(
    JSON.stringify({ job_name: `job ${number % 20}`, build_number: String(number), status, branch: 'main', log }),
  )
}

const push = (number: number) =>
  Buffer.from(
    JSON.stringify({
      ref: 'refs/heads/main',
      repository: { full_name: 'owl/star' },
      commits: [
        {
          id: number.toString(16).padStart(40, '0'),
          message: `Paint the lamp ${number}`,
          author: { name: 'Kim' },
          added: [`Content/T_Lamp_${number}.png`],
          modified: [],
          removed: [],
        },
      ],
    }),
  )

const each = Array.from({ length: ACCOUNTS }, (_, i) => i)
const WORLD = {
  accounts: [
    ...each.map((i) => ({ key: `owl${i}`, name: `Bench Studio ${i}`, plan: 'enterprise', credits: null })),
    { key: 'fox', name: 'Another Studio', plan: 'enterprise', credits: null },
  ],
  users: [{ key: 'ann', email: 'ann@bench.example', name: 'Ann', accounts: { fox: 'owner' } }],
  projects: [
    ...each.map((i) => ({ key: `star${i}`, account: `owl${i}`, name: 'Harbour' })),
    { key: 'moon', account: 'fox', name: 'Lighthouse' },
  ],
  tokens: [{ key: 'ann', user: 'ann', name: 'bench', scopes: SCOPES }],
  integrations: each.flatMap((i) => [
    { key: `ci${i}`, project: `star${i}`, provider: 'jenkins' },
    { key: `github${i}`, project: `star${i}`, provider: 'github', signing_secret: SIGNING_SECRET },
  ]),
  tasks: Array.from({ length: 100 }, (_, i) => ({ project: 'moon', title: `Polish the lamp ${i}` })),
}
