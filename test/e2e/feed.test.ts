import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, openBrowser, openSite, openTab, settled, signInAs } from '../support/callers/browser.ts'
import { describeWith } from '../support/skippable.ts'
import type { Studio } from '../support/studio.ts'
import { nightOwl } from '../support/studios/night-owl.ts'

const PASSWORD = 'a long enough password'
const world = {
  ...nightOwl,
  users: nightOwl.users.map((user) => ({ ...user, password: PASSWORD })),
  integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
}

describeWith('chromium')('the feed in a browser', () => {
  let studio: Studio
  let browser: Browser
  beforeAll(async () => {
    studio = await openSite(world)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
  })

  test('shows a build the moment its webhook arrives, without a console error and without another host', async () => {
    const tab = await openTab(browser, studio.service.site)
    const { page } = tab
    const listening = page.waitForResponse(/events\/stream/)
    await signInAs(tab, 'lead@example.com', PASSWORD)
    await page.getByRole('heading', { name: 'Feed' }).waitFor()
    await page.getByText('Task #').first().waitFor()
    await listening
    const { webhook_token } = studio.world.integrations.ci!
    const told = await studio.ask(`/webhooks/jenkins?token=${webhook_token}`, {
      method: 'POST',
      body: { job_name: 'nightly-win64', build_number: 4711, status: 'FAILURE', logs_tail: 'error C2065' },
    })
    expect(told.status).toBe(200)
    await page.getByText('nightly-win64 #4711 failed').waitFor()
    expect(await axe(page)).toEqual([])
    expect(tab.complaints).toEqual([])
    expect(tab.foreign).toEqual([])
    await tab.context.close()
  })

  test('and every list show a started build without a reload', async () => {
    const tab = await openTab(browser, studio.service.site)
    const { page } = tab
    await signInAs(tab, 'lead@example.com', PASSWORD)
    const { webhook_token } = studio.world.integrations.ci!
    const report = (build_number: number, status: string) =>
      studio.ask(`/webhooks/ci?token=${webhook_token}`, { method: 'POST', body: { job_name: 'live', build_number, status } })
    const project = `/projects/${studio.world.projects.star!.id}`
    const listenAt = async (path: string) => {
      const listening = page.waitForResponse(/events\/stream/)
      await tab.go(path)
      await listening
      await settled(page)
    }
    for (const [i, path] of [`${project}/builds`, project].entries()) {
      await listenAt(path)
      await report(i, 'running')
      await page.getByRole('link', { name: new RegExp(`live #${i}`) }).waitFor()
    }
    await listenAt('/feed')
    await report(4, 'running')
    await page.getByText('live #4 started').waitFor()
    await report(4, 'success')
    await page.getByText('live #4 passed').waitFor()
    await expect.poll(() => page.getByText('live #4 started').count()).toBe(0)
    await tab.context.close()
  })

  test('sends a signed-out user to the sign-in page and back to the requested page', async () => {
    const tab = await openTab(browser, studio.service.site)
    const { page } = tab
    const path = `/projects/${studio.world.projects.star!.id}/builds`
    await tab.go(path)
    await page.getByLabel('Email').fill('lead@example.com')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Builds' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(path)
    await tab.context.close()
  })

  test('asks for the password again when the session has ended, and keeps the page', async () => {
    const tab = await openTab(browser, studio.service.site)
    const { page, context } = tab
    await signInAs(tab, 'lead@example.com', PASSWORD)
    await tab.go('/projects/new')
    await page.getByLabel('Name').fill('A name that must not be lost')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Create project' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('Email').fill('lead@example.com')
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Name').inputValue()).toBe('A name that must not be lost')
    await context.close()
  })
})
