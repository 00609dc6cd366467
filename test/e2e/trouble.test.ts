import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openTab, signInAs, type Tab } from '../support/callers/browser.ts'
import { freePort } from '../support/servers/free-port.ts'
import { describeWith } from '../support/skippable.ts'
import { openStudio, type Studio, type StudioSettings } from '../support/studio.ts'
import { workshop } from '../support/studios/workshop.ts'

const PASSWORD = 'a long enough password'
const world = {
  ...workshop,
  accounts: workshop.accounts.map((account) => ({ ...account, credits: 5, daily_limit: 0 })),
  users: workshop.users.map((user) => ({ ...user, password: PASSWORD })),
  tasks: [{ key: 'moon', project: 'star', title: 'Moon is too bright', description: 'As it was' }],
  build_runs: [{ key: 'night', project: 'star', status: 'failed', ci_job_name: 'night', output_log: 'error: it broke\n' }],
}

describeWith('chromium')('problems in a browser', () => {
  let store: Studio
  let node: Studio
  let browser: Browser
  let tab: Tab
  let port: number
  /** A node over the same data at the same address: closing one and opening another is a restart. */
  const open = async (settings: StudioSettings = {}) => {
    node = await openStudio({}, { ...settings, beside: store, port, service: { site: `http://localhost:${port}` } })
  }
  beforeAll(async () => {
    store = await openStudio(world)
    port = await freePort()
    browser = await openBrowser()
    await open()
    tab = await openTab(browser, node.service.site)
    await signInAs(tab, 'lead@example.com', PASSWORD)
  })
  afterAll(async () => {
    await browser?.close()
    await node?.close()
    await store?.close()
  })

  const project = () => `/projects/${store.world.projects.star!.id}`
  const moon = () => `${project()}/tasks/${store.world.tasks.moon!.id}`
  const stored = async () => (await tab.page.request.get(`${node.service.site}/app/api/v1${moon()}`)).json()
  const write = async ({ page, go }: Tab, text: string) => {
    await go(moon())
    await page.getByRole('button', { name: /^Edit description/ }).click()
    await page.getByLabel('Description').fill(text)
  }
  const save = ({ page }: Tab) => page.getByRole('button', { name: 'Save' }).click()

  test('an unreachable server is shown at once, keeps the input, and is found again automatically', async () => {
    const { page } = tab
    await write(tab, 'Written before the storm')
    await node.close()
    // Without any action: the broken stream shows it.
    await page.getByText('Can’t reach the server').first().waitFor()
    await save(tab)
    await page.getByRole('alert').getByText('Can’t reach the server').waitFor()
    expect(await page.getByLabel('Description').inputValue()).toBe('Written before the storm')
    // A page that was never loaded waits for the server, too.
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
    await page.getByRole('link', { name: 'Deployments' }).waitFor()
    await open()
    await page.getByRole('heading', { name: 'Deployments' }).waitFor()
    await page.getByText('Can’t reach the server').waitFor({ state: 'detached' })
    await page.goBack()
    expect(await page.getByLabel('Description').inputValue()).toBe('Written before the storm')
    await save(tab)
    await page.getByRole('region', { name: 'Description' }).getByText('Written before the storm').waitFor()
    expect((await stored()).description).toBe('Written before the storm')
  })

  test('a rate limit shows how long to wait, and the input can be sent afterwards', async () => {
    const { page } = tab
    await tab.go(`${project()}/tasks`)
    await page.getByRole('button', { name: 'New task' }).click()
    await page.getByLabel('Title').fill('Written with care')
    await node.close()
    await open({ rates: { requests: { points: 1, seconds: 3600 } } })
    await page.request.get(`${node.service.site}/app/api/v1/welcome`)
    const create = page.getByRole('button', { name: 'Create task' })
    await create.click()
    await page
      .getByRole('alert')
      .getByText(/Try again in \d+ s/)
      .waitFor()
    await page.getByText(/Retrying in \d+ min/).waitFor()
    expect(await page.getByLabel('Title').inputValue()).toBe('Written with care')
    await node.close()
    await open()
    await create.click()
    await page.getByRole('button', { name: /^Edit title: Written with care/ }).waitFor()
    await page.getByText('Retrying in').waitFor({ state: 'detached' })
  })

  test('a rate-limited page keeps its content, shows when it retries, and does so automatically', async () => {
    const { page } = tab
    await tab.go(`${project()}/builds`)
    const main = page.getByRole('main')
    await main.getByRole('link', { name: 'night' }).waitFor()
    await node.close()
    await open({ rates: { requests: { points: 1, seconds: 3600 } } })
    await page.request.get(`${node.service.site}/app/api/v1/welcome`)
    await page.getByText(/Retrying in \d+ min/).waitFor()
    await expect.poll(() => main.getByRole('link', { name: 'night' }).count()).toBe(1)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Deployments' }).click()
    await main
      .getByText(/Loading again in \d+ min/)
      .first()
      .waitFor()
    await expect.poll(() => main.getByRole('status', { name: 'Loading' }).count()).toBe(0)
    // A newly opened URL has no content to keep: it shows the same, and does not retry repeatedly.
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('/app/api/') && asked.push(request.url()))
    // Last requests of the previous page do not count.
    page.once('framenavigated', () => asked.splice(0))
    await page.reload()
    await page.getByText(/again in \d+ s/).waitFor()
    expect(asked).toEqual([...new Set(asked)])
    await node.close()
    await open()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('No deployments yet').waitFor()
  })

  test('the daily limit of investigations is shown on the build, not on the whole page', async () => {
    const { page } = tab
    await tab.go(`${project()}/builds/${store.world.build_runs.night!.id}`)
    await page.getByRole('button', { name: 'Investigate' }).click()
    await page.getByRole('alert').getByText('investigations of today are used').waitFor()
    await expect.poll(() => page.getByText('Retrying in').count()).toBe(0)
  })

  test('an ended session asks for a sign-in, and the input is saved after it', async () => {
    const other = await openTab(browser, node.service.site)
    await signInAs(other, 'lead@example.com', PASSWORD)
    await write(tab, 'Typed while somebody signed me out')
    await other.go('/settings/sessions')
    await other.page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await other.page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click()
    const dialog = tab.page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await tab.page.keyboard.press('Escape')
    await tab.page.keyboard.press('Escape')
    await dialog.getByLabel('Email').fill('lead@example.com')
    await dialog.getByLabel('Password').fill('a wrong password')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    await save(tab)
    await tab.page.getByRole('region', { name: 'Description' }).getByText('Typed while somebody signed me out').waitFor()
    expect((await stored()).description).toBe('Typed while somebody signed me out')
    await other.context.close()
  })

  test("the second of two people who edit one task sees the other's text, and loses nothing", async () => {
    const second = await openTab(browser, node.service.site)
    await signInAs(second, 'artist@example.com', PASSWORD)
    await write(second, 'What the artist thinks')
    await write(tab, 'What the lead thinks')
    await save(tab)
    await tab.page.getByRole('region', { name: 'Description' }).getByText('What the lead thinks').waitFor()
    await save(second)
    await second.page.getByText('Somebody else changed this while you were editing').waitFor()
    await second.page.getByText('What the lead thinks').waitFor()
    expect(await second.page.getByLabel('Description').inputValue()).toBe('What the artist thinks')
    expect((await stored()).description).toBe('What the lead thinks')
    await second.page.getByRole('button', { name: 'Keep mine' }).click()
    await save(second)
    await second.page.getByRole('region', { name: 'Description' }).getByText('What the artist thinks').waitFor()
    expect((await stored()).description).toBe('What the artist thinks')
    await second.context.close()
  })
})
