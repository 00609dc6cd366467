import type { Page } from 'playwright-core'
import { OPERATOR_PAGES, PROJECT_PAGES, PROJECT_SETTINGS, SETTINGS_PAGES } from '../../src/web/shell/navigation.ts'

export type Shot = [name: string, path: string, act?: (page: Page) => Promise<unknown>]

/** Pages that need no sign-in. */
export const OUTSIDE: Shot[] = [
  ...['sign-in', 'sign-up', 'welcome', 'reset', 'verify'].map((name): Shot => [name, `/${name}`]),
  ['reset-token', '/reset?token=x'],
  ['unsubscribe', '/unsubscribe?token=x'],
  ['invitation-unknown', '/invitations/x'],
  ['login-refused', '/oauth/refused?why=invalid_client'],
]

const nameOf = (path: string) => path.slice(1).replaceAll('/', '-')
const opens = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()

/** Pages and dialogs that need a sign-in, of the demo's first game and of a project without records. */
export async function inside(page: Page, site: string): Promise<Shot[]> {
  const ask = async (path: string) => (await page.request.get(`${site}/app/api/v1${path}`)).json()
  const { projects, user } = await ask('/me')
  const project = projects[0].id
  const first = async (list: string) => (await ask(`/projects/${project}/${list}`))[list.replace(/\?.*/, '')][0].id
  const created = await page.request.post(`${site}/app/api/v1/accounts/${user.default_account_id}/projects`, {
    data: { name: 'Empty', engine: 'unity' },
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  const empty = (await created.json()).id
  const at = `/projects/${project}`
  const places = (id: number, mark: string): Shot[] =>
    [...PROJECT_PAGES, PROJECT_SETTINGS.at(-1)!].map(([path]) => [
      `${mark}${nameOf(path) || 'overview'}`,
      `/projects/${id}${path}`,
    ])
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
    ...[...SETTINGS_PAGES, ...OPERATOR_PAGES].map(([path]): Shot => [nameOf(path), path]),
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
