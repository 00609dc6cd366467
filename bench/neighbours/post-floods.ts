import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../src/db/database.ts'
import { randomOf } from '../../src/demo/random.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import { mainThreadMs } from '../../test/support/work.ts'
import type { Cluster } from '../harness/database.ts'
import { send } from '../harness/fuzz/judge.ts'
import { type Caller, type FuzzRequest, requestOf } from '../harness/fuzz/requests.ts'
import { emailOf, PASSWORD, worldOf } from '../harness/fuzz/world.ts'
import { median } from '../harness/rounds.ts'
import { build, SECRET, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const SECONDS = 3
const CONNECTIONS = 8
const EVERY_MS = 40
const RATIO = 2
/** Of each account; each route gets its share. */
const GENERATED = 20_000
/** A list waits for the statement of the flood that runs, and for those that were sent before: not for all that wait. */
const BEFORE_MAX = 2 * CONNECTIONS

/**
 * Two accounts flood each route that writes and each webhook in turn, a third one lists its tasks: how much work the main thread does while
 * a list waits, and how many answers to the flood go before it. `npm run bench -- post-floods github createTask` floods some of them.
 */
export async function benchPostFloods(cluster: Cluster) {
  const chosen = process.argv.slice(3)
  build()
  const store = await cluster.create('post_floods')
  const db = openDatabase(store.url, { max: 2 })
  const server = await startGoldmaster(store.url, { LIMIT_SIGN_INS: 'off', LOG_LEVEL: 'fatal', ALLOW_PRIVATE_HOSTS: '' })
  const rows: (string | number)[][] = []
  try {
    const callers: Caller[] = []
    for (const slice of [0, 1, 2]) {
      const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(worldOf(slice)))]), {
        vault: new Vault(SECRET),
      })
      callers.push({ world, cookie: await signIn(server.port, emailOf('lead', slice)) })
    }
    const quiet = listOf(callers[2]!)
    const floods = [bucketsOf(callers[0]!, 1), bucketsOf(callers[1]!, 2)] as const
    const doors = [...floods[0].keys()].filter((name) => chosen.length === 0 || chosen.some((part) => name.includes(part)))
    await watch(server, quiet, SECONDS)
    for (const door of doors.toSorted()) {
      const alone = await watch(server, quiet, 1)
      const answers = { count: 0 }
      const stop = new AbortController()
      const running = floods.flatMap((flood) =>
        Array.from({ length: CONNECTIONS }, () => repeat(server.port, flood.get(door) ?? [], answers, stop.signal)),
      )
      const flooded = await watch(server, quiet, SECONDS, answers)
      stop.abort()
      await Promise.all(running)
      const ratio = flooded.work / Math.max(1, alone.work)
      const isHeld = ratio <= RATIO || flooded.before <= BEFORE_MAX
      rows.push([door, alone.work, flooded.work, ratio, flooded.before, answers.count / SECONDS, verdict(isHeld)])
      process.stderr.write(`${rows.at(-1)!.join('  ')}\n`)
    }
  } finally {
    await server.stop()
    await db.close()
    await store.drop()
  }
  printTable(
    `Floods of writes by two accounts, a list of a third (targets: work ≤ ${RATIO} ×, or ≤ ${BEFORE_MAX} answers before it)`,
    ['door', 'alone ms', 'flooded ms', 'ratio', 'answers before', 'answers/s', ''],
    rows,
  )
}

const listOf = ({ world }: Caller): FuzzRequest => ({
  name: 'list',
  method: 'GET',
  path: `/api/v1/projects/${world.projects.star!.id}/tasks`,
  headers: { authorization: `Bearer ${world.tokens.all!.token}` },
})

/** Requests that write, by route. */
function bucketsOf(caller: Caller, seed: number): Map<string, FuzzRequest[]> {
  const random = randomOf(seed)
  const buckets = new Map<string, FuzzRequest[]>()
  for (let made = 0; made < GENERATED; made++) {
    const request = requestOf(random, caller)
    // The session is needed for the others.
    if (/^(?:GET|HEAD|OPTIONS)$/.test(request.method) || /sign.?out|session/i.test(request.name)) continue
    buckets.set(request.name, [...(buckets.get(request.name) ?? []), request])
  }
  return buckets
}

async function repeat(port: number, requests: readonly FuzzRequest[], answers: { count: number }, signal: AbortSignal) {
  for (let next = 0; requests.length > 0 && !signal.aborted; next++) {
    await send(port, requests[next % requests.length]!).catch(() => sleep(20))
    answers.count++
  }
}

/** Medians of the main thread's work while a list waits, and of the answers to the flood before it. */
async function watch(server: { pid: number; port: number }, list: FuzzRequest, seconds: number, answers = { count: 0 }) {
  const [work, before]: [number[], number[]] = [[], []]
  for (const until = performance.now() + 1000 * seconds; performance.now() < until; ) {
    const [began, answered] = [mainThreadMs(server.pid) ?? Number.NaN, answers.count]
    const { status } = await send(server.port, list)
    if (status !== 200) throw new Error(`The list of the quiet account answers ${status}.`)
    work.push((mainThreadMs(server.pid) ?? Number.NaN) - began)
    before.push(answers.count - answered)
    await sleep(EVERY_MS)
  }
  return { work: median(work), before: median(before) }
}

async function signIn(port: number, email: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/app/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  if (response.status !== 200) throw new Error(`Signing in answers ${response.status}: ${await response.text()}`)
  return response.headers
    .getSetCookie()
    .map((set) => set.split(';', 1)[0])
    .join('; ')
}
