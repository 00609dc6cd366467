import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { openDatabase } from '../../src/db/database.ts'
import { setPassword } from '../../src/domain/accounts/users.ts'
import { fill } from '../harness/data.ts'
import type { Cluster } from '../harness/database.ts'
import { median } from '../harness/rounds.ts'
import { build, freePort, type Server, startGoldmaster } from '../harness/servers.ts'
import { addStudio } from '../harness/studios.ts'
import { printTable, verdict } from '../harness/table.ts'
import { openBrowser, openTab, type Tab } from './tabs.ts'

/** Rows of each kind: five kinds are events, so the feed has five times as many. */
const LARGE = 20_000
const SMALL = 50
const WARM_UP = 2
/** The limit for opening a page with much data compared with an empty one. */
const RATIO = 1.3
const PASSWORD = 'a password of the benchmark'

const TABLES = ['tasks', 'task_labels', 'changes', 'build_runs', 'assets', 'approvals', 'deployments'] as const

type Open = (tab: Tab) => Promise<number>
const PAGES: [name: string, open: Open][] = [
  ['feed', (tab) => tab.open('/feed')],
  ...(
    [
      ['project overview', ''],
      ['builds', '/builds'],
      ['tasks', '/tasks'],
      ['assets', '/assets'],
      ['changes', '/changes'],
      ['deployments', '/deployments'],
      ['approvals', '/approvals'],
      ['breakages', '/breakages'],
      ['branches', '/branches'],
    ] as const
  ).map(([name, path]): [string, Open] => [name, (tab) => tab.open(`${tab.project}${path}`)]),
  ['palette: a word of many', (tab) => tab.search('crate')],
  ['palette: a word of none', (tab) => tab.search('zeppelin')],
]

/**
 * Pages of three studios in a real browser, opened in turn: an empty one, one with a page of everything, and one with much data behind
 * every page. Growth with the data shows in comparison with the small one; rendering rows at all in comparison with the empty one.
 */
export async function benchPages(cluster: Cluster) {
  const { values } = parseArgs({ args: process.argv.slice(3), options: { rounds: { type: 'string', default: '15' } } })
  build()
  console.log(`\nLoading ${LARGE.toLocaleString('en')} rows into each of six tables …`)
  const store = await cluster.create('pages')
  let server: Server | undefined
  let browser: Browser | undefined
  try {
    await fill(store.url, LARGE, [...TABLES], new Date().toISOString())
    const db = openDatabase(store.url)
    const small = await addStudio(db, 'Small', SMALL)
    const empty = await addStudio(db, 'Empty', 0)
    const people = [empty, small, { user_id: 1, email: 'person1@bench.example', project_id: 1 }]
    for (const { user_id } of people) await setPassword(db, user_id, PASSWORD)
    await db.close()
    const port = await freePort()
    const site = `http://localhost:${port}`
    server = await startGoldmaster(store.url, { PORT: String(port), BASE_URL: site })
    browser = await openBrowser()
    const tabs: Tab[] = []
    for (const { email, project_id } of people) tabs.push(await openTab(browser, site, { email, password: PASSWORD, project_id }))
    await measure(tabs, Number(values.rounds))
  } finally {
    await browser?.close()
    await server?.stop()
    await store.drop()
  }
}

async function measure(tabs: Tab[], rounds: number) {
  const rows = []
  for (const [name, open] of PAGES) {
    const times: number[][] = tabs.map(() => [])
    for (let round = -WARM_UP; round < rounds; round++)
      for (let turn = 0; turn < tabs.length; turn++) {
        const at = (((round + turn) % tabs.length) + tabs.length) % tabs.length
        const took = await open(tabs[at]!)
        if (round >= 0) times[at]!.push(took)
      }
    const [empty, small, large] = times.map(median) as [number, number, number]
    rows.push([name, large / empty, verdict(large / empty <= RATIO), large / small, empty, small, large])
  }
  printTable(
    `Opening a page, median of ${rounds} (target: much beside empty ≤ ${RATIO})`,
    ['', 'much / empty', '', 'much / small', 'empty ms', 'small ms', 'much ms'],
    rows,
  )
}
