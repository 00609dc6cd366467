import type { Browser, CDPSession, Page } from 'playwright-core'
import { LOG_MAX } from '../../src/contract/limits.ts'
import { openDatabase, sql } from '../../src/db/database.ts'
import { setPassword } from '../../src/domain/accounts/users.ts'
import { fill } from '../harness/data.ts'
import type { Cluster } from '../harness/database.ts'
import { build, freePort, type Server, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'
import { openBrowser, signIn } from './tabs.ts'

const PASSWORD = 'a password of the benchmark'
const LINES = 20_000
const FRAMES = 240
const FRAME_MS = 1000 / 60
/** New rows per frame: a wheel turned slowly, quickly, and the scroll bar dragged through the log. */
const STEPS = [1, 5, 49]
const SHIFT_MAX = 0.05

/** The maximum lines and characters of a stored log, with colors, links, sections and errors. */
const log = Array.from({ length: LINES }, (_, i) =>
  i % 500 === 0
    ? `$ step ${i / 500}`
    : i % 97 === 0
      ? `\u001b[33mwarn\u001b[0m ${i}`
      : i % 61 === 0
        ? `a/b${i}.cpp:5`
        : `- line ${i}`,
)
  .join('\n')
  .slice(0, LOG_MAX)

/** The same amount on the screen in an otherwise idle browser: how many frames this machine can render at all. */
const FLOOR = `<div aria-label="Log" style="height: 700px; overflow: auto"><pre style="line-height: 20px">${'- line of text\n'.repeat(LINES)}</pre></div>`

/** The log viewer with a log of maximum size, scrolled in a real browser: frames, and layout shifts. */
export async function benchLogViewer(cluster: Cluster) {
  build()
  const store = await cluster.create('log')
  let server: Server | undefined
  let browser: Browser | undefined
  try {
    await fill(store.url, 1, ['build_runs'], new Date().toISOString())
    const db = openDatabase(store.url)
    await db.execute(sql`update build_runs set status = 'completed', output_log = ${log}`)
    await setPassword(db, 1, PASSWORD)
    const [{ id }] = (await db.rows<{ id: number }>(sql`select id from build_runs`)) as [{ id: number }]
    await db.close()
    const port = await freePort()
    const site = `http://localhost:${port}`
    server = await startGoldmaster(store.url, { PORT: String(port), BASE_URL: site })
    browser = await openBrowser()
    const viewport = { width: 1280, height: 800 }
    const floor = await browser.newPage({ viewport })
    await floor.setContent(FLOOR)
    await measure(floor, 'text that nobody does anything to')
    await floor.close()
    const page = await browser.newPage({ viewport })
    await page.addInitScript(WATCH_SHIFTS)
    await signIn(page, site, { email: 'person1@bench.example', password: PASSWORD })
    await page.goto(`${site}/projects/1/builds/${id}`)
    await page.getByRole('button', { name: 'Expand all' }).click()
    await measure(page, 'the log')
    const shift = await page.evaluate<number>('shift')
    console.log(`\nLayout shift of the page and all of that: ${shift.toFixed(3)} (${verdict(shift < SHIFT_MAX)})`)
  } finally {
    await browser?.close()
    await server?.stop()
    await store.drop()
  }
}

const WATCH_SHIFTS = `
  window.shift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })`

async function measure(page: Page, what: string) {
  const session = await page.context().newCDPSession(page)
  // For the thread alone: other work on the machine does not count.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const rows = []
  for (const step of STEPS) {
    await scroll(page, step)
    const before = await taskSeconds(session)
    const intervals = (await scroll(page, step)).toSorted((a, b) => a - b)
    const busy = (1000 * ((await taskSeconds(session)) - before)) / FRAMES
    const inTime = intervals.filter((ms) => ms < 1.5 * FRAME_MS).length / intervals.length
    rows.push([`${step} rows a frame`, at(intervals, 0.5), at(intervals, 0.95), 100 * inTime, busy, verdict(busy <= FRAME_MS)])
  }
  printTable(
    `Scrolling ${LINES.toLocaleString('en')} lines of ${what}, ${FRAMES} frames each (target: ≤ ${FRAME_MS.toFixed(1)} ms of the page's own work a frame)`,
    ['', 'p50 ms', 'p95 ms', '% in time', 'work ms', ''],
    rows,
  )
}

const at = (sorted: number[], share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!

/** The page's own work, whatever else the machine did. */
async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'TaskDuration')!.value
}

/** The times between frames, as the browser reports them. */
const scroll = (page: Page, step: number) =>
  page.evaluate<number[]>(`new Promise((resolve) => {
    const view = document.querySelector('[aria-label="Log"]')
    view.scrollTop = 0
    const intervals = []
    let last
    const frame = (now) => {
      if (last !== undefined) intervals.push(now - last)
      last = now
      view.scrollTop += ${step * 20}
      if (intervals.length < ${FRAMES}) requestAnimationFrame(frame)
      else resolve(intervals)
    }
    requestAnimationFrame(frame)
  })`)
