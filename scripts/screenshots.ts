import { mkdir } from 'node:fs/promises'
import { chromium, type Page } from 'playwright-core'
import { OPERATOR_PLACES, PROJECT_PLACES, SETTINGS_PLACES } from '../src/web/shell/places.ts'

/**
 * Pictures of every page, light and dark, wide and narrow, into screenshots/. Start the service first, with its limits off, then:
 *   SITE=http://localhost:8080 EMAIL=… PASSWORD=… npx tsx scripts/screenshots.ts [part of a page's name]
 * It makes a project called "Empty" where there is none, to show pages that have nothing to show.
 */
const { SITE = 'http://localhost:8080', EMAIL = '', PASSWORD = '', CHROMIUM = '/usr/bin/chromium' } = process.env
const only = process.argv[2] ?? ''
const FOLDER = 'screenshots'
const EMPTY = 'Empty'

type Shot = [name: string, path: string, act?: (page: Page) => Promise<unknown>]

const OUTSIDE: Shot[] = [
  ...['sign-in', 'sign-up', 'welcome', 'reset', 'verify'].map((name): Shot => [name, `/${name}`]),
  ['reset-token', '/reset?token=x'],
  ['unsubscribe', '/unsubscribe?token=x'],
  ['invitation-unknown', '/invitations/x'],
  ['login-refused', '/oauth/refused?why=invalid_client'],
]

const nameOf = (path: string) => path.slice(1).replaceAll('/', '-')
const opens = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()

/** Pages and dialogs of somebody who is signed in; `first` finds a record that has something to tell. */
async function inside(project: number, empty: number, first: (list: string, key?: string) => Promise<string>): Promise<Shot[]> {
  const at = `/projects/${project}`
  const places = (id: number, mark: string): Shot[] =>
    PROJECT_PLACES.map(([path]) => [`${mark}${nameOf(path) || 'overview'}`, `/projects/${id}${path}`])
  const records: [name: string, list: string, key?: string][] = [
    ['task', 'tasks'],
    ['change', 'changes'],
    ['build-failed', 'build_runs?status=failed', 'builds'],
    ['build-passed', 'build_runs?status=completed', 'builds'],
    ['breakage', 'breakages'],
    ['asset', 'assets'],
    ['deployment', 'deployments'],
  ]
  return [
    ['feed', '/feed'],
    ['inbox', '/inbox'],
    ['inbox-all', '/inbox?show=all'],
    ...places(project, 'project-'),
    ...(await Promise.all(
      records.map(async ([name, list, path = list]): Promise<Shot> => [name, `${at}/${path}/${await first(list)}`]),
    )),
    ['integration', `${at}/integrations/${await first('integrations')}`],
    ...places(empty, 'empty-'),
    ['not-found', '/projects/99999999/tasks/1'],
    ['project-new', '/projects/new'],
    ['settings', '/settings'],
    ...[...SETTINGS_PLACES, ...OPERATOR_PLACES].map(([path]): Shot => [nameOf(path), path]),
    [
      'cli-auth',
      `/cli/auth?port=50123&state=x&code_challenge=${'a'.repeat(43)}&code_challenge_method=S256&client_name=goldmaster-cli`,
    ],
    ['dialog-task', `${at}/tasks`, opens('New task')],
    ['dialog-token', '/settings/tokens', opens('New token')],
    ['dialog-channel', '/settings/channels', opens('New channel')],
    ['dialog-palette', '/feed', (page) => page.keyboard.press('Control+k')],
    [
      'menu-projects',
      at,
      async (page) => {
        if (await page.getByRole('button', { name: 'Menu', exact: true }).isVisible()) await opens('Menu')(page)
        await opens('Select a project')(page)
      },
    ],
  ]
}

await mkdir(FOLDER, { recursive: true })
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})

for (const [size, width] of [
  ['wide', 1440],
  ['narrow', 390],
] as const) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  const take = async (shots: Shot[]) => {
    for (const [name, path, act] of shots) {
      if (!name.includes(only)) continue
      await page.goto(`${SITE}${path}`)
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
      await page.getByRole('heading').first().waitFor()
      await act?.(page)
      await page.waitForTimeout(400)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.waitForTimeout(500)
        await page.screenshot({ path: `${FOLDER}/${name}-${colorScheme}-${size}.png` })
      }
    }
  }
  await take(OUTSIDE)
  await page.goto(`${SITE}/sign-in`)
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/feed')
  const ask = async (path: string) => (await page.request.get(`${SITE}/app/api/v1${path}`)).json()
  const { projects, user } = await ask('/me')
  const project = projects.find(({ role }: { role: string }) => role === 'owner') ?? projects[0]
  const empty =
    projects.find(({ name }: { name: string }) => name === EMPTY) ??
    (await (
      await page.request.post(`${SITE}/app/api/v1/accounts/${user.default_account_id}/projects`, {
        data: { name: EMPTY, engine: 'unity' },
        headers: { 'sec-fetch-site': 'same-origin' },
      })
    ).json())
  const first = async (list: string) => {
    const answer = await ask(`/projects/${project.id}/${list}`)
    return answer[list.replace(/\?.*/, '')][0].id
  }
  await take(await inside(project.id, empty.id, first))
  await context.close()
}
await browser.close()
