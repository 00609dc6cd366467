import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { SCOPES } from '../../src/contract/sets.ts'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import type { Cluster } from '../harness/database.ts'
import { startLoad } from '../harness/load.ts'
import { build, SECRET, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const ALONE = 60
const STORM = 500
const STORM_SECONDS = 60
const LOG_BYTES = 50 * 1024

/**
 * Failed builds are investigated automatically: how long until the finding is there, one at a time and in a burst, and the effect on
 * others.
 */
export async function benchFailures(cluster: Cluster) {
  build()
  const store = await cluster.create('failures')
  const db = openDatabase(store.url, { max: 2 })
  const load = startLoad()
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET) })
  const server = await startGoldmaster(store.url)
  const token = world.integrations.ci!.webhook_token
  const head = `GET /api/v1/projects/${world.projects.moon!.id}/tasks HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${world.tokens.ann!.token}\r\n\r\n`
  const list = (seconds: number) => load.run({ port: server.port, connections: 1, requests: [head], seconds, most: 1_000_000 })
  try {
    await list(2)
    const quiet = await list(10)
    for (let i = 0; i < ALONE; i++) {
      await report(server, token)
      await sleep(200)
    }
    const alone = await found(db, ALONE)
    const during = list(STORM_SECONDS)
    for (let i = 0; i < STORM; i++) {
      void report(server, token)
      await sleep((STORM_SECONDS * 1_000) / STORM)
    }
    const stormy = await during
    const storm = await found(db, ALONE + STORM, ALONE)
    const slower = stormy.p50 / quiet.p50
    printTable(
      `Failed builds with ${LOG_BYTES / 1024} kB of log, from their report to the finding`,
      ['', 'measured', 'target', ''],
      [
        ['one at a time, p50 s', quantile(alone, 0.5), '', ''],
        ['one at a time, p95 s', quantile(alone, 0.95), '≤ 2', verdict(quantile(alone, 0.95) <= 2)],
        [`${STORM} in ${STORM_SECONDS} s, p95 s`, quantile(storm, 0.95), '', ''],
        ["another account's list, quiet p50 ms", quiet.p50, '', ''],
        ["another account's list, in the storm p50 ms", stormy.p50, '', ''],
        ["another account's list, in the storm p99 ms", stormy.p99, '', ''],
        ['storm / quiet', slower, '≤ 6', verdict(slower <= 6)],
      ],
    )
  } finally {
    load.stop()
    await server.stop()
    await db.close()
    await store.drop()
  }
}

const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)]!

/** Seconds from the report to the finding, once all are there. */
async function found(db: Pool, count: number, after = 0): Promise<number[]> {
  for (;;) {
    const rows = await db.rows<{ seconds: number }>(sql`
      select extract(epoch from i.finished_at - b.created_at)::float8 as seconds from investigations i
      join build_runs b on b.id = i.build_run_id where i.status = 'completed' order by b.id`)
    if (rows.length >= count) return rows.slice(after).map(({ seconds }) => seconds)
    await sleep(200)
  }
}

let sent = 0

async function report({ port }: Server, token: string) {
  const number = ++sent
  const body = JSON.stringify({
    job_name: `job ${number % 20}`,
    build_number: String(number),
    status: 'FAILURE',
    branch: 'main',
    log: log(number),
  })
  const answer = await fetch(`http://127.0.0.1:${port}/webhooks/ci?token=${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  if (!answer.ok) throw new Error(`A build report was answered with ${answer.status}.`)
}

/** Ten causes, so that most failures join an existing breakage. */
function log(number: number) {
  let text = ''
  for (let i = 0; text.length < LOG_BYTES; i++) text += `[${i}/9000] Compile [x64] Module.Harbour.${number}.${i}.cpp\n`
  return `${text}src/part${number % 10}.c:54:3: error: 'part${number % 10}' undeclared\nmake: *** [game] Error 1\n`
}

const WORLD = {
  accounts: [
    { key: 'owl', name: 'Bench Studio', plan: 'enterprise', credits: null },
    { key: 'fox', name: 'Another Studio', plan: 'enterprise', credits: null },
  ],
  users: [{ key: 'ann', email: 'ann@bench.example', name: 'Ann', accounts: { fox: 'owner' } }],
  projects: [
    { key: 'star', account: 'owl', name: 'Harbour' },
    { key: 'moon', account: 'fox', name: 'Lighthouse' },
  ],
  tokens: [{ key: 'ann', user: 'ann', name: 'bench', scopes: SCOPES }],
  integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
  tasks: Array.from({ length: 100 }, (_, i) => ({ project: 'moon', title: `Polish the lamp ${i}` })),
}
