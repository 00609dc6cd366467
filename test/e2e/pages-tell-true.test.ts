import { describe, expect, test } from 'vitest'
import { hasBrowser } from '../support/browser.ts'
import { openVisit } from '../support/visit.ts'

const PASSWORD = 'a long enough password'
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
const built = (key: string) => ({
  key,
  project: 'star',
  ci_job_name: 'night',
  build_number: key,
  status: 'completed',
  commit_hash: 'abc123',
  created_at: ago(90),
  started_at: ago(90),
  finished_at: ago(80),
})
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } }],
  changes: [
    {
      key: 'c',
      project: 'star',
      identifier: 'abc123',
      source_type: 'GitCommit',
      description: 'Mend the moon\n\nAt length.',
      timestamp: ago(100),
    },
  ],
  build_runs: [built('41')],
  tasks: [{ key: 'moon', project: 'star', title: 'Moon is too bright', links: { changes: ['c'], build_runs: ['41'] } }],
  deployments: [
    { key: 'back', project: 'star', platform: 'steam', version: '1.1', status: 'rolled_back', live_at: ago(60) },
    { key: 'out', project: 'star', platform: 'steam', version: '1.2', status: 'live', live_at: ago(30) },
  ],
}

describe.runIf(hasBrowser)('pages in a browser tell what happened', () => {
  const { studio, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const project = () => `/projects/${studio().world.projects.star!.id}`

  test('trends keep their period in the address, name the build under the pointer, and open it', async () => {
    const { page } = tab()
    await tab().go(`${project()}?days=7`)
    expect(await page.getByLabel('Period').inputValue()).toBe('7')
    const figure = page.getByRole('figure', { name: 'How long builds take' })
    await figure.getByText('One build, which took 10 min.').waitFor()
    const over = figure.locator('.u-over')
    await over.hover()
    await figure.getByText(/^night #41, .*: passed after 10 min\.$/).waitFor()
    await over.click()
    await page.getByRole('heading', { name: 'night #41' }).waitFor()
    await page.goBack()
    await page.getByLabel('Period').selectOption('90')
    await page.waitForURL(/days=90/)
  })

  test('a task names what it is linked to without asking for each of it', async () => {
    const { page } = tab()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await tab().go(`${project()}/tasks/${studio().world.tasks.moon!.id}`)
    await page.getByRole('link', { name: /Mend the moon$/ }).waitFor()
    await page.getByRole('link', { name: 'night #41' }).waitFor()
    await page.getByText('passed', { exact: true }).waitFor()
    expect(asked.filter((path) => /\/(?:changes|build_runs)\/\w+$/.test(path))).toEqual([])
  })

  test('a deployment that was rolled back was live when it was, and a store without a review shows none', async () => {
    const { page } = tab()
    const steps = page.getByRole('list', { name: 'Way to the players' }).getByRole('listitem')
    const painted = async (key: string) => {
      await tab().go(`${project()}/deployments/${studio().world.deployments[key]!.id}`)
      await steps.first().waitFor()
      return steps.filter({ has: page.locator('.bg-ok, .bg-err') }).allInnerTexts()
    }
    const back = await painted('back')
    expect(back.map((text) => text.split('\n')[0])).toEqual(['pending', 'live', 'rolled back'])
    expect(back[2]).toBe('rolled back')
    expect((await painted('out')).map((text) => text.split('\n')[0])).toEqual(['pending', 'live'])
  })
})
