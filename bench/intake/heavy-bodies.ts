import { request } from 'node:http'
import { Readable } from 'node:stream'
import { openDatabase } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import type { Cluster } from '../harness/database.ts'
import { startLoad } from '../harness/load.ts'
import { tally, watchMemory } from '../harness/memory.ts'
import { build, SECRET, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const MB = 1_000_000
const AT_ONCE = 32
const OTHERS_P99_MS = 200
const MEMORY_MB = 1_700

interface Attack {
  name: string
  body: Buffer
  type?: string
  headers?: Record<string, string>
  chunked?: true
  /** Disconnects after this many milliseconds. */
  leaves?: number
}

/** Expensive bodies from one account, while another account's task list is read: no process restarts and nobody waits. */
export async function benchHeavyBodies(cluster: Cluster) {
  build()
  const store = await cluster.create('heavy')
  const db = openDatabase(store.url, { max: 1 })
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET) })
  const server = await startGoldmaster(store.url)
  const load = startLoad()
  const memory = watchMemory(server.pid)
  const urlOf = (key: string) => `/webhooks/${key}?token=${world.integrations[key]!.webhook_token}`
  const list = [
    `GET /api/v1/projects/${world.projects.quiet!.id}/tasks HTTP/1.1`,
    'Host: bench',
    `Authorization: Bearer ${world.tokens.reader!.token}`,
    '\r\n',
  ].join('\r\n')
  const others = (seconds: number) => load.run({ port: server.port, connections: 4, requests: [list], seconds, most: 1_000_000 })
  try {
    await others(4)
    const { p50, p99 } = await others(4)
    const rows: (string | number)[][] = [['nothing', '', p50, p99, memory.most(), '']]
    for (const attack of attacks()) {
      memory.reset()
      const reading = others(8)
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => post(server, urlOf('jenkins'), attack)))
      const outcome = await reading
      const held = outcome.p99 < OTHERS_P99_MS && memory.most() < MEMORY_MB
      rows.push([attack.name, tally(answers), outcome.p50, outcome.p99, memory.most(), verdict(held)])
    }
    memory.reset()
    const began = performance.now()
    const reading = others(8)
    const push = await post(server, urlOf('github'), { name: '', body: largestPush(), headers: { 'x-github-event': 'push' } })
    const seconds = (performance.now() - began) / 1000
    const { p50: middle, p99: slow } = await reading
    rows.push([
      `push of 2,048 commits × 300 files, ${seconds.toFixed(1)} s`,
      push,
      middle,
      slow,
      memory.most(),
      verdict(push === '200'),
    ])
    printTable(
      `${AT_ONCE} bodies at once; another account reads its tasks meanwhile`,
      ['', 'answers', 'others p50 ms', 'p99', 'MB, all processes', ''],
      rows,
    )
  } finally {
    memory.stop()
    load.stop()
    await server.stop()
    await db.close()
    await store.drop()
  }
}

const WORLD = {
  accounts: ['loud', 'quiet'].map((key) => ({ key, name: key })),
  users: [{ key: 'kim', email: 'kim@bench.example', name: 'Kim', accounts: { quiet: 'owner' } }],
  projects: ['loud', 'quiet'].map((key) => ({ key, account: key, name: key })),
  tokens: [{ key: 'reader', user: 'kim', name: 'reader', scopes: ['read:tasks'] }],
  integrations: ['jenkins', 'github'].map((provider) => ({ key: provider, project: 'loud', provider })),
  tasks: Array.from({ length: 100 }, (_, i) => ({ key: `t${i}`, project: 'quiet', title: `Task ${i}` })),
}

const filled = (megabytes: number, begin: string, part: string, end = '') =>
  Buffer.from(begin + part.repeat(Math.floor((megabytes * MB) / part.length)) + end)
const emptyObjects = (megabytes: number) => filled(megabytes, '{"a":[{}', ',{}', ']}')

function attacks(): Attack[] {
  const form = 'application/x-www-form-urlencoded'
  return [
    ...[1, 8, 26].map((size) => ({ name: `${size} MB of {},`, body: emptyObjects(size) })),
    { name: '26 MB of {}, in chunks', body: emptyObjects(26), chunked: true },
    { name: '26 MB of {}, called gzip', body: emptyObjects(26), headers: { 'content-encoding': 'gzip' } },
    { name: '26 MB of [', body: filled(26, '', '[') },
    { name: '26 MB of "a":1,', body: filled(26, '{', '"a":1,', '"a":1}') },
    { name: '26 MB of line ends', body: filled(26, '', '\n'), type: 'application/x-ndjson' },
    { name: '26 MB of %7B%7D%2C', body: filled(26, 'payload=%5B', '%7B%7D%2C'), type: form },
    { name: '26 MB of {}, senders leave', body: emptyObjects(26), leaves: 500 },
  ]
}

function largestPush(): Buffer {
  const commits = Array.from({ length: 2048 }, (_, i) => ({
    id: i.toString(16).padStart(40, '0'),
    message: 'Move everything',
    author: { name: 'Kim', email: 'kim@bench.example' },
    added: [],
    modified: Array.from({ length: 300 }, (_, file) => `Content/Harbour/${i % 7}/M_${file}.o`),
    removed: [],
  }))
  return Buffer.from(JSON.stringify({ ref: 'refs/heads/main', repository: { full_name: 'bench/harbour' }, commits }))
}

/** The status, or how the connection ended. */
function post(
  { port }: Server,
  path: string,
  { body, type = 'application/json', headers, chunked, leaves }: Attack,
): Promise<string> {
  return new Promise((resolve) => {
    const length = chunked ? {} : { 'content-length': body.length }
    const asked = request({ port, path, method: 'POST', headers: { 'content-type': type, ...length, ...headers } }, (answer) => {
      answer.resume().on('end', () => resolve(String(answer.statusCode)))
    })
    asked.on('error', () => resolve('closed'))
    asked.end(body)
    if (leaves !== undefined) setTimeout(() => asked.destroy(), leaves)
  })
}
