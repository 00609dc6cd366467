import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { create as createWebhook } from '../../src/domain/webhooks/webhooks.ts'
import { fill } from '../harness/data.ts'
import type { Cluster } from '../harness/database.ts'
import { SECRET } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const TARGET = 500

/** Deliveries a second to a receiver on the same machine, and the losses when both sides are killed on the way. */
export async function benchOutgoing(cluster: Cluster) {
  const rows = [
    await scene(cluster, { name: 'one webhook, a backlog', webhooks: 1, backlog: 5_000 }),
    await scene(cluster, { name: '20 webhooks, a backlog', webhooks: 20, backlog: 500 }),
    await scene(cluster, { name: '20 webhooks, 40 events a second, both sides killed', webhooks: 20, pace: 40, seconds: 30 }),
  ]
  const head = ['', 'deliveries/s', 'target', '', 'deliveries', 'lost', 'out of order', 'sent again']
  printTable('Outbound webhooks', head, rows)
}

interface Scene {
  name: string
  webhooks: number
  /** Events that are waiting when the worker starts. */
  backlog?: number
  /** Events a second, for this many seconds; receiver and worker are killed a third and two thirds of the way. */
  pace?: number
  seconds?: number
}

async function scene(cluster: Cluster, { name, webhooks, backlog = 0, pace = 0, seconds = 0 }: Scene) {
  console.log(`\n${name} …`)
  const store = await cluster.create(`outgoing_${webhooks}_${pace}`)
  const folder = await mkdtemp(join(tmpdir(), 'goldmaster-bench-'))
  const file = join(folder, 'received')
  await writeFile(file, '')
  const db = openDatabase(store.url, { max: 4 })
  const port = await freePort()
  const receive = () => start('receiver', { FILE: file, PORT: String(port) })
  const work = () =>
    start('worker', {
      NODE_ENV: 'production',
      DATABASE_URL: store.url,
      SECRET_KEY: SECRET,
      ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      LOG_LEVEL: 'error',
      DATA_DIR: folder,
    })
  const children: ChildProcess[] = []
  try {
    await fill(store.url, 0, [])
    const vault = new Vault(SECRET)
    for (let i = 0; i < webhooks; i++) await createWebhook(db, vault, { account_id: 1, url: `http://127.0.0.1:${port}/${i + 1}` })
    await happen(db, backlog)
    children.push(receive())
    await until(async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) !== undefined)
    await writeFile(file, '')
    children.push(work())
    const began = await firstLine(file, pace > 0 ? happen(db, 1) : undefined)
    for (let second = 0; second < seconds; second++) {
      if (second === Math.floor(seconds / 3)) await kill(children[0]!)
      if (second === Math.floor(seconds / 3) + 2) children[0] = receive()
      if (second === Math.floor((seconds * 2) / 3)) {
        await kill(children[1]!)
        children[1] = work()
      }
      await Promise.all([happen(db, pace), sleep(1_000)])
    }
    const expected = (backlog || pace * seconds + 1) * webhooks
    await until(async () => (await delivered(db)) === expected)
    const took = (Date.now() - began) / 1000
    const { lost, unordered, repeated } = await compare(db, file)
    const missing = lost + expected - (await delivered(db))
    const perSecond = expected / took
    return [
      name,
      perSecond,
      `≥ ${TARGET}`,
      verdict(perSecond >= TARGET && missing + unordered === 0),
      expected,
      missing,
      unordered,
      repeated,
    ]
  } finally {
    for (const child of children) await kill(child)
    await db.close()
    await store.drop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Each event in a separate transaction, as in production. */
async function happen(db: Pool, count: number) {
  for (let i = 0; i < count; i++)
    await db.execute(sql`insert into tasks (account_id, project_id, title) values (1, 1, 'The lighthouse turns the wrong way')`)
}

const delivered = async (db: Pool) =>
  (await db.one<{ count: number }>(sql`select count(*) as count from messages where status = 'delivered'`))!.count

/** What the receiver stored compared with what was to be sent, webhook by webhook. */
async function compare(db: Pool, file: string) {
  const received = new Map<string, string[]>()
  for (const line of (await readFile(file, 'utf8')).trim().split('\n')) {
    const [webhook, id] = line.split(' ') as [string, string]
    received.set(webhook, [...(received.get(webhook) ?? []), id])
  }
  const sent = await db.rows<{ webhook: string; ids: string[] }>(sql`
    select destination_id::text as webhook, array_agg(event_id order by position) as ids from messages group by destination_id`)
  const sum = { lost: 0, unordered: 0, repeated: 0 }
  for (const { webhook, ids } of sent) {
    const all = received.get(webhook) ?? []
    const firsts = [...new Set(all)]
    sum.lost += ids.length - firsts.length
    sum.repeated += all.length - firsts.length
    sum.unordered += firsts.filter((id, place) => ids[place] !== id).length
  }
  return sum
}

const start = (script: string, env: Record<string, string>) =>
  spawn(process.execPath, ['--import', 'tsx', fileURLToPath(new URL(`../harness/${script}.ts`, import.meta.url))], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })

async function kill(child: ChildProcess) {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

/** The clock starts with the first message: starting processes does not count. */
async function firstLine(file: string, event: Promise<void> | undefined): Promise<number> {
  await event
  await until(async () => (await readFile(file)).length > 0)
  return Date.now()
}

/** Long: on a busy machine slow is a result, not a failure. */
const PATIENCE_MS = 600_000

async function until(look: () => Promise<boolean>) {
  for (const end = Date.now() + PATIENCE_MS; !(await look()); await sleep(50))
    if (Date.now() > end) throw new Error('The deliveries do not end.')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}
