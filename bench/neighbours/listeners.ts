import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { cpuOfEach, usedBetween } from '../harness/cpu.ts'
import { fill } from '../harness/data.ts'
import type { Cluster } from '../harness/database.ts'
import type { Heard } from '../harness/listeners-crowd.ts'
import { median } from '../harness/rounds.ts'
import { build, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const CROWD = 1_000
const PER_SECOND = 5

/** A thousand clients on one node: how long until an event has reached the last of them, and what they cost. */
export async function benchListeners(cluster: Cluster) {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { minutes: { type: 'string', default: '0.5' } } })
  build()
  const store = await cluster.create('listeners')
  const db = openDatabase(store.url, { max: 1 })
  const ending: (() => Promise<unknown>)[] = [store.drop, () => db.close()]
  try {
    const token = await fill(store.url, 0, [])
    const server = await startGoldmaster(store.url)
    ending.push(server.stop)
    console.log(`${CROWD.toLocaleString('en')} listeners take their seats …`)
    const crowd = await gather(server, token)
    ending.push(async () => crowd.leave())
    console.log(`${PER_SECOND} events a second for ${values.minutes} minutes …`)
    const looks = await happenFor(Number(values.minutes) * 60, db, server)
    report(looks, await crowd.heard(looks.events))
  } finally {
    for (const end of ending.reverse()) await end()
  }
}

const PATIENCE_MS = 60_000

/** All of them in a separate process, so that receiving is not counted as sending. */
async function gather({ port }: Server, token: string) {
  const child = fork(fileURLToPath(new URL('../harness/listeners-crowd.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  child.send({ port, token, count: CROWD })
  await once(child, 'message', { signal: AbortSignal.timeout(PATIENCE_MS) })
  return {
    async heard(events: number): Promise<Heard> {
      for (const end = Date.now() + PATIENCE_MS; ; await sleep(500)) {
        child.send('tell')
        const [heard] = (await once(child, 'message')) as [Heard]
        if (heard.delays.length === events || Date.now() > end) return heard
      }
    },
    leave: () => child.kill(),
  }
}

interface Looks {
  events: number
  seconds: number
  /** Milliseconds of CPU time. */
  serverCpu: number
  databaseCpu: number
  /** Megabytes at the beginning, in the middle and at the end. */
  memory: [number, number, number]
}

async function happenFor(seconds: number, db: Pool, { pid }: Server): Promise<Looks> {
  const backends = async () =>
    (await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)).map(
      (one) => one.pid,
    )
  const look = async () => [await cpuOfEach([pid]), await cpuOfEach(await backends())] as const
  const began = Date.now()
  const [before, start] = [await look(), await memoryOf(pid)]
  const events = Math.round(seconds * PER_SECOND)
  let middle = start
  for (let i = 0; i < events; i++) {
    await sleep(began + (i * 1000) / PER_SECOND - Date.now())
    // The title contains the time: the difference when the last client reads it is the delay.
    await db.execute(sql`insert into tasks (account_id, project_id, title) values (1, 1, ${`at ${Date.now()}`})`)
    if (i === events >> 1) middle = await memoryOf(pid)
  }
  const after = await look()
  return {
    events,
    seconds: (Date.now() - began) / 1000,
    serverCpu: usedBetween(before[0], after[0]),
    databaseCpu: usedBetween(before[1], after[1]),
    memory: [start, middle, await memoryOf(pid)],
  }
}

/** The memory of a process in megabytes; NaN if the system does not report it. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024
}

function report({ events, seconds, serverCpu, databaseCpu, memory }: Looks, { delays, repeated, disordered, missed }: Heard) {
  const sorted = delays.toSorted((a, b) => a - b)
  const most = sorted.at(-1) ?? Number.NaN
  const faults = missed + repeated + disordered + events - delays.length
  printTable(
    `${CROWD.toLocaleString('en')} listeners, ${events} events`,
    ['', 'measured', 'target', ''],
    [
      ['until all have it, median ms', median(sorted), '', ''],
      ['until all have it, 99 of 100 ms', sorted[Math.floor((sorted.length - 1) * 0.99)] ?? Number.NaN, '', ''],
      ['until all have it, longest ms', most, '≤ 1000', verdict(most <= 1000)],
      ['missed, repeated or out of order', faults, '0', verdict(faults === 0)],
      ['memory at the beginning, MB', memory[0], '', ''],
      ['memory in the middle, MB', memory[1], '', ''],
      ['memory at the end, MB', memory[2], '', ''],
      ['CPU of the server, ms per second', serverCpu / seconds, '', ''],
      ['CPU of PostgreSQL, ms per second', databaseCpu / seconds, '', ''],
    ],
  )
}
