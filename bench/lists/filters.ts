import pg from 'pg'
import type { RawQuery } from '../../src/contract/params.ts'
import { routes } from '../../src/contract/routes.ts'
import { type ListName, lists } from '../../src/http/routes/lists.ts'
import { fill } from '../harness/data.ts'
import type { Cluster } from '../harness/database.ts'
import { type Cost, explain } from '../harness/explain.ts'
import { cases, type Values } from '../harness/filter-cases.ts'
import { type Load, startLoad } from '../harness/load.ts'
import { get } from '../harness/requests.ts'
import { median } from '../harness/rounds.ts'
import { build, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const SIZE = 1_000_000
const ROUNDS = 5
const REQUESTS = 40
/** A filtered page compared with the unfiltered one, and one statement inside PostgreSQL. */
const RATIO = 3
const STATEMENT_MS = 50

interface Case {
  filter: string
  kind: keyof Values
  value: string
}

/** Every filter of every list, with values that are common, rare, absent, or frequent but far away. */
export async function benchFilters(cluster: Cluster) {
  build()
  console.log(`\nLoading ${SIZE.toLocaleString('en')} rows into each of six tables …`)
  const store = await cluster.create('filters')
  const load = startLoad()
  const client = new pg.Client({ connectionString: store.url, options: '-c timezone=UTC' })
  let server: Server | undefined
  try {
    const token = await fill(store.url, SIZE, [
      'tasks',
      'task_labels',
      'changes',
      'change_branches',
      'build_runs',
      'assets',
      'approvals',
      'deployments',
    ])
    server = await startGoldmaster(store.url)
    await client.connect()
    for (const name of Object.keys(lists) as ListName[]) await benchList(name, load, server, client, token)
  } finally {
    load.stop()
    await server?.stop()
    await client.end()
    await store.drop()
  }
}

async function benchList(name: ListName, load: Load, server: Server, client: pg.Client, token: string) {
  const path = routes[name].path.split('/:project_id/')[1]!
  const plain: number[] = []
  const rows = []
  const asked = casesOf(name)
  if (asked.length === 0) return
  for (const { filter, kind, value } of asked) {
    const query: RawQuery = [[filter, value]]
    const ratios: number[] = []
    const filtered: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const bare = await latency(load, server, get(path, token))
      const own = await latency(load, server, get(`${path}?${new URLSearchParams([[filter, value]])}`, token))
      plain.push(bare)
      filtered.push(own)
      ratios.push(own / bare)
    }
    const cost = await explain(client, name, query, token)
    const held = median(ratios) <= RATIO && cost.planning + cost.execution <= STATEMENT_MS
    rows.push([filter, kind, shortened(value), median(ratios), median(filtered), ...costs(cost), verdict(held)])
  }
  printTable(
    `${path} at ${SIZE.toLocaleString('en')} rows (targets: ratio ≤ ${RATIO}, statement ≤ ${STATEMENT_MS} ms)`,
    ['filter', 'matches', 'value', 'ratio', 'request ms', 'plan ms', 'statement ms', 'buffers', ''],
    [
      ['(none)', '', '', 1, median(plain), ...costs(await explain(client, name, [], token)), ''],
      ...rows.sort((a, b) => (b[3] as number) - (a[3] as number)),
    ],
  )
}

const casesOf = (name: ListName): Case[] =>
  Object.entries(cases[name] as Record<string, Values | Values[]>).flatMap(([filter, values]) =>
    [values].flat().flatMap((one) => Object.entries(one).map(([kind, value]) => ({ filter, kind: kind as keyof Values, value }))),
  )

/** The median over one connection: how long a caller waits, not the throughput. */
const latency = async (load: Load, { port }: Server, request: string) =>
  (await load.run({ port, connections: 1, requests: [request], seconds: 10, most: REQUESTS })).p50

const costs = ({ planning, execution, buffers }: Cost) => [planning, execution, buffers]

const shortened = (value: string) => (value.length > 24 ? `${value.slice(0, 23)}…` : value)
