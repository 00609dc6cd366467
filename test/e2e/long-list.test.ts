import type { Locator } from 'playwright-core'
import { expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { urlsOf } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { describeWith } from '../support/skippable.ts'

const PASSWORD = 'a long enough password'
const COUNT = 130
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } }],
  build_runs: Array.from({ length: COUNT }, (_, i) => ({
    key: `b${i}`,
    project: 'star',
    status: i === 125 ? 'failed' : 'completed',
    ci_job_name: 'night',
    build_number: String(i),
    created_at: new Date(Date.UTC(2026, 9, 1, 10, i)).toISOString(),
  })),
  breakages: [{ project: 'star', builds: ['b125'], jobs: ['night'], cause: 'It broke', opened_at: '2026-10-01T10:00:00Z' }],
}

/** A browser too busy to report at once: it reports several changes of visibility together. */
const BUSY = `
  const Real = IntersectionObserver
  window.IntersectionObserver = class extends Real {
    constructor(tell, options) {
      const queue = []
      super((entries, self) => {
        queue.push(...entries)
        if (queue.at(-1).isIntersecting) tell(queue.splice(0), self)
      }, options)
    }
  }`

describeWith('chromium')('a long list in a browser', () => {
  const { studio, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const rows = () => tab().page.locator('tbody tr')
  const scrollDown = () => tab().page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
  const openBuilds = async () => {
    await tab().go(`/projects/${studio().world.projects.star!.id}/builds`)
    await rows().first().waitFor()
  }

  test('loads to its end however fast one scrolls, in few requests', async () => {
    const { page } = tab()
    await page.setViewportSize({ width: 1280, height: 300 })
    await page.addInitScript(BUSY)
    const asked: string[] = []
    page.on('request', (request) => asked.push(...urlsOf(request).filter((url) => /build_runs\?/.test(url))))
    await openBuilds()
    await expect
      .poll(async () => {
        await scrollDown()
        return rows().count()
      })
      .toBe(COUNT)
    // Fifty at a time.
    expect(asked).toHaveLength(3)
  })

  test('reloads only its first page and the page of the event, and keeps its position', async () => {
    const { page } = tab()
    const place = await page.evaluate(() => window.scrollY)
    const asked: string[] = []
    page.on('request', (request) => asked.push(...urlsOf(request).filter((url) => /build_runs\?/.test(url))))
    const fail = (number: string) =>
      studio().db.execute(sql`update build_runs set status = 'failed', updated_at = now() where build_number = ${number}`)
    await fail(String(COUNT - 1))
    await rows().first().getByText('failed').waitFor()
    expect(asked.map((url) => url.includes('cursor='))).toEqual([false])
    await fail('60')
    const deep = rows().filter({ hasText: '#60' })
    await deep.getByText('failed').waitFor()
    expect(asked.map((url) => url.includes('cursor='))).toEqual([false, false, true])
    await expect.poll(() => rows().count()).toBe(COUNT)
    expect(await page.evaluate(() => window.scrollY)).toBe(place)
  })

  test('shows why it stopped loading, keeps what it has, and continues on request', async () => {
    const { page } = tab()
    await openBuilds()
    await page.route(/build_runs\?.*cursor=/, (route) =>
      route.fulfill({ status: 422, json: { error: 'invalid_cursor', message: 'That page is gone.' } }),
    )
    await scrollDown()
    const alert = page.getByRole('alert')
    await alert.getByText('That page is gone.').waitFor()
    await expect.poll(() => rows().count()).toBe(50)
    await page.unroute(/build_runs\?.*cursor=/)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => rows().count()).toBeGreaterThan(50)
  })

  test('renders the rows around the visible ones, keeps the text of the others searchable, and keeps the focus', async () => {
    const page = await tab().context.newPage()
    await page.setViewportSize({ width: 1280, height: 300 })
    await page.goto(`${studio().service.site}/projects/${studio().world.projects.star!.id}/builds`)
    const drawn = page.locator('tbody tr:has(a)')
    const link = (number: number) => page.getByRole('link', { name: `night #${number}`, exact: true })
    await link(COUNT - 1).focus()
    const atTheEnd = async (found: () => Promise<number>) => {
      await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
      return found()
    }
    await expect.poll(() => atTheEnd(() => link(0).count())).toBe(1)
    await expect.poll(() => atTheEnd(() => drawn.count())).toBeLessThan(COUNT)
    expect(await link(COUNT - 1).evaluate((element) => element === document.activeElement)).toBe(true)
    const hidden = page.locator('[hidden="until-found"]', { hasText: /night #70 / })
    await expect.poll(() => hidden.count()).toBe(1)
    await hidden.dispatchEvent('beforematch')
    await link(70).waitFor()
    await page.close()
  })

  test('opens a build wherever its row is clicked, in another tab with Ctrl, and its breakage by its own link', async () => {
    const { page, context } = tab()
    await page.setViewportSize({ width: 1280, height: 800 })
    await openBuilds()
    const { id } = studio().world.build_runs[`b${COUNT - 2}`] as { id: number }
    const row = rows().filter({ hasText: `#${COUNT - 2}` })
    const another = context.waitForEvent('page')
    // At the pointer, whatever is there.
    const clickOn = async (part: Locator) => {
      const { x, y, width, height } = (await part.boundingBox())!
      await page.mouse.click(x + width / 2, y + height / 2)
    }
    await page.keyboard.down('Control')
    await clickOn(row.getByText('passed'))
    await page.keyboard.up('Control')
    await (await another).waitForURL(`**/builds/${id}`)
    await (await another).close()
    expect(page.url()).toMatch(/\/builds$/)
    await clickOn(row.locator('td').nth(3))
    await page.waitForURL(`**/builds/${id}`)
    await page.goBack()
    await rows().filter({ hasText: 'It broke' }).getByRole('link', { name: 'It broke' }).click()
    await page.waitForURL('**/breakages/*')
  })
})
