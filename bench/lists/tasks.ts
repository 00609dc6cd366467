import assert from 'node:assert/strict'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { fill } from '../harness/data.ts'
import type { Cluster } from '../harness/database.ts'
import { type Load, startLoad } from '../harness/load.ts'
import { cursorAfter, get, post } from '../harness/requests.ts'
import { type Figures, interleave, median, ratio } from '../harness/rounds.ts'
import { PROJECT } from '../harness/rows.ts'
import { build, type Server, startFloor, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const PAGE = 20
const MANY = 1_000_000
const SIZES = [10_000, MANY]

/** Listing and creating tasks, compared with servers that do nothing else. */
export async function benchTasks(cluster: Cluster) {
  build()
  const load = startLoad()
  try {
    for (const size of SIZES) await atSize(cluster, load, size)
  } finally {
    load.stop()
  }
}

interface Stage {
  load: Load
  db: Pool
  token: string
  goldmaster: Server
  /** Rows → JSON in Node, and JSON from PostgreSQL. */
  rows: Server
  json: Server
  /** The PostgreSQL processes that serve this database. */
  backends(): Promise<number[]>
}

async function atSize(cluster: Cluster, load: Load, size: number) {
  console.log(`\nLoading ${size.toLocaleString('en')} tasks …`)
  const store = await cluster.create(`tasks_${size}`)
  const db = openDatabase(store.url, { max: 1 })
  const servers: Server[] = []
  const started = async (server: Promise<Server>) => servers[servers.push(await server) - 1]!
  try {
    const token = await fill(store.url, size, ['tasks', 'task_labels'])
    const stage: Stage = {
      load,
      db,
      token,
      goldmaster: await started(startGoldmaster(store.url)),
      rows: await started(startFloor(store.url, 'rows')),
      json: await started(startFloor(store.url, 'json')),
      backends: async () =>
        (await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)).map(
          ({ pid }) => pid,
        ),
    }
    await list(stage, size)
    if (size >= MANY) await depth(stage)
    else await create(stage)
  } finally {
    for (const server of servers) await server.stop()
    await db.close()
    await store.drop()
  }
}

async function list({ load, token, goldmaster, rows, json, backends }: Stage, size: number) {
  await sameTasks(token, [goldmaster, rows, json])
  const requests = [get('tasks', token)]
  const [ours, inNode, inPostgres] = (await interleave(
    load,
    [
      { name: 'goldmaster', server: goldmaster, requests },
      { name: 'floor: rows → JSON in Node', server: rows, requests },
      { name: 'floor: JSON from PostgreSQL', server: json, requests },
    ],
    backends,
  )) as [Figures, Figures, Figures]
  printTable(
    `Task list, ${PAGE} of ${size.toLocaleString('en')} rows`,
    ['', 'ratio', 'target', '', 'requests/s', 'CPU ms server', 'PostgreSQL'],
    [
      ['goldmaster', '', '', '', ...costs(ours)],
      [inNode.name, ratio(ours, inNode), '≥ 1.0', verdict(ratio(ours, inNode) >= 1), ...costs(inNode)],
      [inPostgres.name, ratio(ours, inPostgres), '≥ 0.6', verdict(ratio(ours, inPostgres) >= 0.6), ...costs(inPostgres)],
    ],
  )
}

const costs = ({ perSecond, serverCpu, databaseCpu }: Figures) => [median(perSecond), median(serverCpu), median(databaseCpu)]

/** A baseline with another reply would not be valid. */
async function sameTasks(token: string, servers: Server[]) {
  const answers = await Promise.all(servers.map((server) => page(server, token, '')))
  for (const { tasks } of answers) {
    assert.equal(tasks.length, PAGE)
    assert.deepEqual(tasks, answers[0]!.tasks)
  }
}

interface Page {
  tasks: { id: number }[]
  pagination: { next_cursor: string }
}

const page = async ({ port }: Server, token: string, query: string): Promise<Page> => {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`http://127.0.0.1:${port}/api/v1/projects/${PROJECT}/tasks${query}`, { headers })).json() as Promise<Page>
}

/** Late pages compared with the first: how many times as long one takes. */
async function depth({ load, db, token, goldmaster, backends }: Stage) {
  const cursorTo = async (number: number) => {
    const last = await db.one<{ at: string; id: string }>(sql`
      select iso(created_at) as at, id::text from tasks where project_id = ${PROJECT}
      order by created_at desc, id desc offset ${(number - 1) * PAGE - 1} limit 1`)
    return cursorAfter('listTasks', last!)
  }
  // The cursors are sealed here instead of paged to; the first check shows that the service would have returned the same.
  assert.equal((await page(goldmaster, token, '')).pagination.next_cursor, await cursorTo(2))
  const pages = [1, 100, 10_000]
  const sides = await Promise.all(
    pages.map(async (number) => ({
      name: `page ${number.toLocaleString('en')}`,
      server: goldmaster,
      requests: [get(number === 1 ? 'tasks' : `tasks?cursor=${await cursorTo(number)}`, token)],
    })),
  )
  const [first, ...deep] = (await interleave(load, sides, backends)) as [Figures, ...Figures[]]
  printTable(
    'The same list further down: time per request beside the first page',
    ['', 'ratio', 'target', '', 'requests/s', 'CPU ms server', 'PostgreSQL'],
    [
      [first.name, '', '', '', ...costs(first)],
      ...deep.map((one) => [one.name, ratio(first, one), '≤ 1.5', verdict(ratio(first, one) <= 1.5), ...costs(one)]),
    ],
  )
}

async function create({ load, token, goldmaster, rows, backends }: Stage) {
  const task = {
    title: 'The harbour crane swings through the warehouse',
    description: 'Since the last merge its collision is off by one tile.',
    state: 'to_do',
    task_type: 'bug',
    priority: 'high',
    labels: ['physics', 'harbour'],
    metadata: { estimate: 3 },
  }
  const requests = [post('tasks', token, { task })]
  const [ours, floor] = (await interleave(
    load,
    [
      { name: 'goldmaster', server: goldmaster, requests },
      { name: 'floor: INSERT', server: rows, requests },
    ],
    backends,
  )) as [Figures, Figures]
  printTable(
    'Task create',
    ['', 'ratio', 'target', '', 'requests/s', 'CPU ms server', 'PostgreSQL'],
    [
      ['goldmaster', '', '', '', ...costs(ours)],
      [floor.name, ratio(ours, floor), '≥ 0.65', verdict(ratio(ours, floor) >= 0.65), ...costs(floor)],
    ],
  )
}
