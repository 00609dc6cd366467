import type { Browser, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { METERED_PAGES, OPERATOR_PAGES, PROJECT_PAGES, SETTINGS_PAGES } from '../../src/web/shell/navigation.ts'
import { axe, openBrowser, openSite, openTab, settled, signInAs, type Tab, urlsOf } from '../support/callers/browser.ts'
import { describeWith } from '../support/skippable.ts'
import type { Studio } from '../support/studio.ts'
import { nightOwl } from '../support/studios/night-owl.ts'

const PASSWORD = 'a long enough password'
const world = {
  ...nightOwl,
  users: nightOwl.users.map((user) => ({ ...user, password: PASSWORD })),
  projects: [...nightOwl.projects, { key: 'bare', account: 'owl', name: 'Nothing Yet', members: { lead: 'owner' } }],
  integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
  channels: [{ key: 'room', account: 'owl', kind: 'discord', name: 'builds', secret: 'https://discord.com/api/webhooks/1/x' }],
  // Lists show suspects, here people that the account doesn't know.
  breakages: nightOwl.breakages.map((breakage) => ({
    ...breakage,
    suspects: ('suspects' in breakage ? breakage.suspects : []).map((change) => ({
      change,
      score: 0.9,
      reasons: ['changed the file that fails'],
    })),
  })),
  build_runs: [
    ...nightOwl.build_runs,
    { key: 'runs', project: 'star', status: 'building', ci_job_name: 'still', branch: 'main', output_log: 'Compiling\n' },
  ],
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

/** Replays earlier responses at once, so that hours of a page's clock pass in a moment and no poll waits for another. */
const ANSWER_AGAIN = `
  window.pending = 0
  const answers = new Map()
  const fetched = window.fetch
  window.fetch = async (url, given) => {
    window.looks?.push(url)
    if (window.looks && answers.has(url)) return answers.get(url)
    window.pending++
    try {
      const answer = await fetched(url, given)
      const text = await answer.text()
      const { ok, status, headers } = answer
      const again = { ok, status, headers, text: async () => text, get body() { return new Response(text).body } }
      answers.set(url, again)
      return again
    } finally {
      window.pending--
    }
  }`

/** Sums up the layout shift caused by late content. */
const MEASURE_SHIFT = `
  window.shifted = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifted += value
  }).observe({ type: 'layout-shift', buffered: true })`

const changing = () => document.getAnimations().some((moving) => moving instanceof CSSTransition)

/** Every page as everybody may see it: accessible, within its window, and without a console error. */
describeWith('chromium')('every page in a browser', () => {
  let studio: Studio
  let browser: Browser
  beforeAll(async () => {
    studio = await openSite(world, { service: { metering: true } })
    await studio.db.execute(sql`update users set operator = true where id = ${studio.world.users.lead!.id}`)
    await studio.db.execute(sql`
      insert into messages (account_id, destination_id, subject, subject_id, status, finished_at)
      select account_id, id, 'test', '1', 'sent', now() from destinations`)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
  })

  /** By all rules once; what another theme and another window may change by the related rules. */
  const faultsOf = async ({ page, go, complaints, foreign }: Tab, path: string) => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    // Only requests of the page itself, once the one before it is gone.
    await page.goto('about:blank')
    const counted = new Set<Request>()
    const asked = new Set<string>()
    const count = (request: Request) => {
      const isRead = /^\/(?:app|api)\//.test(new URL(request.url()).pathname)
      // Queries that are repeated on a slow machine, because they are stale, do not belong to the opening.
      if (isRead && urlsOf(request).some((url) => !asked.has(url))) counted.add(request)
      for (const url of urlsOf(request)) asked.add(url)
    }
    page.on('request', count)
    await go(path)
    await settled(page)
    const light = [...(await axe(page)), ...(await tooWide(page))]
    page.off('request', count)
    const shifted = (await page.evaluate('window.shifted')) as number | undefined
    if (shifted !== undefined && shifted >= 0.1) light.push(`layout shift ${shifted}`)
    // An address may make 300 in five minutes, and a whole studio may share one.
    if (counted.size > 3) light.push(`${counted.size} requests: ${[...counted].flatMap(urlsOf).join(' ')}`)
    // The reference is as long as all other pages together: it is checked in one theme.
    const isLong = path === '/api/docs'
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => page.evaluate(changing)).toBe(false)
    const dark = isLong ? [] : await axe(page, ['color-contrast'])
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

  test('for signed-out users has no fault', async () => {
    const tab = await openTab(browser, studio.service.site)
    // The browser logs responses by which pages learn that nobody is signed in or that a link has expired.
    expect((await check(tab, OUTSIDE)).filter((fault) => !fault.includes('Failed to load resource'))).toEqual([])
    await tab.context.close()
  })

  test('can be installed as an app', async () => {
    const { page, context, go } = await openTab(browser, studio.service.site)
    await go('/sign-in')
    const session = await context.newCDPSession(page)
    const { errors, data } = await session.send('Page.getAppManifest')
    expect(errors).toEqual([])
    for (const { src, sizes, type } of JSON.parse(data!).icons as Record<'src' | 'sizes' | 'type', string>[]) {
      const icon = await page.request.get(`${studio.service.site}${src}`)
      expect(icon.headers()['content-type']).toBe(type)
      // A PNG has its width in bytes 16 to 19.
      if (type === 'image/png') expect((await icon.body()).readUInt32BE(16)).toBe(Number.parseInt(sizes, 10))
    }
    await context.close()
  })

  describe('for signed-in users', () => {
    let tab: Tab
    beforeAll(async () => {
      tab = await openTab(browser, studio.service.site)
      await tab.page.addInitScript(MEASURE_SHIFT)
      await signInAs(tab, 'lead@example.com', PASSWORD)
    })
    const project = (key: string) => `/projects/${studio.world.projects[key]!.id}`
    const record = (kind: string, key: string, path = kind) =>
      `${project('star')}/${path}/${(studio.world[kind as 'tasks']![key] as { id: number }).id}`

    const places = (key: string) => PROJECT_PAGES.map(([path]) => project(key) + path)
    const paths: [where: string, paths: () => string[]][] = [
      ['in a project', () => places('star')],
      ['where there is nothing yet', () => places('bare')],
      [
        'with a record',
        () => [
          record('tasks', 'task4'),
          record('changes', 'change4'),
          record('build_runs', 'build5', 'builds'),
          record('build_runs', 'runs', 'builds'),
          record('breakages', 'breakage5'),
          record('tests', 'test4'),
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
          '/settings',
          ...[...SETTINGS_PAGES, ...METERED_PAGES, ...OPERATOR_PAGES].map(([path]) => path),
        ],
      ],
    ]
    test.each(paths)('has no fault %s', async (_, of) => expect(await check(tab, of())).toEqual([]))

    test('makes at most 20 requests in five minutes while nothing happens', async () => {
      const idle = await openTab(browser, studio.service.site)
      const { page } = idle
      await page.clock.install()
      await page.addInitScript(ANSWER_AGAIN)
      await signInAs(idle, 'lead@example.com', PASSWORD)
      const tooMany: string[] = []
      const show = async (path: string) => {
        await page.evaluate((path) => {
          Object.assign(window, { looks: undefined })
          history.pushState(null, '', path)
          dispatchEvent(new PopStateEvent('popstate'))
        }, path)
        await settled(page)
      }
      // A dialog over the log of a list: all three poll.
      const openMessage = async () => {
        await page.getByText('Log', { exact: true }).click()
        await page.getByRole('button', { name: 'Test message', exact: true }).click()
        await page.getByRole('dialog', { name: 'Message' }).waitFor()
      }
      const pages = paths.filter(([where]) => where !== 'where there is nothing yet').flatMap(([, of]) => of())
      for (const [path, act] of [...pages.map((path) => [path] as const), ['/settings/channels', openMessage] as const]) {
        await show(path)
        await act?.()
        // Requests a moment after the page belong to it.
        await page.clock.runFor(5_000)
        await expect.poll(() => page.evaluate('pending')).toBe(0)
        await page.evaluate('looks = []')
        await page.clock.runFor(300_000)
        const looks = (await page.evaluate('looks')) as string[]
        if (looks.length > 20) tooMany.push(`${path}: ${looks.length}, ${[...new Set(looks)].join(' ')}`)
      }
      expect(tooMany).toEqual([])

      // Also for a build that prints all the time, once nobody has touched its page for two minutes.
      await show(record('build_runs', 'runs', 'builds'))
      await page.evaluate(`heard = 0
        new EventSource('/app/api/v1/workspace/events/stream?account_id=${studio.world.accounts.owl!.id}&include=all').onmessage = () => heard++`)
      // From here on time is simulated.
      await page.clock.pauseAt(((await page.evaluate('Date.now()')) as number) + 130_000)
      await page.evaluate('looks = []')
      for (const piece of [1, 2, 3, 4]) {
        await studio.db.execute(sql`
          update build_runs set progressed_at = now() + ${piece} * interval '1 second' where ci_job_name = 'still'`)
        await expect.poll(() => page.evaluate('heard')).toBeGreaterThanOrEqual(piece)
        await page.clock.runFor(4_000)
      }
      const read = ((await page.evaluate('looks')) as string[]).filter((url) => decodeURIComponent(url).includes('/log/rest'))
      expect(read).toHaveLength(1)
      await idle.context.close()
    })

    test('has no fault with its menu open in a small window', async () => {
      const { page } = tab
      await tab.go('/feed')
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await page.getByRole('button', { name: 'Select a project' }).click()
      expect([...(await axe(page)), ...(await tooWide(page))]).toEqual([])
    })
  })
})
