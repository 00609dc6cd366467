import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { OPERATOR_PLACES, PROJECT_PLACES, SETTINGS_PLACES } from '../../src/web/places.ts'
import { axe, hasBrowser, openBrowser, openSite, openTab, signInAs, type Tab } from '../browser.ts'
import { nightOwl } from '../night-owl.ts'
import type { Studio } from '../studio.ts'

const PASSWORD = 'a long enough password'
const world = {
  ...nightOwl,
  users: nightOwl.users.map((user) => ({ ...user, password: PASSWORD })),
  integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
}
const OUTSIDE = ['/sign-in', '/sign-up', '/welcome', '/reset', '/reset?token=x', '/verify', '/invitations/x', '/no-such-page']

/** Every page as everybody may see it: readable to all, within its window, and without a complaint in the console. */
describe.runIf(hasBrowser)('every page in a browser', () => {
  let studio: Studio
  let browser: Browser
  beforeAll(async () => {
    studio = await openSite(world)
    await studio.db.count(sql`update users set operator = true where id = ${studio.world.users.lead!.id}`)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
  })

  /** Light and wide by all rules; what the other looks may change by the rules about that. */
  const faultsOf = async ({ page, go, complaints, foreign }: Tab, path: string) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await go(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
    const wide = await faultsNow(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await axe(page, ['color-contrast'])
    await page.setViewportSize({ width: 390, height: 800 })
    return [...wide, ...dark, ...(await faultsNow(page)), ...complaints.splice(0), ...foreign.splice(0)]
  }
  const faultsNow = async (page: Tab['page']) => {
    const [inside, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
    return [...(inside! > window! ? [`${inside} pixels in a window of ${window}`] : []), ...(await axe(page))]
  }
  const check = async (tab: Tab, paths: string[]) => {
    const faults: string[] = []
    for (const path of paths) faults.push(...(await faultsOf(tab, path)).map((fault) => `${path}: ${fault}`))
    expect(faults).toEqual([])
  }

  test('of those outside has no fault', async () => {
    const tab = await openTab(browser, studio.service.site)
    await check(tab, OUTSIDE)
    await tab.context.close()
  }, 120_000)

  describe('of those inside', () => {
    let tab: Tab
    beforeAll(async () => {
      tab = await openTab(browser, studio.service.site)
      await signInAs(tab, 'lead@example.com', PASSWORD)
    })
    const project = (key = 'star') => `/projects/${studio.world.projects[key]!.id}`
    const record = (kind: string, key: string, path = kind) =>
      `${project()}/${path}/${(studio.world[kind as 'tasks']![key] as { id: number }).id}`

    test(
      'has no fault in a project',
      () =>
        check(
          tab,
          PROJECT_PLACES.map(([path]) => project() + path),
        ),
      120_000,
    )

    test(
      'has no fault with a record',
      () =>
        check(tab, [
          record('tasks', 'task4'),
          record('changes', 'change4'),
          record('build_runs', 'build5', 'builds'),
          record('assets', 'asset4'),
          record('deployments', 'deployment4'),
          record('integrations', 'ci'),
        ]),
      120_000,
    )

    test(
      'has no fault where there is nothing yet',
      () =>
        check(
          tab,
          PROJECT_PLACES.map(([path]) => project('lapsed') + path),
        ),
      120_000,
    )

    test(
      'has no fault in the feed and the settings',
      () => check(tab, ['/feed', '/projects/new', ...[...SETTINGS_PLACES, ...OPERATOR_PLACES].map(([path]) => path)]),
      120_000,
    )
  })
})
