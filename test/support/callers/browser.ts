import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core'
import { BATCH_PATH } from '../../../src/contract/app/batch.ts'
import { CHROMIUM } from '../programs.ts'
import { freePort } from '../servers/free-port.ts'
import { openStudio, type Studio, type StudioSettings } from '../studio.ts'

/** A real Chromium in front of a real service. */

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-extensions',
]

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: CHROMIUM!, headless: true, args: FLAGS })

/** A studio whose configured URL is the one it listens at, as browsers require. */
export async function openSite(world: object = {}, settings: StudioSettings = {}): Promise<Studio> {
  const port = await freePort()
  return openStudio(world, { ...settings, port, service: { ...settings.service, site: `http://localhost:${port}` } })
}

export interface Tab {
  page: Page
  context: BrowserContext
  /** Console errors, including those of the content security policy. */
  complaints: string[]
  /** Requests to any other host. */
  foreign: string[]
  go(path: string): Promise<void>
}

export async function openTab(browser: Browser, site: string, options: Parameters<Browser['newContext']>[0] = {}): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  // Only a real hang should fail here: a busy machine must not.
  context.setDefaultTimeout(200_000)
  const page = await context.newPage()
  const complaints: string[] = []
  const foreign: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on(
    'request',
    (request) => !request.url().startsWith(site) && !request.url().startsWith('data:') && foreign.push(request.url()),
  )
  return { page, context, complaints, foreign, go: async (path) => void (await page.goto(`${site}${path}`)) }
}

export async function signInAs({ page, go }: Tab, email: string, password: string) {
  await go('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** The URLs of a request: for a batch each of its parts, as if it were requested alone. */
export function urlsOf(request: Request): string[] {
  const { pathname, searchParams, origin, href } = new URL(request.url())
  const parts = searchParams.getAll('get').map((part) => `${origin}/app/api${part}`)
  return pathname === `/app/api${BATCH_PATH}` ? parts : [href]
}

/** A page with its heading and all its content loaded. */
export async function settled(page: Page) {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('body:not(:has([role="status"][aria-label="Loading"]))').waitFor()
}

interface Violation {
  id: string
  impact: string | null
  nodes: { html: string; failureSummary?: string }[]
}

/** The findings of axe, by all its rules or some, as readable lines; a page should have none. */
export async function axe(page: Page, rules?: string[]): Promise<string[]> {
  const source = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
  // In an isolated world: the page's policy would refuse it, as it should.
  const session = await page.context().newCDPSession(page)
  const { readFileSync } = await import('node:fs')
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id })
  await session.send('Runtime.evaluate', { expression: readFileSync(source, 'utf8'), contextId: executionContextId })
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })}).then(({ violations }) => JSON.stringify(violations))`,
    contextId: executionContextId,
    awaitPromise: true,
  })
  await session.detach()
  const violations = JSON.parse(result.value as string) as Violation[]
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html} ${failureSummary ?? ''}`),
  )
}
