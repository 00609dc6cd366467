import { expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { axe, openTab, urlsOf } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { describeWith } from '../support/skippable.ts'

const PASSWORD = 'a long enough password'
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const built = (key: string) => ({
  key,
  project: 'star',
  ci_job_name: 'night',
  build_number: key,
  status: 'completed',
  commit_hash: 'abc123',
  branch: 'main',
  created_at: ago(90),
  started_at: ago(90),
  finished_at: ago(80),
})
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
  projects: [
    { key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } },
    { key: 'moon', account: 'owl', name: 'Moonlight', members: { lead: 'owner' } },
  ],
  changes: [
    {
      key: 'c',
      project: 'star',
      identifier: 'abc123',
      source_type: 'GitCommit',
      description: 'Mend the moon\n\nAt length.',
      timestamp: ago(100),
      url: 'https://git.example/abc123',
    },
  ],
  build_runs: [
    built('41'),
    { key: 'untimed', project: 'moon', ci_job_name: 'dusk', status: 'completed' },
    { key: 'broken', project: 'moon', ci_job_name: 'dusk', status: 'failed' },
  ],
  tasks: [
    {
      key: 'moon',
      project: 'star',
      title: 'Moon is too bright',
      task_type: 'bug',
      state: 'completed',
      links: { changes: ['c'], build_runs: ['41'] },
    },
  ],
  deployments: [
    {
      key: 'elsewhere',
      project: 'moon',
      platform: 'epic_games_store',
      version: '7',
      status: 'live',
      live_at: ago(900),
      created_at: ago(999),
    },
    { key: 'back', project: 'star', platform: 'custom', version: '1.1', status: 'rolled_back', live_at: ago(60) },
    { key: 'out', project: 'star', platform: 'steam', version: '1.2', status: 'live', live_at: ago(30), build_run: '41' },
  ],
}

