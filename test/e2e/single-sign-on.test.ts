import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { codeAt, stepOf } from '../../src/domain/sign-in/totp.ts'
import { axe, openBrowser, openSite, openTab, signInAs } from '../support/callers/browser.ts'
import { type OpenIdProvider, openIdProvider } from '../support/servers/openid-provider.ts'
import { describeWith } from '../support/skippable.ts'
import type { Studio } from '../support/studio.ts'

const PASSWORD = 'a long enough password'
const user = (key: string, role: string) => ({
  key,
  email: `${key}@owl.example`,
  name: key,
  password: PASSWORD,
  accounts: { owl: role },
})

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' })

async function signOut(page: Page) {
  await page.getByRole('button', { name: /^You:/ }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
}

/** Goes to the provider with an email address. */
async function leave(page: Page, email: string) {
  await page.getByRole('button', { name: 'Single sign-on' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function letIn(page: Page, who: string) {
  await page.getByLabel('Who').fill(who)
  await page.getByRole('button', { name: 'Let me in' }).click()
}

describeWith('chromium')('sign-in methods other than a password', () => {
  let studio: Studio
  let provider: OpenIdProvider
  let browser: Browser
  beforeAll(async () => {
    studio = await openSite(
      {
        accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
        users: [user('lead', 'owner'), user('moth', 'member')],
        projects: [{ key: 'star', account: 'owl', name: 'Starfall', engine: 'unreal' }],
      },
      { service: { allowedHosts: (host) => host === '127.0.0.1' } },
    )
    await studio.db.execute(sql`update users set operator = true where id = ${studio.world.users.lead!.id}`)
    provider = await openIdProvider(studio.service.site, {
      lead: { email: 'lead@owl.example', email_verified: true, name: 'Lead', groups: ['leads'] },
      new: { email: 'new@owl.example', email_verified: true, name: 'New One', groups: ['crew'] },
    })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await provider?.close()
    await studio?.close()
  })

  test('an owner configures the provider and signs in through it, then it is required', async () => {
    const tab = await openTab(browser, studio.service.site)
    const { page } = tab
    await signInAs(tab, 'lead@owl.example', PASSWORD)
    await tab.go('/settings/single-sign-on')
    await page.getByLabel('Issuer').fill(`${provider.issuer}/nothing-here`)
    await page.getByLabel('Allowed email domains').fill('owl.example')
    await page.getByLabel('Client ID').fill(provider.client.client_id)
    await page.getByLabel('Client secret').fill(provider.client.client_secret)
    await page.getByLabel('Roles by group').fill('leads = owner\ncrew = member')
    await page.getByLabel('Default role').selectOption('')
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByText('Can’t use this provider').waitFor()
    await page.getByLabel('Issuer').fill(provider.issuer)
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('button', { name: 'Remove provider' }).waitFor()
    expect(await page.getByLabel('Require single sign-on').isDisabled()).toBe(true)
    expect(await axe(page)).toEqual([])

    await signOut(page)
    await leave(page, 'lead@owl.example')
    await letIn(page, 'lead')
    await main(page).waitFor()
    await tab.go('/settings/single-sign-on')
    await page.getByLabel('Require single sign-on').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()

    // Signed out at the provider as well, and the password redirects there again.
    await signOut(page)
    await page.getByRole('button', { name: 'Sign out of the provider' }).click()
    await page.getByRole('heading', { name: 'Sign in to Goldmaster' }).waitFor()
    await page.getByLabel('Email').fill('moth@owl.example')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Let me in' }).waitFor()
    await tab.context.close()
  })

  test('a new person becomes a member, follows their groups, and gets an error when the provider is unreachable', async () => {
    const tab = await openTab(browser, studio.service.site)
    const { page } = tab
    await tab.go('/settings/members')
    await leave(page, 'new@owl.example')
    await letIn(page, 'new')
    // Back at the requested page.
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
    await page.getByText('New One').first().waitFor()

    await signOut(page)
    await page.getByRole('button', { name: 'Sign out of the provider' }).click()
    provider.people.new!.groups = ['somewhere else']
    await leave(page, 'new@owl.example')
    await letIn(page, 'new')
    await page.getByText('None of your groups has access to this studio.').waitFor()
    expect(await axe(page)).toEqual([])
    expect(
      await studio.db.rows(sql`
      select from account_members m join users u on u.id = m.user_id where u.email = 'new@owl.example'`),
    ).toEqual([])

    await provider.leave()
    // The provider's page was the browser's last; its metadata is fetched again after a change.
    await studio.db.execute(sql`update sso_connections set updated_at = now() + interval '1 second'`)
    await leave(page, 'new@owl.example')
    await page.getByText('does not respond. Try again in a moment').waitFor()
    await provider.comeBack()
    await studio.db.execute(sql`update sso_connections set required = false`)
    await tab.context.close()
  })

  test('a code of an app is required after the password, and a passkey needs neither', async () => {
    const tab = await openTab(browser, studio.service.site)
    const { page, context } = tab
    await signInAs(tab, 'moth@owl.example', PASSWORD)
    await tab.go('/settings/sign-in')
    await page.getByRole('button', { name: 'Set up app' }).click()
    const secret = (await page.getByRole('dialog').locator('code').innerText()).trim()
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    const now = stepOf(Date.now())
    await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, now))
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByRole('button', { name: 'I’ve saved them' }).click()
    await page.getByText('You have 10 recovery codes left').waitFor()
    // After axe, whose own session removes the devices when it ends.
    const devices = await context.newCDPSession(page)
    await devices.send('WebAuthn.enable')
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.getByLabel('Name').fill('Work laptop')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByText('Passkey added').waitFor()

    await signOut(page)
    await page.getByLabel('Email').fill('moth@owl.example')
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Code', { exact: true }).fill('000000')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Wrong code, or it was used before').waitFor()
    await page.getByLabel('Code', { exact: true }).fill(codeAt(secret, now + 1))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await main(page).waitFor()

    await signOut(page)
    await page.getByRole('button', { name: 'Use passkey' }).click()
    await main(page).waitFor()
    await tab.go('/settings/sign-in')
    await page.getByRole('cell', { name: 'Work laptop' }).waitFor()
    expect(await axe(page)).toEqual([])
    await tab.context.close()
  })
})
