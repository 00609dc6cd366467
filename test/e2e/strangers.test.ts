import { expect, test } from 'vitest'
import { PROJECT_PAGES } from '../../src/web/shell/navigation.ts'
import { settled } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { describeWith } from '../support/skippable.ts'
import { workshop } from '../support/studios/workshop.ts'

const PASSWORD = 'a long enough password'
/** A word in all data of the first account; nobody else may see it. */
const SECRET = 'Nebula'
const at = '2026-10-01T10:00:00Z'
const world = {
  ...workshop,
  accounts: workshop.accounts.map((account) => (account.key === 'owl' ? { ...account, name: `${SECRET} Games` } : account)),
  users: workshop.users.map((user) => ({ ...user, password: PASSWORD })),
  projects: workshop.projects.map((project) => (project.key === 'star' ? { ...project, name: `${SECRET} Rising` } : project)),
  tasks: [{ key: 'tasks', project: 'star', title: `${SECRET} is too bright` }],
  changes: [
    {
      key: 'changes',
      project: 'star',
      identifier: '100',
      source_type: 'Changelist',
      author: SECRET,
      description: SECRET,
      timestamp: at,
    },
  ],
  build_runs: [{ key: 'builds', project: 'star', status: 'failed', ci_job_name: SECRET, output_log: `error: ${SECRET}\n` }],
  assets: [{ key: 'assets', project: 'star', name: SECRET, path: `Content/${SECRET}.png`, asset_type: 'texture' }],
  deployments: [{ key: 'deployments', project: 'star', platform: 'steam', status: 'live', version: SECRET }],
  integrations: [{ key: 'integrations', project: 'star', provider: 'jenkins' }],
}
const RECORDS = ['tasks', 'changes', 'builds', 'assets', 'deployments', 'integrations'] as const

describeWith('chromium')('a user of another account in a browser', () => {
  const { studio, tab } = openVisit(world, 'rival@example.com', PASSWORD)
  const project = (key: string) => `/projects/${studio().world.projects[key]!.id}`
  const record = (kind: (typeof RECORDS)[number]) =>
    `/${kind}/${(studio().world[kind === 'builds' ? 'build_runs' : kind]![kind] as { id: string }).id}`
  const seen = async (path: string) => {
    await tab().go(path)
    await tab().page.getByText('Page not found').waitFor()
    return [path, (await tab().page.innerText('body')).includes(SECRET), (await tab().page.title()).includes(SECRET)]
  }

  test("finds no page of the account's project", async () => {
    const paths = [...PROJECT_PAGES.map(([path]) => path), ...RECORDS.map(record)].map((path) => project('star') + path)
    for (const path of paths) expect(await seen(path)).toEqual([path, false, false])
  })

  test("finds no record of the account in their own project's pages", async () => {
    for (const path of RECORDS.map((kind) => project('den') + record(kind)))
      expect(await seen(path)).toEqual([path, false, false])
  })

  test('sees nothing of it in the feed, the palette and the settings', async () => {
    const { page } = tab()
    await tab().go('/feed')
    await page.getByText('No events yet').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type(SECRET)
    await page.getByText(`No results for “${SECRET}”`).waitFor()
    await page.keyboard.press('Escape')
    for (const path of ['/settings/account', '/settings/members', '/settings/webhooks']) {
      await tab().go(path)
      await settled(page)
      expect(await page.innerText('main')).not.toMatch(new RegExp(`${SECRET}|Leading Lady|Artful Arthur`))
    }
  })
})
