import type pg from 'pg'
import { openDatabase, type Pool, sql } from '../../src/db/database.ts'
import { Cursors } from '../../src/db/page.ts'
import { described, events, type FeedQuery, type FeedRow, keyOf } from '../../src/domain/feed/feed.ts'
import { keyFor } from '../../src/domain/privacy/secrets.ts'
import { fill } from '../harness/data.ts'
import type { Cluster } from '../harness/database.ts'
import { costOf, feedStatementOf } from '../harness/explain.ts'
import { type Load, startLoad } from '../harness/load.ts'
import { type Figures, interleave, median, ratio, type Side } from '../harness/rounds.ts'
import { build, SECRET, type Server, startFeedFloor, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const SOURCES = ['tasks', 'changes', 'build_runs', 'assets', 'approvals', 'deployments'] as const
const PAGE = 20
const DEEP = 100

interface Stage {
  name: string
  server: Server
  floor: Server
  db: Pool
  /** The PostgreSQL processes that serve this database. */
  backends(): Promise<number[]>
  token: string
}

/** The feed at three sizes next to each other: growth with the data shows as a ratio between them. */
export async function benchFeed(cluster: Cluster) {
  build()
  const load = startLoad()
  const ending: (() => Promise<unknown>)[] = [async () => load.stop()]
  try {
    const stages: Stage[] = []
    for (const size of SIZES) stages.push(await prepare(cluster, size, ending))
    await wholeRequests(load, stages)
    for (const stage of stages) await statements(stage)
    await besideFloor(load, stages.at(-1)!)
  } finally {
    for (const end of ending.reverse()) await end()
  }
}

async function prepare(cluster: Cluster, size: number, ending: (() => Promise<unknown>)[]): Promise<Stage> {
  console.log(`Loading ${size.toLocaleString('en')} events …`)
  const store = await cluster.create(`feed_${size}`)
  ending.push(store.drop)
  const token = await fill(store.url, size / 5, [...SOURCES], new Date().toISOString())
  const db = openDatabase(store.url, { max: 1 })
  ending.push(() => db.close())
  const backends = async () =>
    (await db.rows<{ pid: number }>(sql`select pid from pg_stat_activity where datname = current_database()`)).map(
      ({ pid }) => pid,
    )
  const server = await startGoldmaster(store.url)
  ending.push(server.stop)
  const floor = await startFeedFloor(store.url)
  ending.push(floor.stop)
  return { name: size.toLocaleString('en'), server, floor, db, backends, token }
}

const request = (token: string, query: string) =>
  `GET /api/v1/workspace/events?${query} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`

const cursors = new Cursors(keyFor(SECRET, 'cursors'))

/** The start of page 100, without paging there. */
async function deepKey({ db }: Stage) {
  const rows = await db.rows<FeedRow>(described(events(sql`1`, sql`'UTC'`, { limit: PAGE * (DEEP - 1), days_back: 90 })))
  return keyOf(rows[PAGE * (DEEP - 1) - 1]!)
}

const asks = async (stage: Stage): Promise<[name: string, query: string][]> => [
  ['page 1 with rollup', 'days_back=90'],
  ['page 1 without', 'since=2000-01-01T00:00:00Z'],
  [`page ${DEEP}`, `days_back=90&cursor=${cursors.seal('listEvents', await deepKey(stage))}`],
  ['one project', 'days_back=90&project_id=1'],
  ['one type', 'days_back=90&event_type=build_run.failed'],
]

async function wholeRequests(load: Load, stages: Stage[]) {
  const queries = await Promise.all(stages.map(asks))
  const backends = async () => (await Promise.all(stages.map((stage) => stage.backends()))).flat()
  for (const [index, [name]] of queries[0]!.entries()) {
    const sides = stages.map(
      (stage, at): Side => ({
        name: stage.name,
        server: stage.server,
        requests: [request(stage.token, queries[at]![index]![1])],
      }),
    )
    const [small, ...larger] = (await interleave(load, sides, backends)) as [Figures, ...Figures[]]
    printTable(
      `Feed, ${name}: time and processor time per request beside the smallest`,
      ['events', 'ratio', 'target', '', 'ratio of CPU', 'requests/s', 'CPU ms server', 'PostgreSQL'],
      [
        [small.name, '', '', '', '', ...costs(small)],
        ...larger.map((one) => [
          one.name,
          ratio(small, one),
          '≤ 1.15',
          verdict(ratio(small, one) <= 1.15),
          cpuOf(one) / cpuOf(small),
          ...costs(one),
        ]),
      ],
    )
  }
}

const costs = ({ perSecond, serverCpu, databaseCpu }: Figures) => [median(perSecond), median(serverCpu), median(databaseCpu)]
const cpuOf = ({ serverCpu, databaseCpu }: Figures) => median(serverCpu) + median(databaseCpu)

async function statements(stage: Stage) {
  const cursor = await deepKey(stage)
  const cases: [string, FeedQuery][] = [
    ['page 1', { limit: PAGE, days_back: 90 }],
    [`page ${DEEP}`, { limit: PAGE, days_back: 90, cursor }],
    ['one project', { limit: PAGE, days_back: 90, project_id: 1 }],
    ['one type', { limit: PAGE, days_back: 90, types: ['build_run.failed'] }],
    ['a rare type', { limit: PAGE, days_back: 90, types: ['approval.requested'] }],
  ]
  const rows = []
  const client: pg.PoolClient = await stage.db.pool.connect()
  for (const [name, query] of cases) {
    const { planning, execution, buffers } = await costOf(client, await feedStatementOf(query, stage.token))
    rows.push([name, planning, execution, buffers, verdict(execution <= 1 && buffers <= 50)])
  }
  client.release()
  printTable(
    `Feed statement, token included, at ${stage.name} events (targets: ≤ 1 ms, ≤ 50 buffers)`,
    ['', 'plan ms', 'statement ms', 'buffers', ''],
    rows,
  )
}

async function besideFloor(load: Load, { name, server, floor, backends, token }: Stage) {
  const plain = [request(token, 'since=2000-01-01T00:00:00Z')]
  const [ours, bare, rollup] = (await interleave(
    load,
    [
      { name: 'goldmaster', server, requests: plain },
      { name: 'floor', server: floor, requests: ['GET / HTTP/1.1\r\nHost: bench\r\n\r\n'] },
      { name: 'goldmaster with rollup', server, requests: [request(token, 'days_back=90')] },
    ],
    backends,
  )) as [Figures, Figures, Figures]
  printTable(
    `Feed page at ${name} events`,
    ['', 'ratio', 'target', '', 'ratio of CPU', 'requests/s', 'CPU ms server', 'PostgreSQL'],
    [
      ['floor: the bare statement', '', '', '', '', ...costs(bare)],
      [
        'goldmaster beside the floor',
        ratio(ours, bare),
        '≥ 0.6',
        verdict(ratio(ours, bare) >= 0.6),
        cpuOf(bare) / cpuOf(ours),
        ...costs(ours),
      ],
      [
        'page with rollup, time beside without',
        ratio(ours, rollup),
        '≤ 1.3',
        verdict(ratio(ours, rollup) <= 1.3),
        cpuOf(rollup) / cpuOf(ours),
        ...costs(rollup),
      ],
    ],
  )
}
