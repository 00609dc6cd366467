import { expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { describeWith } from '../support/skippable.ts'
import { openVisit } from '../support/visit.ts'

const PASSWORD = 'a long enough password'
const COUNT = 130
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } }],
  build_runs: Array.from({ length: COUNT }, (_, i) => ({
    key: `b${i}`,
    project: 'star',
    status: 'completed',
    ci_job_name: 'night',
    build_number: String(i),
    created_at: new Date(Date.UTC(2026, 9, 1, 10, i)).toISOString(),
  })),
}

/** A browser too busy to tell at once: what was out of sight is told together with what came into sight. */
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

  test('goes on to its end however fast one scrolls, in few requests', async () => {
    const { page } = tab()
    await page.setViewportSize({ width: 1280, height: 300 })
    await page.addInitScript(BUSY)
    const asked: string[] = []
    page.on('request', (request) => /build_runs\?/.test(request.url()) && asked.push(request.url()))
    await openBuilds()
    await expect
      .poll(async () => {
        await scrollDown()
        return rows().count()
      })
      .toBe(COUNT)
    // Twenty, then fifty at a time.
    expect(asked).toHaveLength(4)
  })

  test('asks for no more than its first page and the page of what happened, and stays where it is', async () => {
    const { page } = tab()
    const place = await page.evaluate(() => window.scrollY)
    const asked: string[] = []
    page.on('request', (request) => /build_runs\?/.test(request.url()) && asked.push(request.url()))
    const fail = (number: string) =>
      studio().db.execute(sql`update build_runs set status = 'failed', updated_at = now() where build_number = ${number}`)
    await fail(String(COUNT - 1))
    await rows().first().getByText('failed').waitFor()
    expect(asked.map((url) => url.includes('cursor='))).toEqual([false])
    await fail('60')
    const deep = rows().filter({ hasText: '#60' })
    await deep.getByText('failed').waitFor()
    expect(asked.map((url) => url.includes('cursor='))).toEqual([false, false, true])
    expect(await rows().count()).toBe(COUNT)
    expect(await page.evaluate(() => window.scrollY)).toBe(place)
  })

  test('says why it does not go on, keeps what it has, and goes on when asked to', async () => {
    const { page } = tab()
    await openBuilds()
    await page.route(/build_runs\?.*cursor=/, (route) =>
      route.fulfill({ status: 422, json: { error: 'invalid_cursor', message: 'That page is gone.' } }),
    )
    await scrollDown()
    const alert = page.getByRole('alert')
    await alert.getByText('That page is gone.').waitFor()
    expect(await rows().count()).toBe(20)
    await page.unroute(/build_runs\?.*cursor=/)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => rows().count()).toBeGreaterThan(20)
  })
})
