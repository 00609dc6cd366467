import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { axe, openBrowser, openSite, openTab } from '../support/callers/browser.ts'
import { CommandLine } from '../support/callers/command-line.ts'
import { describeWith } from '../support/skippable.ts'
import type { Studio } from '../support/studio.ts'

const PASSWORD = 'a long enough password'

const fillIn = async (page: Page, email = 'lead@example.com') => {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describeWith('chromium')('logging in through a browser', () => {
  let studio: Studio
  let browser: Browser
  let line: CommandLine
  beforeAll(async () => {
    studio = await openSite({
      accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
      users: ['lead', 'artist'].map((key) => ({
        key,
        email: `${key}@example.com`,
        name: key,
        password: PASSWORD,
        accounts: { owl: 'owner' },
      })),
      projects: [{ key: 'star', account: 'owl', name: 'Starfall', engine: 'unreal' }],
      build_runs: [{ key: 'red', project: 'star', ci_job_name: 'night', build_number: '1', status: 'failed' }],
      breakages: [{ key: 'it', project: 'star', builds: ['red'], opened_at: '2026-07-01T00:00:00Z' }],
    })
    browser = await openBrowser()
    line = new CommandLine({ GOLDMASTER_HOST: studio.service.site })
  })
  afterAll(async () => {
    line?.close()
    await browser?.close()
    await studio?.close()
  })

  /** Runs the login, and in the browser a person's actions at the printed URL. */
  async function login(act: (page: Page) => Promise<void>, words = ['login']) {
    const tab = await openTab(browser, studio.service.site)
    let acted: Promise<void> | undefined
    const ended = await line.run([...words, '--no-browser'], {
      watch(written, end) {
        const url = /^ {2}(http\S+)\n/m.exec(written)?.[1]
        if (url) acted ??= tab.page.goto(url).then(() => act(tab.page))
        // Whatever fails there, the CLI must not wait for it.
        acted?.catch(end)
      },
    })
    await acted
    const said = await tab.page.locator('body').innerText()
    await tab.context.close()
    return { ...ended, said }
  }

  test('the CLI is authorized by a user who signs in first, and works', async () => {
    const { code, err, said } = await login(async (page) => {
      await fillIn(page)
      await page.getByRole('heading', { name: 'Allow Goldmaster CLI?' }).waitFor()
      // A single question: no navigation into the app.
      await expect.poll(() => page.getByRole('navigation').count()).toBe(0)
      expect(await axe(page)).toEqual([])
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL('http://127.0.0.1:*/**')
    })
    expect(err).toContain(`Signed in at ${studio.service.site}`)
    expect(code).toBe(0)
    expect(said).toContain('You are signed in')
    expect(await line.run(['whoami', '--pick', 'user_id'])).toMatchObject({ code: 0, out: `${studio.world.users.lead!.id}\n` })
    expect((await line.run(['projects', 'list'])).out).toContain('Starfall')
    expect(await line.run(['members', '--project', String(studio.world.projects.star!.id)])).toMatchObject({ code: 1 })
    await line.run(['logout'])
  })

  test("a user whose default login cannot claim a breakage can after following the error's advice", async () => {
    const allow = async (page: Page) => {
      await fillIn(page)
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL('http://127.0.0.1:*/**')
    }
    const claim = [
      'breakages',
      'claim',
      String(studio.world.breakages.it!.id),
      '--project',
      String(studio.world.projects.star!.id),
    ]
    await login(allow)
    const refused = await line.run(claim)
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('lacks the scope write:breakages') })
    const site = studio.service.site
    expect(refused.err).toContain(`(${site}/cli/auth)`)
    const told = /: goldmaster (login [^\n]+)\n$/.exec(refused.err)![1]!
    expect(told).toBe(`login --host ${site} --scope all`)
    await login(allow, told.split(' '))
    expect(await line.run(claim)).toMatchObject({ code: 0, out: expect.stringContaining('is claimed') })
    await line.run(['logout'])
  })

  test('the CLI reports that it was denied, and stores nothing', async () => {
    const { code, err, said } = await login(async (page) => {
      await fillIn(page)
      await page.getByRole('button', { name: 'Deny' }).click()
      await page.waitForURL('http://127.0.0.1:*/**')
    })
    expect(code).toBe(1)
    expect(err).toContain('The login was denied in the browser.')
    expect(said).toContain('Access denied')
    expect((await line.run(['whoami'])).code).toBe(4)
  })

  test('another user can answer', async () => {
    const { code } = await login(async (page) => {
      await fillIn(page)
      await page.getByText('lead@example.com').waitFor()
      await page.getByRole('button', { name: 'Sign in as another user' }).click()
      await fillIn(page, 'artist@example.com')
      await page.getByText('artist@example.com').waitFor()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL('http://127.0.0.1:*/**')
    })
    expect(code).toBe(0)
    expect((await line.run(['whoami', '--pick', 'user_id'])).out).toBe(`${studio.world.users.artist!.id}\n`)
    await line.run(['logout'])
  })

  test('a truncated URL is reported instead of asking', async () => {
    const tab = await openTab(browser, studio.service.site)
    await tab.go('/cli/auth?port=50123&request=cut')
    await fillIn(tab.page)
    await tab.page.getByText('start the login again where it came from').waitFor()
    await tab.go('/cli/auth?port=50123')
    await tab.page.getByText('Start the login again in your terminal').waitFor()
    await expect.poll(() => tab.page.getByRole('button', { name: 'Allow' }).count()).toBe(0)
    await tab.context.close()
  })

  test('an unknown assistant is refused, and its user sees that without signing in', async () => {
    const tab = await openTab(browser, studio.service.site)
    await tab.go('/oauth/authorize?client_id=nobody&response_type=code')
    await tab.page.getByRole('heading', { name: 'Login failed' }).waitFor()
    await tab.page.getByText('isn’t registered with this server').waitFor()
    expect(await axe(tab.page)).toEqual([])
    expect(tab.complaints).toEqual([])
    await tab.context.close()
  })

  test('an assistant is authorized on the same page, whatever its name', async () => {
    const state = '12345678901234567890'
    const back = createServer()
    const code = new Promise<URLSearchParams>((resolve) =>
      back.on('request', (request, response) => {
        response.end('Thank you')
        const { searchParams } = new URL(request.url!, 'http://localhost')
        if (searchParams.has('state')) resolve(searchParams)
      }),
    )
    await new Promise<void>((done) => back.listen(0, '127.0.0.1', done))
    const redirectUrl = `http://127.0.0.1:${(back.address() as AddressInfo).port}/callback`
    const kept: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier?: string; url?: URL } = {}
    const provider: OAuthClientProvider = {
      redirectUrl,
      clientMetadata: { client_name: '<img src=x onerror=alert(1)>', redirect_uris: [redirectUrl] },
      state: () => state,
      clientInformation: () => kept.client,
      saveClientInformation: (client) => void Object.assign(kept, { client }),
      tokens: () => kept.tokens,
      saveTokens: (tokens) => void Object.assign(kept, { tokens }),
      codeVerifier: () => kept.verifier!,
      saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
      redirectToAuthorization: (url) => void Object.assign(kept, { url }),
    }
    const serverUrl = `${studio.service.site}/mcp`
    expect(await auth(provider, { serverUrl })).toBe('REDIRECT')

    const tab = await openTab(browser, studio.service.site)
    const { page } = tab
    await page.goto(kept.url!.href)
    await fillIn(page)
    await page.getByRole('heading', { name: 'Allow <img src=x onerror=alert(1)>?' }).waitFor()
    await page.getByText(new URL(redirectUrl).host).waitFor()
    await expect.poll(() => page.getByRole('list', { name: 'Permissions' }).getByRole('listitem').count()).toBe(10)
    await expect.poll(() => page.getByRole('navigation').count()).toBe(0)
    expect(await axe(page)).toEqual([])
    // Nobody was signed in at first, which the browser logs.
    expect(tab.complaints).toEqual([expect.stringContaining('401')])
    await page.getByRole('button', { name: 'Allow' }).click()
    const said = await code
    // The response may still be arriving in the tab, and the next page would see it.
    await page.getByText('Thank you').waitFor()
    back.close()
    expect(said.get('state')).toBe(state)
    expect(await auth(provider, { serverUrl, authorizationCode: said.get('code')! })).toBe('AUTHORIZED')
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider: provider }))
    const { structuredContent } = await client.callTool({ name: 'list_projects', arguments: {} })
    expect(structuredContent).toMatchObject({ projects: [{ name: 'Starfall' }] })
    await client.close()
    await tab.go('/settings/tokens')
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    await page.getByText('by an assistant').waitFor()
    await tab.context.close()
  })
})
