import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SCOPES } from '../../src/contract/sets.ts'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { hashOf, newToken } from '../../src/domain/privacy/secrets.ts'
import type { Cluster } from '../harness/database.ts'
import type { Noise, ReadFlood } from '../harness/floods.ts'
import { fillGrown, type Grown } from '../harness/growth/data.ts'
import { median } from '../harness/rounds.ts'
import { freePort, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

/** Tasks of the noisy account; the rest is in proportion. */
const TASKS = 200_000
const WINDOW_SECONDS = 5
const WINDOWS = 3
const EVERY_MS = 25
const RATIO = 3
const P99_MS = 300
const PATIENCE_MS = 10_000
const STARTING_MS = 30_000

/** One account with much history reads repeatedly, another lists its tasks: how much longer that takes than before. */
export async function benchReadFloods(cluster: Cluster, floods: readonly ReadFlood[]) {
  console.log(`\nLoading ${TASKS.toLocaleString('en')} tasks and what belongs to them …`)
  const store = await cluster.create('neighbours_reads')
  const port = await freePort()
  const site = `http://127.0.0.1:${port}`
  const db = openDatabase(store.url, { max: 2 })
  try {
    const grown = await fillGrown(store.url, TASKS, TASKS / 10)
    const server = await startGoldmaster(store.url, {
      PORT: String(port),
      BASE_URL: site,
      LIMIT_SIGN_INS: 'off',
      LOG_LEVEL: 'error',
    })
    try {
      const list = await quietList(db, site)
      const noise = await noiseOf(db, site, grown)
      await ask(list, 3)
      const rows = []
      for (const flood of floods) rows.push(await scene(flood, noise, list))
      printTable(
        `Another account reads (targets for the list of the quiet one: ratio ≤ ${RATIO}, p99 ≤ ${P99_MS} ms)`,
        ['flood', 'quiet p50 ms', 'flooded p50 ms', 'ratio', 'quiet p99 ms', 'p99 ms', 'answers/s to the flood', ''],
        rows,
      )
    } finally {
      await server.stop()
    }
  } finally {
    await db.close()
    await store.drop()
  }
}

interface List {
  url: string
  headers: Record<string, string>
}

async function scene(flood: ReadFlood, noise: Noise, list: List) {
  const [quiet, flooded]: [number[], number[]] = [[], []]
  let answers = 0
  for (let window = 0; window < WINDOWS; window++) {
    quiet.push(...(await ask(list, WINDOW_SECONDS)))
    const child = start(flood, noise)
    const counted = counter(child)
    // Starting its process takes more CPU than the flood itself.
    for (const end = performance.now() + STARTING_MS; counted() === 0 && performance.now() < end; ) await sleep(50)
    const before = counted()
    flooded.push(...(await ask(list, WINDOW_SECONDS)))
    answers += counted() - before
    await kill(child)
  }
  const ratio = median(flooded) / median(quiet)
  const held = ratio <= RATIO && p99(flooded) <= P99_MS
  return [
    flood,
    median(quiet),
    median(flooded),
    ratio,
    p99(quiet),
    p99(flooded),
    answers / WINDOWS / WINDOW_SECONDS,
    verdict(held),
  ]
}

const p99 = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)]!

/** Milliseconds of each, requested at a steady pace whatever the state of the earlier ones. */
async function ask({ url, headers }: List, seconds: number): Promise<number[]> {
  const took: Promise<number>[] = []
  const start = performance.now()
  for (let turn = 0; turn < (seconds * 1_000) / EVERY_MS; turn++) {
    await sleep(Math.max(0, start + turn * EVERY_MS - performance.now()))
    const began = performance.now()
    took.push(
      fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE_MS) }).then(
        async (answer) => {
          await answer.arrayBuffer()
          // A refusal counts like no response.
          return answer.ok ? performance.now() - began : PATIENCE_MS
        },
        () => PATIENCE_MS,
      ),
    )
  }
  return Promise.all(took)
}

async function quietList(db: Pool, site: string): Promise<List> {
  const token = newToken()
  const { project_id } = (await db.one<{ project_id: number }>(sql`
    with t as (
      insert into api_tokens (user_id, name, prefix, hash, scopes, created_via)
      select id, 'bench', ${token.slice(0, 8)}, ${hashOf(token)}, ${[...SCOPES]}::text[], 'web' from users where name = 'Fox')
    select id as project_id from projects where name = 'Fox'`))!
  return { url: `${site}/api/v1/projects/${project_id}/tasks?limit=50`, headers: { authorization: `Bearer ${token}` } }
}

async function noiseOf(db: Pool, site: string, { token, email, password }: Grown): Promise<Noise> {
  const builds = (await db.one<{ build: number; oldest: number }>(
    sql`select max(id) as build, min(id) as oldest from build_runs where project_id = 1`,
  ))!
  const answer = await fetch(`${site}/app/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: site },
    body: JSON.stringify({ email, password }),
  })
  if (!answer.ok) throw new Error(`Signing in: ${answer.status} ${await answer.text()}`)
  const cookie = answer.headers.getSetCookie().map((set) => set.split(';', 1)[0])
  return { site, hungPort: 0, project: 1, token, cookie: cookie.join('; '), jenkinsToken: '', githubToken: '', ...builds }
}

const start = (flood: ReadFlood, noise: Noise) =>
  spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL('../harness/floods.ts', import.meta.url))], {
    env: { ...process.env, FLOOD: flood, NOISE: JSON.stringify(noise) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** A flood writes a character for each response that it gets. */
function counter(child: ChildProcess): () => number {
  let count = 0
  child.stdout!.on('data', (bytes: Buffer) => {
    count += bytes.length
  })
  return () => count
}

async function kill(child: ChildProcess) {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