describeWith('chromium')('pages in a browser are accurate', () => {
  const { studio, browser, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const project = () => `/projects/${studio().world.projects.star!.id}`

  test('the overview shows first whether main is green, and links to the build that shows it', async () => {
    const { page } = tab()
    await tab().go(project())
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText('main is green').waitFor()
    await health.getByRole('link', { name: 'night on main: Green' }).click()
    await page.getByRole('heading', { name: 'night #41' }).waitFor()
  })

  test('trends keep their period in the URL, describe the build under the pointer, and open it', async () => {
    const { page } = tab()
    await tab().go(`${project()}?days=7`)
    expect(await page.getByLabel('Period').inputValue()).toBe('7')
    const figure = page.getByRole('figure', { name: 'Build duration' })
    await figure.getByText('Median duration of passed builds: night 10 min.').waitFor()
    const over = figure.locator('.u-over')
    await over.hover()
    await figure.getByText(/^night #41, .*: passed after 10 min\.$/).waitFor()
    await over.click()
    await page.getByRole('heading', { name: 'night #41' }).waitFor()
    await page.goBack()
    await page.getByLabel('Period').selectOption('90')
    await page.waitForURL(/days=90/)
  })

  test('trends show the newest days of causes, and count a passed build without a duration as passed', async () => {
    await studio().db.execute(sql`
      insert into investigations (account_id, build_run_id, status, category)
      select account_id, id, 'completed', 'compile_error' from build_runs where ci_job_name = 'dusk' and status = 'failed'`)
    const { page } = tab()
    await tab().go(`/projects/${studio().world.projects.moon!.id}?days=30`)
    await page.getByText('50 % of 2 finished builds passed.').waitFor()
    await page.getByText('No passed build reported a duration in the last 30 days.').waitFor()
    const causes = page.getByRole('region', { name: 'Why builds failed, by day' })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await page.reload()
      const shown = (await causes.boundingBox())!
      const newest = (await causes.locator('tbody tr:first-child td:nth-last-child(2)').boundingBox())!
      expect(newest.x).toBeGreaterThanOrEqual(shown.x)
      expect(newest.x + newest.width).toBeLessThanOrEqual(shown.x + shown.width)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('a browser with a POSIX language name shows times and charts', async () => {
    const posix = await openTab(browser(), studio().service.site, { storageState: await tab().context.storageState() })
    await posix.page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix', configurable: true })
      Object.defineProperty(Navigator.prototype, 'languages', { get: () => ['en-US@posix'], configurable: true })
    })
    await posix.go(`${project()}?days=7`)
    await posix.page.getByRole('figure', { name: 'Build duration' }).locator('.u-over').waitFor()
    await posix.go(`${project()}/builds`)
    await posix.page.locator('time:visible').first().waitFor()
    expect(posix.complaints).toEqual([])
    await posix.context.close()
  })

  test('a task shows its links without a request for each', async () => {
    const { page } = tab()
    const asked: string[] = []
    page.on('request', (request) => asked.push(...urlsOf(request).map((url) => new URL(url).pathname)))
    await tab().go(`${project()}/tasks/${studio().world.tasks.moon!.id}`)
    await page.getByRole('link', { name: /Mend the moon$/ }).waitFor()
    await page.getByRole('link', { name: 'night #41' }).waitFor()
    await page.getByText('Passed', { exact: true }).waitFor()
    expect(asked.filter((path) => /\/(?:changes|build_runs)\/\w+$/.test(path))).toEqual([])
  })

  test('a change shows its builds, tasks and deployments without a request for each', async () => {
    const { page } = tab()
    const asked: string[] = []
    page.on('request', (request) => asked.push(...urlsOf(request).map((url) => new URL(url).pathname)))
    await tab().go(`${project()}/changes/${studio().world.changes.c!.id}`)
    await page.getByRole('link', { name: 'night #41' }).waitFor()
    await page.getByRole('link', { name: /Moon is too bright/ }).waitFor()
    await page.getByRole('link', { name: 'Steam 1.2' }).waitFor()
    expect(await page.getByRole('link', { name: 'Show diff' }).getAttribute('href')).toBe('https://git.example/abc123')
    expect(asked.filter((path) => /\/(?:tasks|build_runs|deployments)\/[\w-]+$/.test(path))).toEqual([])
    expect(await axe(page)).toEqual([])
  })

  test('a deployment has release notes in three formats, which can be edited before copying', async () => {
    const { page, context } = tab()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await tab().go(`${project()}/deployments/${studio().world.deployments.out!.id}`)
    const notes = page.getByLabel('Text')
    await expect.poll(() => notes.inputValue()).toBe('# Steam 1.2\n\n## Fixed\n\n- Moon is too bright')
    await page.getByRole('button', { name: 'Steam', exact: true }).click()
    expect(await notes.inputValue()).toBe('[h1]Steam 1.2[/h1]\n\n[h2]Fixed[/h2]\n\n[list]\n[*]Moon is too bright\n[/list]')
    await notes.fill('The moon is darker')
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('Release notes copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('The moon is darker')
    expect(await axe(page)).toEqual([])
  })

  test('a timeline has the stores of all projects', async () => {
    const { page } = tab()
    await tab().go(`${project()}/deployments`)
    await page.getByLabel('Show', { exact: true }).selectOption('timeline')
    await page.getByRole('link', { name: /^Starfall, Custom 1\.1: Rolled back/ }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('link', { name: /^Moonlight, Epic Games Store 7: Live/ }).click()
    await page.getByRole('heading', { name: 'Epic Games Store 7' }).waitFor()
  })

  test('a deployment that was rolled back was live when it was, and a store without a review shows none', async () => {
    const { page } = tab()
    const steps = page.getByRole('list', { name: 'Progress' }).getByRole('listitem')
    const painted = async (key: string) => {
      await tab().go(`${project()}/deployments/${studio().world.deployments[key]!.id}`)
      await steps.first().waitFor()
      return steps.filter({ has: page.locator('.bg-ok, .bg-err') }).allInnerTexts()
    }
    const back = await painted('back')
    expect(back.map((text) => text.split('\n')[0])).toEqual(['Pending', 'Live', 'Rolled back'])
    expect(back[2]).toBe('Rolled back')
    expect((await painted('out')).map((text) => text.split('\n')[0])).toEqual(['Pending', 'Live'])
  })
})
