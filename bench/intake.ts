import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { RULE_SUBJECTS } from '../src/contract/channels.ts'
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
/** More than a run can send to each side: a push that comes again would be recognised and cost nothing. */
const PUSHES = 55_000

/**
 * Signed pushes of five commits, everything recorded before the answer, beside a server that only stores the body; and beside those of a
 * studio whose chat channel hears of everything that a rule can be about.
 */
export async function benchIntake(cluster: Cluster) {
  build()
  const store = await cluster.create('intake')
  const db = openDatabase(store.url, { max: 1 })
  const load = startLoad()
  const vault = new Vault(SECRET)
  const chat = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{"id":"1"}'))
  await once(chat.listen(0, '127.0.0.1'), 'listening')
  const room = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/`
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(worldWith(room)))]), { vault })
  const [server, floor] = [
    await startGoldmaster(store.url, { ALLOW_PRIVATE_HOSTS: '127.0.0.1' }),
    await startIntakeFloor(store.url, SIGNING),
  ]
  try {
    const [quiet, ruledToken] = ['gh', 'ruled'].map((key) => world.integrations[key]!.webhook_token)
    const pushes = (token: string | undefined) => Array.from({ length: PUSHES }, () => push(token!))
    const [ours, ruled, bare] = (await interleave(
      load,
      [
        { name: 'goldmaster', server, requests: pushes(quiet), once: true },
        { name: 'with a chat channel and rules', server, requests: pushes(ruledToken), once: true },
        { name: 'floor: HMAC, look-up, INSERT', server: floor, requests: pushes(quiet), once: true },
      ],
      async () =>
        (
          await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)
        ).map(({ pid }) => pid),
    )) as [Figures, Figures, Figures]
    printTable(
      `Signed push of ${COMMITS} commits with one asset each`,
      ['', 'ratio', 'target', '', 'pushes/s', 'CPU ms server', 'PostgreSQL'],
      [
        ['goldmaster', '', '', '', median(ours.perSecond), median(ours.serverCpu), median(ours.databaseCpu)],
        [
          ruled.name,
          ratio(ruled, ours),
          '≥ 0.9',
          verdict(ratio(ruled, ours) >= 0.9),
          median(ruled.perSecond),
          median(ruled.serverCpu),
          median(ruled.databaseCpu),
        ],
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
    chat.close()
    await db.close()
    await store.drop()
  }
}

const worldWith = (room: string) => ({
  accounts: ['owl', 'fox'].map((key) => ({ key, name: key, payment_method: true })),
  projects: [
    { key: 'star', account: 'owl', name: 'Harbour', engine: 'unreal' },
    { key: 'moon', account: 'fox', name: 'Lagoon', engine: 'unreal' },
  ],
  integrations: [
    { key: 'gh', project: 'star', provider: 'github', signing_secret: SIGNING },
    { key: 'ruled', project: 'moon', provider: 'github', signing_secret: SIGNING },
  ],
  channels: [{ account: 'fox', kind: 'discord', name: 'All', secret: room, rules: SUBJECTS.map(ruleOf) }],
})
const SUBJECTS = Object.keys(RULE_SUBJECTS)
const ruleOf = (subject: string) => ({ project: 'moon', subject, ...(subject === 'last_known_good' ? { hours: 1 } : {}) })

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
