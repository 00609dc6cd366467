import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../src/contract/sets.ts'
import { sql } from '../src/db/database.ts'
import { Vault } from '../src/domain/privacy/secrets.ts'
import { loadWorld } from '../src/world/world.ts'
import { goldmaster, type Running } from './support/callers/command.ts'
import { createDatabase, type TestDatabase } from './support/database.ts'
import { freePort } from './support/servers/free-port.ts'
import { until } from './support/until.ts'

/** One service in several processes, as started with WORKERS=2. */

const SECRET_KEY = 'a key of these tests, long enough'
const WRITES = 40
const WORLD = {
  accounts: [{ key: 'owl', name: 'Night Owl', credits: null }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
  tokens: ['limited', 'other'].map((key) => ({ key, user: 'lead', name: key, scopes: SCOPES })),
  build_runs: [{ key: 'b', project: 'star', status: 'failed', output_log: 'Combat.cpp(5): error C2065: undeclared identifier' }],
}

let own: TestDatabase
let port: number
let healthPort: number
let service: Running
let tokens: Record<string, { token: string }>
beforeAll(async () => {
  own = await createDatabase()
  port = await freePort()
  healthPort = await freePort()
  const made = await loadWorld(own.db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET_KEY) })
  tokens = made.tokens as typeof tokens
  service = goldmaster(['serve'], {
    WORKERS: '2',
    PORT: String(port),
    HEALTH_PORT: String(healthPort),
    DATABASE_URL: own.url,
    SECRET_KEY,
    LIMIT_REQUESTS_PER_IP: 'off',
    LIMIT_TASK_WRITES: `${WRITES}/1h`,
  })
  await until(() => {
    if (service.child.exitCode !== null) throw new Error(service.said())
    return service.said().includes('Goldmaster runs at')
  })
})
afterAll(async () => {
  service.child.kill('SIGKILL')
  await service.ended
  await own.drop()
})

const ask = (
  path: string,
  { token = 'other', body, agent = false }: { token?: string; body?: object; agent?: Agent | false } = {},
) =>
  new Promise<{ status: number; text: string }>((settle, reject) => {
    const headers = { authorization: `Bearer ${tokens[token]!.token}`, 'content-type': 'application/json' }
    const sent = request({ host: '127.0.0.1', port, agent, path, headers, method: body ? 'POST' : 'GET' }, (reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part) => parts.push(part)).on('error', reject)
      reply.on('end', () => settle({ status: reply.statusCode!, text: Buffer.concat(parts).toString() }))
    })
    sent.setTimeout(5_000, () => sent.destroy(new Error('no answer')))
    sent.on('error', reject).end(body && JSON.stringify(body))
  })
const TASKS = '/api/v1/projects/1/tasks'
const write = (token: string) => ask(TASKS, { token, body: { task: { title: 'x' } } })

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
const servers = () =>
  childrenOf(service.child.pid!).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0serve'))

test('they share the counts of limits, and export one total of metrics, on a separate port', async () => {
  const statuses = (await Promise.all(Array.from({ length: WRITES + 20 }, () => write('limited')))).map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(WRITES)
  expect(statuses.filter((status) => status === 429)).toHaveLength(20)
  expect((await write('other')).status).toBe(201)
  expect((await ask('/metrics')).status).toBe(404)
  const text = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text()
  const counted = [...text.matchAll(/^goldmaster_http_request_duration_seconds_count\{method="POST",.*tasks",.*\} (\d+)$/gm)]
  expect(counted.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(WRITES + 21)
  expect(text).toContain('goldmaster_database_writable 1')
  expect((await fetch(`http://127.0.0.1:${healthPort}/readyz`)).status).toBe(200)
})

test('jobs run in a separate process', async () => {
  expect((await ask('/api/v1/projects/1/build_runs/1/investigate', { body: {} })).status).toBeLessThan(300)
  await until(async () => (await own.db.one(sql`select from investigations where status = 'completed'`)) !== undefined)
})

test('one that cannot start ends the service with a reason', async () => {
  const second = goldmaster(['serve'], { WORKERS: '2', PORT: String(port), DATABASE_URL: own.url, SECRET_KEY })
  expect(await second.ended).toBe(1)
  expect(second.said()).toContain(`Port ${port} on 127.0.0.1 is taken`)
})

test('one that is stuck or killed leaves new connections to the others, and is replaced', async () => {
  const [killed] = servers()
  expect(servers()).toHaveLength(2)
  // From here on it accepts nothing any more: only others can respond.
  process.kill(killed!, 'SIGSTOP')
  const answers = await Promise.allSettled(Array.from({ length: 20 }, () => ask(TASKS)))
  process.kill(killed!, 'SIGKILL')
  expect(answers.map((one) => (one.status === 'fulfilled' ? one.value.status : one.reason.message))).toEqual(Array(20).fill(200))
  await until(() => !servers().includes(killed!))
  await until(async () => (await ask(TASKS).catch(() => undefined))?.status === 200)
  await until(() => servers().length === 2)
  expect(service.said()).toContain('restarting it')
})

test('stopped under load, they respond to accepted requests and all of them end', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const processes = childrenOf(service.child.pid!)
  let answered = 0
  const walk = async () => {
    for (;;) {
      const answer = await ask(TASKS, { agent }).catch(() => undefined)
      if (answer === undefined) return
      expect(answer.status).toBe(200)
      answered++
    }
  }
  const gone = Promise.all(Array.from({ length: 16 }, walk))
  await until(() => answered > 100)
  service.child.kill('SIGTERM')
  expect(await service.ended, service.said()).toBe(0)
  await gone
  for (const pid of processes) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  const lines = service
    .said()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow()
})
