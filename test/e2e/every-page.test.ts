import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { OPERATOR_PLACES, PROJECT_PLACES, SETTINGS_PLACES } from '../../src/web/shell/places.ts'
import { axe, hasBrowser, openBrowser, openSite, openTab, settled, signInAs, type Tab } from '../support/browser.ts'
import { nightOwl } from '../support/night-owl.ts'
import type { Studio } from '../support/studio.ts'

const PASSWORD = 'a long enough password'
const world = {
  ...nightOwl,
  users: nightOwl.users.map((user) => ({ ...user, password: PASSWORD })),
  projects: [...nightOwl.projects, { key: 'bare', account: 'owl', name: 'Nothing Yet', members: { lead: 'owner' } }],
  integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
}
const OUTSIDE = [
  '/sign-in',
  '/sign-up',
  '/welcome',
  '/reset',
  '/reset?token=x',
  '/verify',
  '/unsubscribe?token=x',
  '/oauth/refused?why=invalid_client',
  '/invitations/x',
  '/api/docs',
]

const changing = () => document.getAnimations().some((moving) => moving instanceof CSSTransition)

/** Every page as everybody may see it: readable to all, within its window, and without a complaint in the console. */
describe.runIf(hasBrowser)('every page in a browser', () => {
  let studio: Studio
  let browser: Browser
  beforeAll(async () => {
    studio = await openSite(world)
    await studio.db.execute(sql`update users set operator = true where id = ${studio.world.users.lead!.id}`)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
  })

  /** By all rules once; what another light and another window may change by the rules about that. */
  const faultsOf = async ({ page, go, complaints, foreign }: Tab, path: string) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await go(path)
    await settled(page)
    const light = [...(await axe(page)), ...(await tooWide(page))]
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => page.evaluate(changing)).toBe(false)
    const dark = await axe(page, ['color-contrast'])
    await page.setViewportSize({ width: 390, height: 800 })
    return [...light, ...dark, ...(await tooWide(page)), ...complaints.splice(0), ...foreign.splice(0)]
  }
  const tooWide = async (page: Page) => {
    const [inside, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const)
    return inside > window ? [`${inside} pixels in a window of ${window}`] : []
  }
  const check = async (tab: Tab, paths: string[]) => {
    const faults: string[] = []
    for (const path of paths) faults.push(...(await faultsOf(tab, path)).map((fault) => `${path}: ${fault}`))
    return faults
  }

  test('of those outside has no fault', async () => {
    const tab = await openTab(browser, studio.service.site)
    // The browser notes answers by which pages learn that nobody is signed in or that a link is too old.
    expect((await check(tab, OUTSIDE)).filter((fault) => !fault.includes('Failed to load resource'))).toEqual([])
    await tab.context.close()
  })

  describe('of those inside', () => {
    let tab: Tab
    beforeAll(async () => {
      tab = await openTab(browser, studio.service.site)
      await signInAs(tab, 'lead@example.com', PASSWORD)
    })
    const project = (key: string) => `/projects/${studio.world.projects[key]!.id}`
    const record = (kind: string, key: string, path = kind) =>
      `${project('star')}/${path}/${(studio.world[kind as 'tasks']![key] as { id: number }).id}`

    const places = (key: string) => PROJECT_PLACES.map(([path]) => project(key) + path)
    const paths: [where: string, paths: () => string[]][] = [
      ['in a project', () => places('star')],
      ['where there is nothing yet', () => places('bare')],
      [
        'with a record',
        () => [
          record('tasks', 'task4'),
          record('changes', 'change4'),
          record('build_runs', 'build5', 'builds'),
          record('breakages', 'breakage5'),
          record('assets', 'asset4'),
          record('deployments', 'deployment4'),
          record('integrations', 'ci'),
          `${project('star')}/unreal-game-sync`,
          `${project('star')}/branches?branch=line/5`,
        ],
      ],
      [
        'in the feed and the settings',
        () => [
          '/feed',
          '/inbox',
          '/inbox?show=all',
          '/projects/new',
          '/settings/nowhere',
          ...[...SETTINGS_PLACES, ...OPERATOR_PLACES].map(([path]) => path),
        ],
      ],
    ]
    test.each(paths)('has no fault %s', async (_, of) => expect(await check(tab, of())).toEqual([]))

    test('has no fault with its menu open where there is little room', async () => {
      const { page } = tab
      await tab.go('/feed')
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await page.getByRole('button', { name: 'Choose a project' }).click()
      expect([...(await axe(page)), ...(await tooWide(page))]).toEqual([])
    })
  })
})
