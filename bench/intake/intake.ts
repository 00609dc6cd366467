import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { RULE_SUBJECTS } from '../../src/contract/channels.ts'
import { type Database, join, openDatabase, raw, sql } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import type { Loaded } from '../../src/world/loaded.ts'
import { loadWorld } from '../../src/world/world.ts'
import type { Cluster } from '../harness/database.ts'
import { startLoad } from '../harness/load.ts'
import { COMMITS, push, SIGNING } from '../harness/push.ts'
import { type Figures, interleave, median, PACE, ratio, type Side } from '../harness/rounds.ts'
import { build, SECRET, type Server, startGoldmaster, startIntakeFloor } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

/** More than a run can send to each side: a repeated push would be recognized and cost nothing. */
const PUSHES = 30_000
const PUSHES_ALONE = 12_000

/**
 * Signed pushes of five commits, everything recorded before the response, at 16 connections and one at a time, compared with a server that
 * only writes the same rows; and with those of a studio whose chat channel has rules for everything.
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
    const side = (name: string, at: Server, integration: string, count: number): Side => {
      const { webhook_token } = world.integrations[integration]!
      return { name, server: at, requests: Array.from({ length: count }, () => pushTo(webhook_token)), once: true }
    }
    const backends = async () =>
      (await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)).map(
        ({ pid }) => pid,
      )
    const sides = (count: number) => [
      side('goldmaster', server, 'gh', count),
      side('floor: the same rows', floor, 'floor', count),
    ]
    const [ours, bare, ruled] = (await interleave(
      load,
      [...sides(PUSHES), side('with a chat channel and rules', server, 'ruled', PUSHES)],
      backends,
    )) as [Figures, Figures, Figures]
    print(`Signed push of ${COMMITS} commits with one asset each, ${PACE.connections} connections`, [
      row(ours, ratio(ours, bare), '≥ 0.85', 0.85),
      row(bare),
      row(ruled, ratio(ruled, ours), '≥ 0.9 of ours', 0.9),
    ])
    const lone = { ...PACE, connections: 1 }
    const [ourLone, bareLone] = (await interleave(load, sides(PUSHES_ALONE), backends, lone)) as [Figures, Figures]
    print('One at a time', [row(ourLone, ratio(ourLone, bareLone), '≥ 0.67: 1.5 times as long', 1 / 1.5), row(bareLone)])
    const kept = await db.one<{ processed: number; duplicate: number; changes: number }>(sql`
      select count(*) filter (where outcome = 'processed') as processed, count(*) filter (where outcome = 'duplicate') as duplicate,
        (select count(*) from changes) as changes from deliveries`)
    console.log(`${kept!.processed} recorded with ${kept!.changes} changes, ${kept!.duplicate} duplicates`)
    await compareRows(db, world.projects)
  } finally {
    load.stop()
    await server.stop()
    await floor.stop()
    chat.close()
    await db.close()
    await store.drop()
  }
}

const print = (title: string, rows: (string | number)[][]) =>
  printTable(title, ['', 'ratio', 'target', '', 'pushes/s', 'CPU ms server', 'PostgreSQL'], rows)

const row = (figures: Figures, share?: number, target = '', least = 0) => [
  figures.name,
  ...(share === undefined ? ['', '', ''] : [share, target, verdict(share >= least)]),
  median(figures.perSecond),
  median(figures.serverCpu),
  median(figures.databaseCpu),
]

/** A baseline that writes less than the service would not be valid. */
async function compareRows(db: Database, projects: Loaded['projects']) {
  const perPush = async (project: number) =>
    db.one(sql`
      select ${join(
        ['changes', 'change_branches', 'assets', 'approvals', 'outbox'].map(
          (table) =>
            sql`round((select count(*) from ${raw(table)} t where t.project_id = p.id)::numeric / d.count, 2)::text as ${raw(table)}`,
        ),
      )},
        round((select sum(version) from assets a where a.project_id = p.id)::numeric / d.count, 2)::text as versions,
        round((select sum(asset_count) from changes c where c.project_id = p.id)::numeric / d.count, 2)::text as counted
      from projects p, lateral (
        select count(*) from deliveries d join integrations i on i.id = d.integration_id where i.project_id = p.id) d
      where p.id = ${project}`)
  const [ours, bare] = await Promise.all(['star', 'sea'].map((key) => perPush(projects[key]!.id)))
  if (JSON.stringify(ours) !== JSON.stringify(bare))
    throw new Error(`Rows per push: ${JSON.stringify(ours)}, of the floor ${JSON.stringify(bare)}`)
}

const worldWith = (room: string) => ({
  accounts: ['owl', 'fox'].map((key) => ({ key, name: key, payment_method: true })),
  projects: [
    { key: 'star', account: 'owl', name: 'Harbour', engine: 'unreal' },
    { key: 'moon', account: 'fox', name: 'Lagoon', engine: 'unreal' },
    { key: 'sea', account: 'owl', name: 'Floor', engine: 'unreal' },
  ],
  integrations: [
    { key: 'gh', project: 'star', provider: 'github', signing_secret: SIGNING },
    { key: 'floor', project: 'sea', provider: 'github', signing_secret: SIGNING },
    { key: 'ruled', project: 'moon', provider: 'github', signing_secret: SIGNING },
  ],
  channels: [{ account: 'fox', kind: 'discord', name: 'All', secret: room, rules: SUBJECTS.map(ruleOf) }],
})
const SUBJECTS = Object.keys(RULE_SUBJECTS)
const ruleOf = (subject: string) => ({ project: 'moon', subject, ...(subject === 'last_known_good' ? { hours: 1 } : {}) })

/** In wire format. */
function pushTo(token: string): string {
  const { headers, body } = push()
  return [
    `POST /webhooks/github?token=${token} HTTP/1.1`,
    'Host: bench',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
