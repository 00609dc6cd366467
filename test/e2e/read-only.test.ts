import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { PROJECT_PAGES, SETTINGS_PAGES } from '../../src/web/shell/navigation.ts'
import { openBrowser, openSite, openTab, settled, signInAs, type Tab } from '../support/callers/browser.ts'
import { describeWith } from '../support/skippable.ts'
import type { Studio } from '../support/studio.ts'

const PASSWORD = 'a long enough password'
const owner = (key: string) => ({ key, email: `${key}@example.com`, name: key, password: PASSWORD, accounts: { [key]: 'owner' } })
const at = '2026-10-01T10:00:00Z'
const world = {
  accounts: [
    { key: 'demo', name: 'Showroom', plan: 'team', demo: true },
    { key: 'paid', name: 'Paying Games', plan: 'team', payment_method: true },
  ],
  users: [owner('demo'), owner('paid')],
  projects: ['demo', 'paid'].map((key) => ({ key, account: key, name: `Game of ${key}`, members: { [key]: 'owner' } })),
  tasks: ['demo', 'paid'].map((key) => ({ key, project: key, title: 'Look around', description: 'As it was', labels: ['ui'] })),
  changes: [
    { key: 'demo', project: 'demo', identifier: '1', source_type: 'Changelist', author: 'Kim', description: 'x', timestamp: at },
  ],
  build_runs: [{ key: 'demo', project: 'demo', status: 'failed', ci_job_name: 'night', output_log: 'error: x\n' }],
  breakages: [{ key: 'demo', project: 'demo', builds: ['demo'], jobs: ['night'], cause: 'It broke', opened_at: at }],
  assets: [
    {
      key: 'demo',
      project: 'demo',
      name: 'T_1',
      path: 'T_1',
      asset_type: 'texture',
      approvals: [{ status: 'pending', stage: 'review' }],
    },
  ],
  deployments: [{ key: 'demo', project: 'demo', platform: 'steam', status: 'live', version: '1' }],
  integrations: [{ key: 'demo', project: 'demo', provider: 'jenkins' }],
}
/** What may be used on a read-only page: filters, views, copying, and the members of the account. */
const HARMLESS = new RegExp(
  `^(?:${[
    'Label|Type|Priority|Assignee|Kind|Project|State|Status|Engine|Configuration|Store|Approval|Stage|Outcome|Period|Account|Show|Branch|Category|Owner',
    'Search (?:tasks|builds|changes)|Layout|Grid|Filmstrip|Person|View: Views|Job|Platform|Measure|Agent|Author|Path|Finished from|From|to|Filter by name|Overwritten changes|Search the log|Jump to error.*|End|Raw|Copy.*',
    '(?:No preview)?T_1.*',
    'Role of .*|Leave|Revoke',
    'Regular expression|Wrap|Timestamps|Next error.*|Previous error.*|Next|Previous',
    'Action|Who|Save as (?:CSV|JSON)|Verify|View',
  ].join('|')})$`,
)
/** Settings of a person rather than of the account. */
const OWN = ['profile', 'sessions', 'connected-accounts', 'notifications', 'tokens', 'sign-in'].map((name) => `/settings/${name}`)

/** The accessible names of all enabled controls on the page. */
const usable = (page: Page) =>
  page.locator('main :is(button, input, textarea, select):enabled:visible').evaluateAll((elements) =>
    elements.map((element) => {
      const { labels, ariaLabel, placeholder } = element as HTMLInputElement
      return ariaLabel ?? labels?.[0]?.textContent ?? (element.textContent?.trim() || placeholder || element.outerHTML)
    }),
  )

describeWith('chromium')('a read-only account in a browser', () => {
  let studio: Studio
  let browser: Browser
  beforeAll(async () => {
    studio = await openSite(world, { service: { metering: true } })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
  })
  const enter = async (who: string): Promise<Tab> => {
    const tab = await openTab(browser, studio.service.site)
    await signInAs(tab, `${who}@example.com`, PASSWORD)
    return tab
  }
  const project = (key: string) => `/projects/${studio.world.projects[key]!.id}`

  test('of the demo shows why on every page, and offers nothing that would be refused', async () => {
    const tab = await enter('demo')
    const { page } = tab
    const record = (kind: string, path = kind) => `/${path}/${(studio.world[kind as 'tasks']!.demo as { id: number }).id}`
    const records = [
      record('tasks'),
      record('changes'),
      record('build_runs', 'builds'),
      record('breakages'),
      record('assets'),
      record('deployments'),
      record('integrations'),
    ]
    const paths = [
      ...[...PROJECT_PAGES.map(([path]) => path), ...records].map((path) => project('demo') + path),
      ...SETTINGS_PAGES.map(([path]) => path).filter((path) => !OWN.includes(path)),
    ]
    const offered: string[] = []
    for (const path of paths) {
      await tab.go(path)
      await page.getByText('Showroom is a read-only demo.').waitFor()
      await settled(page)
      offered.push(...(await usable(page)).filter((name) => !HARMLESS.test(name)).map((name) => `${path}: ${name}`))
    }
    expect(offered).toEqual([])
    expect(tab.complaints).toEqual([])
    await tab.context.close()
  })

  test('says so when it becomes one while somebody types, keeps the text, and accepts it after payment', async () => {
    const tab = await enter('paid')
    const { page } = tab
    await tab.go(`${project('paid')}/tasks/${studio.world.tasks.paid!.id}`)
    await page.getByRole('button', { name: /^Edit description/ }).click()
    await page.getByLabel('Description').fill('Typed before the trial ended')
    const { id } = studio.world.accounts.paid!
    await studio.db.execute(sql`update accounts set payment_method = false, trial_ends_at = now() - interval '1 day',
      swept_at = now() where id = ${id}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('The trial of this account has ended').waitFor()
    await page.getByText('The trial of Paying Games has ended. The account is read-only.').waitFor()
    await page.getByRole('link', { name: 'Add a payment method' }).click()
    await page.getByRole('button', { name: 'Pay by invoice' }).click()
    await page.getByText('The trial of Paying Games has ended. The account is read-only.').waitFor({ state: 'detached' })
    await tab.go(`${project('paid')}/tasks/${studio.world.tasks.paid!.id}`)
    expect(await page.getByLabel('Description').inputValue()).toBe('Typed before the trial ended')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Description' }).getByText('Typed before the trial ended').waitFor()
    await tab.context.close()
  })
})
