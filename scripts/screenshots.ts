import { mkdir, rm } from 'node:fs/promises'
import { chromium } from 'playwright-core'

/**
 * Pictures of every page, light and dark, wide and narrow, into screenshots/. Start the service first, then:
 *   SITE=http://localhost:8080 EMAIL=… PASSWORD=… npx tsx scripts/screenshots.ts [part of a page's name]
 */
const { SITE = 'http://localhost:8080', EMAIL = '', PASSWORD = '', CHROMIUM = '/usr/bin/chromium' } = process.env
const only = process.argv[2] ?? ''
const FOLDER = 'screenshots'

const OUTSIDE = { 'sign-in': '/sign-in', 'sign-up': '/sign-up', welcome: '/welcome', reset: '/reset' }
const INSIDE = {
  feed: '/feed',
  project: '',
  tasks: '/tasks',
  task: '/tasks/first',
  changes: '/changes',
  change: '/changes/first',
  builds: '/builds',
  build: '/builds/first',
  assets: '/assets',
  asset: '/assets/first',
  approvals: '/approvals',
  deployments: '/deployments',
  deployment: '/deployments/first',
  members: '/members',
  integrations: '/integrations',
  integration: '/integrations/first',
  'project-settings': '/settings',
  'project-new': '/projects/new',
  'settings-profile': '/settings/profile',
  'settings-sessions': '/settings/sessions',
  'settings-connected-accounts': '/settings/connected-accounts',
  'settings-tokens': '/settings/tokens',
  'settings-account': '/settings/account',
  'settings-members': '/settings/members',
  'settings-billing': '/settings/billing',
  'settings-webhooks': '/settings/webhooks',
  'settings-mails': '/settings/mails',
  'cli-auth': `/cli/auth?port=50123&state=x&code_challenge=${'a'.repeat(43)}&code_challenge_method=S256&client_name=goldmaster-cli`,
}
const PROJECT_PAGES = new Set(Object.keys(INSIDE).slice(1, Object.keys(INSIDE).indexOf('project-new')))
const KEYS: Record<string, string> = { builds: 'build_runs' }

await rm(FOLDER, { recursive: true, force: true })
await mkdir(FOLDER, { recursive: true })
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
for (const colorScheme of ['light', 'dark'] as const)
  for (const [size, width] of [
    ['wide', 1280],
    ['narrow', 400],
  ] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
    const page = await context.newPage()
    const take = async (name: string, path: string) => {
      if (!name.includes(only)) return
      await page.goto(`${SITE}${path}`)
      await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
      await page.waitForTimeout(300)
      await page.screenshot({ path: `${FOLDER}/${name}-${colorScheme}-${size}.png` })
    }
    for (const [name, path] of Object.entries(OUTSIDE)) await take(name, path)
    await page.goto(`${SITE}/sign-in`)
    await page.getByLabel('E-mail').fill(EMAIL)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/feed')
    const ask = async (path: string) => (await page.request.get(`${SITE}/app/api/v1${path}`)).json()
    const { projects } = await ask('/me')
    const project = projects.find(({ role }: { role: string }) => role === 'owner') ?? projects[0]
    for (const [name, path] of Object.entries(INSIDE)) {
      if (!name.includes(only)) continue
      if (!PROJECT_PAGES.has(name)) {
        await take(name, path)
        continue
      }
      const [, list = '', first] = path.split('/')
      const key = KEYS[list] ?? list
      const id = first === 'first' ? (await ask(`/projects/${project.id}/${key}`))[key]?.[0]?.id : undefined
      await take(name, `/projects/${project.id}${path.replace('/first', id === undefined ? '' : `/${id}`)}`)
    }
    await context.close()
  }
await browser.close()
