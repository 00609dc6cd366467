import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import * as badges from '../../src/domain/ugs/badges.ts'
import * as tokens from '../../src/domain/ugs/tokens.ts'
import * as userMetadata from '../../src/domain/ugs/user-metadata.ts'
import { loadWorld } from '../../src/world/world.ts'
import { cpuOfEach, usedBetween } from '../harness/cpu.ts'
import type { Cluster } from '../harness/database.ts'
import { median } from '../harness/rounds.ts'
import { build, SECRET, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const CLIENTS = 1_000
/** Milliseconds between two polls of a stock client. */
const INTERVAL = 30_000
const ROUNDS = 3
const CHANGES = 2_000
const USERS = 5
const TARGET = 0.2

/** A studio's Unreal Game Sync clients poll one node, while a badge a second is posted: their cost compared with the node alone. */
export async function benchUgs(cluster: Cluster) {
  build()
  const store = await cluster.create('ugs')
  const db = openDatabase(store.url, { max: 4 })
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET) })
  const project = { account_id: world.accounts.owl!.id as number, project_id: world.projects.star!.id as number }
  const { token } = await tokens.create(db, project.project_id, 'bench')
  await write(db, project)
  const server = await startGoldmaster(store.url, { LIMIT_UGS: '10000/1m' })
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  try {
    const clients = Array.from({ length: CLIENTS }, () => ({ sequence: 0 }))
    const ask = (client: { sequence: number }) => poll(agent, server, token, client)
    console.log(`${CLIENTS.toLocaleString('en')} clients come …`)
    for (let i = 0; i < CLIENTS; i += 20) await Promise.all(clients.slice(i, i + 20).map(ask))
    const rounds: { idle: number; polled: number; database: number; latency: number; items: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const idle = await measure(db, server, () => sleep(INTERVAL / 2))
      const taken: number[] = []
      let items = 0
      const polled = await measure(db, server, async () => {
        const posting = post(db, project, round)
        await Promise.all(
          clients.map(async (client, i) => {
            await sleep((i * INTERVAL) / CLIENTS)
            const began = performance.now()
            items += await ask(client)
            taken.push(performance.now() - began)
          }),
        )
        await posting
      })
      rounds.push({
        idle: idle.server,
        polled: polled.server,
        database: polled.database - idle.database,
        latency: median(taken),
        items: items / CLIENTS,
      })
    }
    const of = (name: keyof (typeof rounds)[0]) => median(rounds.map((round) => round[name]))
    const more = median(rounds.map(({ idle, polled }) => polled - idle))
    printTable(
      `${CLIENTS.toLocaleString('en')} clients of Unreal Game Sync, each polling every ${INTERVAL / 1000} s`,
      ['', 'measured', 'target', ''],
      [
        ['share of a core, idle', of('idle'), '', ''],
        ['share of a core, polled', of('polled'), '', ''],
        ['more than idle', more, `< ${TARGET}`, verdict(more < TARGET)],
        ['share of a core of PostgreSQL, more than idle', of('database'), '', ''],
        ['changes in an answer', of('items'), '', ''],
        ['answer, median ms', of('latency'), '', ''],
      ],
    )
  } finally {
    agent.destroy()
    await server.stop()
    await db.close()
    await store.drop()
  }
}

/** The share of a core that the node and its PostgreSQL used meanwhile. */
async function measure(db: Pool, { pid }: Server, work: () => Promise<unknown>) {
  const backends = async () =>
    (await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)).map(
      (one) => one.pid,
    )
  const look = async () => [await cpuOfEach([pid]), await cpuOfEach(await backends())] as const
  const began = performance.now()
  const before = await look()
  await work()
  const after = await look()
  const ms = performance.now() - began
  return { server: usedBetween(before[0], after[0]) / ms, database: usedBetween(before[1], after[1]) / ms }
}

type Project = { account_id: number; project_id: number }
const PATH = '//ue5/main/shooter'

async function write(db: Pool, project: Project) {
  for (let change = 1; change <= CHANGES; change++) {
    const at = { ...project, path: PATH, change }
    await badges.post(db, at, { name: 'Editor', state: 'Success', url: 'https://ci.example.com/1' })
    for (let user = 0; user < USERS; user++)
      await userMetadata.update(db, at, { user: `user${user}`, synced: true, vote: 'Good' })
  }
  await db.rows(sql`vacuum analyze ugs_changes, ugs_badges, ugs_user_metadata`)
}

/** One badge a second: a studio with thirty jobs on a busy day. */
async function post(db: Pool, project: Project, round: number) {
  for (let second = 0; second < INTERVAL / 1000; second++) {
    const at = { ...project, path: PATH, change: CHANGES + round * 100 + (second % 100) }
    await badges.post(db, at, { name: 'Editor', state: 'Starting', url: 'https://ci.example.com/1' })
    await sleep(1_000)
  }
}

/** How many changes the reply contained. A client shows the last hundred. */
function poll(agent: Agent, { port }: Server, token: string, client: { sequence: number }): Promise<number> {
  const path = `/ugs/${token}/api/metadata?stream=//ue5/main&project=shooter&minchange=${CHANGES - 100}&sequence=${client.sequence}`
  return new Promise((resolve, reject) => {
    request({ agent, port, path }, async (reply) => {
      const chunks: Buffer[] = []
      for await (const chunk of reply) chunks.push(chunk)
      const text = Buffer.concat(chunks).toString()
      if (reply.statusCode !== 200) return reject(new Error(`A poll was answered with ${reply.statusCode}: ${text}`))
      const { SequenceNumber, Items } = JSON.parse(text)
      client.sequence = SequenceNumber
      resolve(Items.length)
    })
      .on('error', reject)
      .end()
  })
}

const WORLD = {
  accounts: [{ key: 'owl', name: 'Bench Studio', plan: 'team', payment_method: true }],
  projects: [{ key: 'star', account: 'owl', name: 'Harbour', engine: 'unreal' }],
}
