import { expect, test } from 'vitest'
import { openTab, settled } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { describeWith } from '../support/skippable.ts'

const PASSWORD = 'a long enough password'
const LONG = 'TheCodenameOfAGameThatNobodyEverShortened_'.repeat(2)
const build = (key: string, project: string, more: object) => ({
  key,
  project,
  ci_job_name: 'night',
  build_number: key,
  commit_hash: 'c0ffee00',
  ...more,
})
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true, credits: 5 }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
  projects: [
    { key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } },
    { key: 'long', account: 'owl', name: LONG, members: { lead: 'owner' } },
  ],
  integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
  changes: [{ key: 'c', project: 'star', identifier: 'c0ffee00', author: 'Kim', description: 'Rework the damage, #1' }],
  build_runs: [
    build('1', 'star', { status: 'completed' }),
    build('2', 'star', { status: 'failed', output_log: 'Combat.cpp(5): error C2065: undeclared identifier\n' }),
    build('3', 'long', { status: 'failed', ci_job_name: `studio/folder/${LONG}${LONG}`, branch: `feature/${LONG}` }),
  ],
  tasks: [{ key: 't', project: 'long', title: `${LONG}${LONG}`, labels: [LONG, 'ui'] }],
}

describeWith('chromium')('navigation in a browser', () => {
  const { studio, browser, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const project = (key: string) => `/projects/${studio().world.projects[key]!.id}`
  const idOf = (list: 'build_runs' | 'changes' | 'tasks' | 'integrations', key: string) =>
    (studio().world[list][key] as { id: number }).id
  const focusIn = (selector: string) =>
    tab().page.evaluate((selector) => document.activeElement?.closest(selector) !== null, selector)

  test('the sign-in page has the focus in its first field', async () => {
    const stranger = await openTab(browser(), studio().service.site)
    await stranger.go('/sign-in')
    await stranger.page.locator('input:focus').waitFor()
    await stranger.page.keyboard.type('lead@example.com')
    expect(await stranger.page.getByLabel('Email').inputValue()).toBe('lead@example.com')
    expect(await stranger.page.title()).toBe('Sign in to Goldmaster')
    await stranger.context.close()
  })

  test('the feed shows the projects, and its figures link to what they count', async () => {
    const { page } = tab()
    await tab().go('/feed')
    await page.getByRole('link', { name: /Builds failed/ }).click()
    await page.waitForURL('**/feed?kind=build_run.failed')
    expect(await page.getByLabel('Type').inputValue()).toBe('build_run.failed')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Starfall' }).click()
    await page.getByRole('heading', { level: 1, name: 'Starfall' }).waitFor()
  })

  test('an unknown URL says so and links back, signed in or not', async () => {
    const stranger = await openTab(browser(), studio().service.site)
    for (const { page } of [tab(), stranger]) {
      const answer = await page.goto(`${studio().service.site}/nothing/here`)
      expect(answer!.status()).toBe(404)
      await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
      await page.getByRole('link', { name: 'Go to the feed' }).waitFor()
    }
    await stranger.context.close()
    for (const path of ['/api/v1/nothing', '/app/api/v1/nothing', '/webhooks/nothing']) {
      const answer = await studio().ask(path, { headers: { accept: 'text/html' } })
      expect(answer, path).toMatchObject({ status: 404, json: { error: 'not_found' } })
    }
    expect(await studio().ask('/nothing/here')).toMatchObject({ status: 404, json: { error: 'not_found' } })
  })

  test('a list keeps its filters after opening one of its records', async () => {
    const { page } = tab()
    await tab().go(`${project('star')}/builds`)
    await page.getByLabel('Status').selectOption('failed')
    await page.getByRole('link', { name: 'night #1' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'night #2' }).click()
    await page.getByRole('heading', { name: 'Log' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'night #2' }).waitFor()
    expect(await page.getByLabel('Status').inputValue()).toBe('failed')
    await expect.poll(() => page.getByRole('link', { name: 'night #1' }).count()).toBe(0)
  })

  test('a record shows its list and its project', async () => {
    const { page } = tab()
    await tab().go(`${project('star')}/builds/${idOf('build_runs', '2')}`)
    await settled(page)
    expect(await page.title()).toBe('night #2 · Starfall · Goldmaster')
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Builds' }).click()
    await page.getByRole('heading', { level: 1, name: 'Builds' }).waitFor()
    expect(await page.title()).toBe('Builds · Starfall · Goldmaster')
  })

  test('links to builds of one job are distinguishable', async () => {
    const { page } = tab()
    await tab().go(`${project('star')}/changes/${idOf('changes', 'c')}`)
    await page.getByRole('link', { name: 'night #1' }).waitFor()
    await page.getByRole('link', { name: 'night #2' }).waitFor()
  })

  test('the focus moves along to the next page, and stays when a button disappears or works', async () => {
    const { page } = tab()
    await tab().go(`${project('star')}/builds`)
    await page.getByRole('link', { name: 'night #2' }).press('Enter')
    await page.getByRole('button', { name: 'Investigate' }).waitFor()
    await expect.poll(() => focusIn('main')).toBe(true)
    await page.getByRole('button', { name: 'Investigate' }).press('Enter')
    await page.getByText('Investigating…').waitFor()
    await expect.poll(() => focusIn('main :not(#main)')).toBe(true)

    await tab().go(`${project('star')}/integrations/${idOf('integrations', 'ci')}`)
    await page.getByRole('button', { name: 'Send test delivery' }).press('Enter')
    await page.getByText('Test delivery: processed').waitFor()
    expect(await focusIn('button')).toBe(true)
  })

  test('endless names stay inside the window', async () => {
    const { page } = tab()
    const paths = ['', '/builds', `/builds/${idOf('build_runs', '3')}`, '/tasks', `/tasks/${idOf('tasks', 't')}`]
    const tooWide: string[] = []
    for (const width of [1440, 390])
      for (const path of ['/feed', ...paths.map((path) => project('long') + path)]) {
        await page.setViewportSize({ width, height: 800 })
        await tab().go(path)
        await settled(page)
        const inside = await page.evaluate(() => document.documentElement.scrollWidth)
        if (inside > width) tooWide.push(`${path}: ${inside} pixels in a window of ${width}`)
      }
    expect(tooWide).toEqual([])
  }, 120_000)
})
