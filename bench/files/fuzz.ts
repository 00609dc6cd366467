import { Readable } from 'node:stream'
import { type Logger, pino } from 'pino'
import { type Pool, sql } from '../../src/db/database.ts'
import { randomOf } from '../../src/demo/random.ts'
import type { DeliveryKey } from '../../src/domain/integrations/deliveries.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { buildServer } from '../../src/http/server.ts'
import { ingest } from '../../src/intake/ingest.ts'
import { readEnvironment } from '../../src/service/environment.ts'
import { openPools } from '../../src/service/pools.ts'
import { makeService } from '../../src/service/service.ts'
import { loadWorld } from '../../src/world/world.ts'
import type { Cluster } from '../harness/database.ts'
import { type FuzzAnswer, send, wrongWith } from '../harness/fuzz/judge.ts'
import { type Caller, type FuzzRequest, requestOf } from '../harness/fuzz/requests.ts'
import { emailOf, PASSWORD, worldOf } from '../harness/fuzz/world.ts'
import { SECRET } from '../harness/servers.ts'

const COUNT = 200_000
const SLICE = 2_000
const AT_ONCE = 16
const SHOWN = 600
const SLOW_MS = 2_000

interface Offence {
  count: number
  first: FuzzRequest
  answer: string
  cause: string
}

/** Generated requests to every route: none may return a 5xx, late, or an undocumented reply. */
export async function benchFuzz(cluster: Cluster) {
  const [count, seed] = [Number(process.argv[3] ?? COUNT), Number(process.argv[4] ?? 1)]
  const store = await cluster.create('fuzz')
  const pools = openPools(store.url, { statementTimeout: 5_000, onError: () => {} })
  const { db } = pools
  const causes = new Map<string, string>()
  const settings = readEnvironment({ ...OFF, DATABASE_URL: store.url, SECRET_KEY: SECRET, BASE_URL: 'http://localhost:8080' })
  const opened = {
    db,
    url: store.url,
    secrets: [SECRET] satisfies [string],
    vault: new Vault(SECRET),
    objects: undefined,
    fresh: false,
    close: async () => {},
  }
  const service = makeService(settings, opened, pools, logTo(causes))
  const app = await buildServer(service)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const offences = new Map<string, Offence>()
  const statuses = new Map<number, number>()
  try {
    for (let sent = 0; sent < count; sent += SLICE) {
      const random = randomOf(seed * 1_000_003 + sent)
      const caller = await openSlice(service, port, sent)
      const requests = Array.from({ length: Math.min(SLICE, count - sent) }, () => requestOf(random, caller))
      const slow: FuzzRequest[] = []
      let next = 0
      const judge = async (asked: FuzzRequest, late: (asked: FuzzRequest) => void) => {
        const answer = await send(port, asked).catch(unanswered)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        const cause = causes.get(answer.id) ?? ''
        const wrong = wrongWith(asked, answer) ?? (cause === '' ? undefined : 'logs an error')
        if (wrong !== undefined) note(offences, asked, wrong, answer.text, cause)
        else if (answer.ms > SLOW_MS) late(asked)
      }
      const ask = async () => {
        for (let asked = requests[next++]; asked; asked = requests[next++]) await judge(asked, (late) => slow.push(late))
      }
      await Promise.all(Array.from({ length: AT_ONCE }, ask))
      // Slow ones are repeated alone: a busy machine is not a fault.
      for (const asked of slow) await judge(asked, (late) => note(offences, late, `takes over ${SLOW_MS} ms`, '', ''))
      await ingestAccepted(db, offences)
      process.stderr.write(`${sent + requests.length} sent, ${offences.size} kinds of offence\n`)
    }
  } finally {
    await app.close()
    await pools.close()
    await store.drop()
  }
  report(offences, statuses)
}

const OFF = {
  LIMIT_REQUESTS_PER_IP: 'off',
  LIMIT_TASK_WRITES: 'off',
  LIMIT_WEBHOOKS: 'off',
  LIMIT_SIGN_INS: 'off',
  SIGNUP: 'open',
}

const unanswered = (error: Error): FuzzAnswer => ({ status: 599, type: '', id: '', text: error.message, ms: 0 })

/** Errors in the service's log, by request: the cause of a reply. */
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

async function openSlice({ db, vault }: { db: Pool; vault: Vault }, port: number, slice: number): Promise<Caller> {
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

/** The work after a 202 is done too: a job that fails is a hidden 5xx. */
async function ingestAccepted(db: Pool, offences: Map<string, Offence>) {
  const accepted = await db.rows<DeliveryKey & { path: string; body: Buffer }>(sql`
    select account_id, id as delivery_id, path, body from deliveries where outcome = 'accepted' and body is not null order by id`)
  for (const { path, body, ...delivery } of accepted)
    await ingest(db, delivery).catch((error: Error) => {
      const first = { name: `job of ${path}`, method: 'POST', path, headers: {}, body: body.toString() }
      note(offences, first, 'fails', error.message, (error.stack ?? '').split('\n').slice(0, 6).join('\n'))
    })
}

function note(offences: Map<string, Offence>, first: FuzzRequest, wrong: string, answer: string, cause: string) {
  const key = `${first.name} ${wrong} ${cause.split('\n')[0]?.slice(0, 80)}`
  const known = offences.get(key)
  if (known) known.count++
  else offences.set(key, { count: 1, first, answer, cause })
}

function report(offences: Map<string, Offence>, statuses: Map<number, number>) {
  for (const [key, { count, first, answer, cause }] of offences) {
    console.log(`\n${count} × ${key}`)
    console.log(`  ${first.method} ${first.path.slice(0, SHOWN)}\n  ${JSON.stringify(first.headers).slice(0, SHOWN)}`)
    if (first.body !== undefined) console.log(`  ${first.body.slice(0, SHOWN)}`)
    console.log(`  → ${answer.slice(0, SHOWN)}\n${cause}`)
  }
  const counted = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  const bad = [...offences.values()].reduce((sum, { count }) => sum + count, 0)
  console.log(`\n${counted.join(', ')}; ${bad} offences of ${offences.size} kinds`)
  if (bad > 0) process.exitCode = 1
}
