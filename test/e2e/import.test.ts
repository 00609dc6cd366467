import { expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { axe } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { openGitLab as openHistory } from '../support/history/gitlab.ts'
import { fictionalStudio } from '../support/history/world.ts'
import { openGitLab } from '../support/servers/gitlab-server.ts'
import { describeWith } from '../support/skippable.ts'
import { workOffAll } from '../support/work-off.ts'

const PASSWORD = 'a long enough password'
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
  users: [
    { key: 'lead', email: 'lead@owl.example', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } },
    { key: 'ann', email: 'ann@owl.example', name: 'Ann Poe', accounts: { owl: 'member' } },
  ],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner', ann: 'member' } }],
}

describeWith('chromium')('a connected tool in a browser', () => {
  const { tab, studio } = openVisit(world, 'lead@owl.example', PASSWORD)
  const project = () => Number(studio().world.projects.star!.id)
  const work = () => workOffAll(studio(), Number(studio().world.accounts.owl!.id))
  const sectionOf = (title: string) =>
    tab()
      .page.locator('section')
      .filter({ has: tab().page.getByRole('heading', { name: title }) })
  const connect = async (config: object) => {
    studio().service.allowedHosts = (host) => host === '127.0.0.1'
    const { integrations } = await studio().load({
      integrations: [{ key: 'gl', project: project(), provider: 'gitlab', config }],
    })
    const { id } = integrations!.gl!
    await tab().go(`/projects/${project()}/integrations/${id}`)
    return { page: tab().page, id: Number(id) }
  }

  test('its history is previewed, imported, cancelled and undone', async () => {
    const gitlab = await openHistory(fictionalStudio())
    const { page } = await connect(gitlab.config)
    const section = sectionOf('Import history')
    await section.getByRole('button', { name: 'Preview' }).click()
    await section.getByText(/The last 90 days: 4 builds.* Needs: read_api\./).waitFor()
    expect(gitlab.calls.some((call) => call.includes('/diff'))).toBe(false)
    await section.getByRole('button', { name: 'Import' }).click()
    await section.getByText('Running').waitFor()
    expect(await axe(page)).toEqual([])
    await section.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click()
    await section.getByText('Cancelled').waitFor()
    await section.getByRole('button', { name: 'Import' }).click()
    await section.getByText('Running').waitFor()
    await work()
    await page.reload()
    await section.getByText(/Added: .*25 changes/).waitFor()
    await section.getByRole('button', { name: 'Undo' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Undo import' }).click()
    await section.getByText('Being undone').waitFor()
    await work()
    await page.reload()
    await section.getByText('Undone').waitFor()
    expect(await axe(page)).toEqual([])
    gitlab.close()
  })

  test('writing results back names the missing permission before it is on', async () => {
    const gitlab = await openGitLab()
    gitlab.scopes = ['read_api']
    const { page } = await connect({ server: gitlab.url, api_token: 'secret' })
    const section = sectionOf('Write results back')
    await section.getByText(/The access token needs: the scope api and the role Developer/).waitFor()
    await section.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('The access token lacks the scope api.').waitFor()
    expect(gitlab.writes).toEqual([])
    gitlab.scopes = ['api']
    await section.getByRole('button', { name: 'Switch on' }).click()
    await section.getByRole('button', { name: 'Switch off' }).waitFor()
    expect(await axe(page)).toEqual([])
    gitlab.close()
  })

  test('automatic assignment is off until somebody turns it on, with people who get nothing', async () => {
    const { page } = tab()
    await tab().go(`/projects/${project()}/settings`)
    const section = sectionOf('Automatic assignment')
    const on = section.getByLabel('Assign breakages automatically')
    expect(await on.inputValue()).toBe('false')
    await on.selectOption('On')
    await section.getByLabel('Excluded people', { exact: true }).first().selectOption('Ann Poe')
    await section.getByRole('button', { name: 'Remove Ann Poe' }).waitFor()
    const { assignment } = (await studio().db.one<{ assignment: object }>(
      sql`select assignment from projects where id = ${project()}`,
    ))!
    expect(assignment).toEqual({ on: true, excluded_user_ids: [Number(studio().world.users.ann!.id)] })
    expect(await axe(page)).toEqual([])
  })
})
