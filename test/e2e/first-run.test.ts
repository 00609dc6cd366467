import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, openBrowser, openSite, openTab } from '../support/callers/browser.ts'
import { describeWith } from '../support/skippable.ts'
import type { Studio } from '../support/studio.ts'

describeWith('chromium')('the first run in a browser', () => {
  let studio: Studio
  let browser: Browser
  beforeAll(async () => {
    studio = await openSite()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await studio?.close()
  })

  test('leads from an empty service to the first delivery, then to a token that works until it is revoked', async () => {
    const tab = await openTab(browser, studio.service.site, { permissions: ['clipboard-write', 'clipboard-read'] })
    const { page } = tab
    await tab.go('/')
    await page.getByRole('heading', { name: 'Welcome to Goldmaster' }).waitFor()
    // The browser logs the response by which the app learns that nobody is signed in.
    expect(tab.complaints.splice(0)).toEqual([expect.stringContaining('401')])
    await page.getByLabel('Setup token').waitFor()
    expect(await axe(page)).toEqual([])
    // In the tab that already asks for it: only the hash changes.
    await tab.go(`/welcome#set-up=${studio.service.setUpToken}`)
    await page.getByLabel('Your name').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByLabel('Your name').fill('Ida')
    await page.getByLabel('Email').fill('ida@example.com')
    await page.getByLabel('Password').fill('a long enough password')
    await page.getByRole('button', { name: 'Create owner account' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Starfall')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('heading', { name: 'Connect your first tool' }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: /Jenkins/ }).click()
    await page.getByText('Listening for the first delivery.').waitFor()
    await page.reload()
    await page.getByText('Listening for the first delivery.').waitFor()
    await page.getByRole('button', { name: 'Copy Webhook URL' }).click()
    const url = new URL(await page.evaluate<string>('navigator.clipboard.readText()'))
    expect(await axe(page)).toEqual([])
    const told = await studio.ask(`${url.pathname}${url.search}`, {
      method: 'POST',
      body: { job_name: 'nightly', build_number: 1, status: 'SUCCESS' },
    })
    expect(told.status).toBe(200)
    await page.getByText('First delivery received').waitFor()
    await page.getByRole('link', { name: 'Open the feed' }).click()
    await page.getByText('nightly #1').first().waitFor()

    await tab.go('/settings/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Nightly report')
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('button', { name: 'Copy Token' }).click()
    expect(await page.innerText('dialog')).not.toContain('mail')
    const token = await page.evaluate<string>('navigator.clipboard.readText()')
    await page.getByRole('button', { name: 'I’ve copied it' }).click()
    expect((await studio.ask('/api/v1/ping', { token })).status).toBe(200)
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke it' }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    expect((await studio.ask('/api/v1/ping', { token })).status).toBe(401)

    await tab.go('/settings/mails')
    await page.getByText('Nightly report').first().waitFor({ state: 'attached' })
    await page.locator('summary', { hasText: 'token' }).first().click()
    await page.getByText('Nightly report').first().waitFor()
    expect(await axe(page)).toEqual([])
    expect(tab.complaints).toEqual([])
    expect(tab.foreign).toEqual([])
    await tab.context.close()
  })

  test('without a mail server no email is promised, and the page says who can help', async () => {
    const tab = await openTab(browser, studio.service.site)
    const { page } = tab
    await tab.go('/reset')
    await page.getByText('goldmaster admin user set-password ADDRESS').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByLabel('Email').fill('ida@example.com')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByText('can see a reset link').waitFor()
    expect(await page.innerText('body')).not.toContain('we sent')
    await tab.context.close()

    const mailing = await openSite({}, { service: { mailing: true } })
    const other = await openTab(browser, mailing.service.site)
    await other.go('/reset')
    await other.page.getByLabel('Email').fill('ida@example.com')
    await other.page.getByRole('button', { name: 'Send link' }).click()
    await other.page.getByText('we sent a link').waitFor()
    await other.context.close()
    await mailing.close()
  })
})
