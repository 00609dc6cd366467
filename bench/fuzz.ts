import { Readable } from 'node:stream'
import { type Logger, pino } from 'pino'
import { openDatabase } from '../src/db/database.ts'
import type { Vault } from '../src/domain/secrets.ts'
import { loadWorld } from '../src/domain/world.ts'
import { readEnvironment } from '../src/environment.ts'
import { buildServer } from '../src/http/server.ts'
import { makeService } from '../src/service.ts'
import type { Cluster } from './database.ts'
import { send, wrongWith } from './fuzz-judge.ts'
import { type Caller, type FuzzRequest, requestOf } from './fuzz-requests.ts'
import { randomOf } from './fuzz-values.ts'
import { emailOf, PASSWORD, worldOf } from './fuzz-world.ts'
import { SECRET } from './servers.ts'

const COUNT = 200_000
const SLICE = 2_000
const AT_ONCE = 16
const SHOWN = 600

interface Offence {
  count: number
  first: FuzzRequest
  answer: string
  cause: string
}

/** Generated requests to every route: none may answer with a 5xx, late, or in words that are not documented. */
export async function benchFuzz(cluster: Cluster) {
  const [count, seed] = [Number(process.argv[3] ?? COUNT), Number(process.argv[4] ?? 1)]
  const store = await cluster.create('fuzz')
  const db = openDatabase(store.url, { statementTimeout: 5_000 })
  const causes = new Map<string, string>()
  const settings = readEnvironment({ ...OFF, DATABASE_URL: store.url, SECRET_KEY: SECRET, BASE_URL: 'http://localhost:8080' })
  const service = makeService(
    settings,
    { db, url: store.url, secret: SECRET, fresh: false, close: async () => {} },
    logTo(causes),
  )
  const app = await buildServer(service)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const offences = new Map<string, Offence>()
  const statuses = new Map<number, number>()
  let slowest = 0
  try {
    for (let sent = 0; sent < count; sent += SLICE) {
      const random = randomOf(seed * 1_000_003 + sent)
      const caller = await openSlice(service, port, sent)
      const requests = Array.from({ length: Math.min(SLICE, count - sent) }, () => requestOf(random, caller))
      let next = 0
      const ask = async () => {
        for (let asked = requests[next++]; asked; asked = requests[next++]) {
          const answer = await send(port, asked).catch((error: Error) => ({
            status: 599,
            type: '',
            id: '',
            text: error.message,
            ms: 0,
          }))
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
          slowest = Math.max(slowest, answer.ms)
          const wrong = wrongWith(asked, answer)
          const cause = causes.get(answer.id) ?? ''
          if (wrong !== undefined || cause !== '') note(offences, asked, `${wrong ?? 'logs an error'}`, answer.text, cause)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, ask))
      process.stderr.write(`${sent + requests.length} sent, ${offences.size} kinds of offence\n`)
    }
  } finally {
    await app.close()
    await db.close()
    await store.drop()
  }
  report(offences, statuses, slowest)
}

const OFF = {
  LIMIT_REQUESTS_PER_IP: 'off',
  LIMIT_TASK_WRITES: 'off',
  LIMIT_WEBHOOKS: 'off',
  LIMIT_SIGN_INS: 'off',
  SIGNUP: 'open',
}

/** Errors that the service logs, by request: why it answered as it did. */
const logTo = (causes: Map<string, string>): Logger =>
  pino(
    { level: 'error' },
    {
      write(line: string) {
        const { reqId, err, msg } = JSON.parse(line) as { reqId?: string; err?: { message: string; stack: string }; msg: string }
        if (reqId) causes.set(reqId, err ? err.stack.split('\n').slice(0, 6).join('\n') : msg)
      },
    },
  )

async function openSlice(
  { db, vault }: { db: ReturnType<typeof openDatabase>; vault: Vault },
  port: number,
  slice: number,
): Promise<Caller> {
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(worldOf(slice)))]), { vault })
  const response = await fetch(`http://127.0.0.1:${port}/app/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email: emailOf('lead', slice), password: PASSWORD }),
  })
  if (response.status !== 200) throw new Error(`Signing in answers ${response.status}: ${await response.text()}`)
  return {
    world,
    cookie: response.headers
      .getSetCookie()
      .map((set) => set.split(';', 1)[0])
      .join('; '),
  }
}

function note(offences: Map<string, Offence>, first: FuzzRequest, wrong: string, answer: string, cause: string) {
  const key = `${first.name} ${wrong} ${cause.split('\n')[0]?.slice(0, 80)}`
  const known = offences.get(key)
  if (known) known.count++
  else offences.set(key, { count: 1, first, answer, cause })
}

function report(offences: Map<string, Offence>, statuses: Map<number, number>, slowest: number) {
  for (const [key, { count, first, answer, cause }] of offences) {
    console.log(`\n${count} × ${key}`)
    console.log(`  ${first.method} ${first.path.slice(0, SHOWN)}\n  ${JSON.stringify(first.headers).slice(0, SHOWN)}`)
    if (first.body !== undefined) console.log(`  ${first.body.slice(0, SHOWN)}`)
    console.log(`  → ${answer.slice(0, SHOWN)}\n${cause}`)
  }
  const counted = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  const bad = [...offences.values()].reduce((sum, { count }) => sum + count, 0)
  console.log(`\n${counted.join(', ')}; slowest ${Math.round(slowest)} ms; ${bad} offences of ${offences.size} kinds`)
  if (bad > 0) process.exitCode = 1
}
