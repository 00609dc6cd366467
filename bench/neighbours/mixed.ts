import { readFile } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { SCOPES } from '../../src/contract/sets.ts'
import { openDatabase } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import type { Cluster } from '../harness/database.ts'
import { push, SIGNING } from '../harness/push.ts'
import { build, SECRET, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const MEMORY_MAX = 200
const LOG_LINES = 600
/** How often the memory is measured. */
const LOOK_MS = 60_000

/** A studio's working hour at a steady pace: the memory of the node meanwhile. */
export async function benchMixed(cluster: Cluster) {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { minutes: { type: 'string', default: '60' }, pace: { type: 'string', default: '5' } },
  })
  const [minutes, pace] = [Number(values.minutes), Number(values.pace)]
  build()
  const store = await cluster.create('mixed')
  const db = openDatabase(store.url, { max: 1 })
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET) })
  await db.close()
  const server = await startGoldmaster(store.url)
  const leaving = new AbortController()
  try {
    const asked = requestsOf(`http://127.0.0.1:${server.port}`, world)
    for (let i = 0; i < LISTENERS; i++) void listen(asked.stream, leaving.signal)
    const looks = [{ minute: 0, megabytes: await memoryOf(server.pid), load: loadavg()[0]! }]
    const counts: Record<string, number> = {}
    const began = Date.now()
    const end = began + minutes * 60_000
    for (let turn = 0; Date.now() < end; turn++) {
      await sleep(began + (turn * 1000) / pace - Date.now())
      const { name, send } = asked.mix[turn % asked.mix.length]!
      const { status, text } = await send(turn)
      if (status >= 300) throw new Error(`${name} was answered with ${status}: ${text}`)
      counts[name] = (counts[name] ?? 0) + 1
      if (Date.now() - began >= looks.length * LOOK_MS)
        looks.push({ minute: looks.length, megabytes: await memoryOf(server.pid), load: loadavg()[0]! })
    }
    const most = Math.max(...looks.map(({ megabytes }) => megabytes))
    printTable(
      `Mixed work for ${minutes} minutes, ${LISTENERS} listeners`,
      ['minute', 'memory MB', 'load average'],
      looks.map(({ minute, megabytes, load }) => [String(minute), megabytes, load]),
    )
    console.log(`at most ${most.toFixed(0)} MB, target ≤ ${MEMORY_MAX}: ${verdict(most <= MEMORY_MAX)}`)
    console.log(
      Object.entries(counts)
        .map(([name, count]) => `${name}: ${count}`)
        .join(', '),
    )
  } finally {
    leaving.abort()
    await server.stop()
    await store.drop()
  }
}

const LISTENERS = 50

async function listen(request: Request, signal: AbortSignal) {
  try {
    const { body } = await fetch(request, { signal })
    for await (const _ of body!);
  } catch {}
}

/** The memory of a process in megabytes; NaN if the system does not report it. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

type World = Awaited<ReturnType<typeof loadWorld>>

function requestsOf(site: string, world: World) {
  const headers = { authorization: `Bearer ${world.tokens.kim!.token}` }
  const project = `${site}/api/v1/projects/${world.projects.star!.id}`
  const get = async (address: string) => read(await fetch(address, { headers }))
  const post = async (address: string, body: string, more: Record<string, string> = {}) =>
    read(await fetch(address, { method: 'POST', body, headers: { 'content-type': 'application/json', ...more } }))
  const tokenOf = (key: string) => world.integrations[key]!.webhook_token
  const sendPush = () => {
    const { headers, body } = push()
    return post(`${site}/webhooks/github?token=${tokenOf('gh')}`, body, headers)
  }
  const sendBuild = (turn: number) => {
    const status = turn % 4 === 0 ? 'FAILURE' : 'SUCCESS'
    const report = {
      job_name: `nightly ${turn % 7}`,
      build_number: String(turn),
      branch: 'main',
      status,
      log: logOf(turn, status),
    }
    return post(`${site}/webhooks/ci?token=${tokenOf('ci')}`, JSON.stringify(report))
  }
  const createTask = (turn: number) =>
    post(`${project}/tasks`, JSON.stringify({ task: { title: `Polish the lamp ${turn}`, labels: ['lamp'] } }), headers)
  return {
    stream: new Request(`${site}/api/v1/workspace/events/stream`, { headers }),
    mix: [
      { name: 'push', send: sendPush },
      { name: 'tasks', send: () => get(`${project}/tasks`) },
      { name: 'build', send: sendBuild },
      { name: 'feed', send: () => get(`${site}/api/v1/workspace/events`) },
      { name: 'create', send: createTask },
      { name: 'builds', send: () => get(`${project}/build_runs?status=failed`) },
      { name: 'push', send: sendPush },
      { name: 'changes', send: () => get(`${project}/changes`) },
      { name: 'search', send: (turn: number) => get(`${project}/search/tasks?q=lamp%20${turn % 50}`) },
    ],
  }
}

const read = async (answer: Response) => ({ status: answer.status, text: await answer.text() })

const logOf = (turn: number, status: string) =>
  [
    ...Array.from(
      { length: LOG_LINES },
      (_, i) => `[${i}/${LOG_LINES}] Compile [x64] Module.Harbour.${turn}.${i}.cpp (0:01.${i})`,
    ),
    ...(status === 'FAILURE' ? [`Source/Harbour/Crate.cpp(${turn}): error C2065: 'crate${turn}': undeclared identifier`] : []),
  ].join('\n')

const WORLD = {
  accounts: [{ key: 'owl', name: 'Bench Studio', plan: 'studio', payment_method: true }],
  users: [{ key: 'kim', email: 'kim@bench.example', name: 'Kim', accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Harbour', engine: 'unreal' }],
  tokens: [{ key: 'kim', user: 'kim', name: 'bench', scopes: SCOPES }],
  integrations: [
    { key: 'gh', project: 'star', provider: 'github', signing_secret: SIGNING },
    { key: 'ci', project: 'star', provider: 'jenkins' },
  ],
}
