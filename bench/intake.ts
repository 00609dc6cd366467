import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { openDatabase, sql } from '../src/db/database.ts'
import { Vault } from '../src/domain/access/secrets.ts'
import { loadWorld } from '../src/world/world.ts'
import type { Cluster } from './harness/database.ts'
import { startLoad } from './harness/load.ts'
import { type Figures, interleave, median, ratio } from './harness/rounds.ts'
import { build, SECRET, startGoldmaster, startIntakeFloor } from './harness/servers.ts'
import { printTable, verdict } from './harness/table.ts'

const SIGNING = 'shared with the repository'
const COMMITS = 5
/** More than a run can send: a push that comes again would be recognised and cost nothing. */
const PUSHES = 110_000

/** Signed pushes of five commits, everything recorded before the answer, beside a server that only stores the body. */
export async function benchIntake(cluster: Cluster) {
  build()
  const store = await cluster.create('intake')
  const db = openDatabase(store.url, { max: 1 })
  const load = startLoad()
  const vault = new Vault(SECRET)
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault })
  const token = world.integrations.gh!.webhook_token
  const [server, floor] = [await startGoldmaster(store.url), await startIntakeFloor(store.url, SIGNING)]
  try {
    const pushes = Array.from({ length: PUSHES }, () => push(token))
    const half = PUSHES / 2
    const [ours, bare] = (await interleave(
      load,
      [
        { name: 'goldmaster', server, requests: pushes.slice(0, half), once: true },
        { name: 'floor: HMAC, look-up, INSERT', server: floor, requests: pushes.slice(half), once: true },
      ],
      async () =>
        (
          await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)
        ).map(({ pid }) => pid),
    )) as [Figures, Figures]
    printTable(
      `Signed push of ${COMMITS} commits with one asset each`,
      ['', 'ratio', 'target', '', 'pushes/s', 'CPU ms server', 'PostgreSQL'],
      [
        ['goldmaster', '', '', '', median(ours.perSecond), median(ours.serverCpu), median(ours.databaseCpu)],
        [
          bare.name,
          ratio(ours, bare),
          '≥ 0.5',
          verdict(ratio(ours, bare) >= 0.5),
          median(bare.perSecond),
          median(bare.serverCpu),
          median(bare.databaseCpu),
        ],
      ],
    )
    const kept = await db.one<{ processed: number; duplicate: number; changes: number }>(sql`
      select count(*) filter (where outcome = 'processed') as processed, count(*) filter (where outcome = 'duplicate') as duplicate,
        (select count(*) from changes) as changes from deliveries`)
    console.log(`${kept!.processed} recorded with ${kept!.changes} changes, ${kept!.duplicate} duplicates`)
  } finally {
    load.stop()
    await server.stop()
    await floor.stop()
    await db.close()
    await store.drop()
  }
}

const WORLD = {
  accounts: [{ key: 'owl', name: 'Bench Studio', payment_method: true }],
  projects: [{ key: 'star', account: 'owl', name: 'Harbour', engine: 'unreal' }],
  integrations: [{ key: 'gh', project: 'star', provider: 'github', signing_secret: SIGNING }],
}

function push(token: string): string {
  const commits = Array.from({ length: COMMITS }, (_, i) => ({
    id: randomBytes(20).toString('hex'),
    message: 'Keep the crate on the floor\n\nReviewed by the physics group.',
    timestamp: '2026-03-01T12:00:00Z',
    author: { name: 'Kim Lindqvist', email: 'kim@bench.example', username: 'kim' },
    added: [`Content/Props/T_Crate_${randomBytes(4).toString('hex')}_${i}.png`],
    modified: ['Source/Physics/Crate.cpp', 'Source/Physics/Crate.h'],
    removed: [],
  }))
  const body = JSON.stringify({
    ref: 'refs/heads/main',
    before: 'b'.repeat(40),
    after: commits.at(-1)!.id,
    repository: { full_name: 'bench/harbour' },
    pusher: { name: 'kim' },
    commits,
  })
  const signature = createHmac('sha256', SIGNING).update(body).digest('hex')
  return [
    `POST /webhooks/github?token=${token} HTTP/1.1`,
    'Host: bench',
    'Content-Type: application/json',
    'X-GitHub-Event: push',
    `X-GitHub-Delivery: ${randomUUID()}`,
    `X-Hub-Signature-256: sha256=${signature}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
