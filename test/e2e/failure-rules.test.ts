import { expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { axe, openTab, signInAs } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { runInvestigation } from '../support/run-investigation.ts'
import { describeWith } from '../support/skippable.ts'

const PASSWORD = 'a long enough password'
const LOG = 'baking 12 maps\nBAKE-17 Maps/Sky.map: no lightmap\n  hint: rebuild\nexit 3\n'
const person = (key: string, role: string) => ({
  key,
  email: `${key}@example.com`,
  name: key,
  password: PASSWORD,
  accounts: { owl: role },
})
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true, credits: 5 }],
  users: [person('lead', 'owner'), person('artist', 'member')],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } }],
  build_runs: ['1', '2'].map((key) => ({
    key,
    project: 'star',
    ci_job_name: 'night',
    build_number: key,
    status: 'failed',
    output_log: LOG,
  })),
}

describeWith('chromium')('failure rules in a browser', () => {
  const { studio, browser, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const project = () => `/projects/${studio().world.projects.star!.id}`

  /** Requests an investigation on the build's page and runs the job. */
  async function investigate(build: string) {
    await tab().go(`${project()}/builds/${(studio().world.build_runs[build] as { id: number }).id}`)
    await tab().page.getByRole('button', { name: 'Investigate' }).click()
    await tab().page.getByText('Investigating…').waitFor()
    const { id } = (await studio().service.db.one<{ id: number }>(sql`select id from investigations order by id desc limit 1`))!
    await runInvestigation(studio().service.db, id)
    await tab().page.getByRole('heading', { name: 'Diagnosis' }).waitFor()
  }

  const trial = () => tab().page.getByRole('region', { name: 'Test result' })
  const save = (name: string) => tab().page.getByRole('button', { name }).click()

  test('a rule is tried, refused while it is invalid, added, and explains the next failed build', async () => {
    const { page } = tab()
    await investigate('1')
    await expect.poll(() => page.getByText('no lightmap').count()).toBeGreaterThan(0)
    await expect.poll(() => page.getByText('Suggested fix: Bake Maps/Sky.map again.').count()).toBe(0)

    await tab().go(`${project()}/settings`)
    await page.getByText('No failure rules yet.').waitFor()
    await page.getByRole('button', { name: 'New rule' }).click()
    await page.getByLabel('ID', { exact: true }).fill('baker.missing-lightmap')
    await page.getByLabel('Tool').fill('Baker')
    await page.getByLabel('Category').selectOption('cook_asset_error')
    await page.getByLabel('Required text').fill('BAKE-')
    await page.getByLabel('Suggested fix').fill('Bake {file} again.')
    await page.getByLabel('Log excerpt').fill(LOG)

    await page.getByLabel('Pattern').fill('^BAKE-(?=1)')
    await page.getByRole('button', { name: 'Test rule' }).click()
    await page.getByRole('alert').getByText('match must not look ahead or behind').waitFor()
    await page.getByLabel('Pattern').fill('^BAKE-(')
    await save('Add failure rule')
    await page.getByRole('alert').getByText('match is no regular expression').waitFor()
    await page.getByLabel('Pattern').fill('^BOIL-')
    await save('Add failure rule')
    await page.getByRole('alert').getByText('The rule must match a line of the excerpt').waitFor()

    await page.getByLabel('Pattern').fill('^BAKE-\\d+ (?<file>\\S+): (?<msg>.*)')
    await page.getByRole('button', { name: 'Test rule' }).click()
    await trial().getByText('line 2').waitFor()
    await trial().getByText('by this rule').waitFor()
    await trial().getByText('Bake Maps/Sky.map again.').waitFor()
    expect(await axe(page)).toEqual([])
    await save('Add failure rule')
    await page.getByText('Rule added').waitFor()
    await page.getByText('baker.missing-lightmap').waitFor()

    await investigate('2')
    await page.getByText('Asset cook error', { exact: false }).first().waitFor()
    await page.getByText('Bake Maps/Sky.map again.').waitFor()
    await page.getByRole('button', { name: /^line 2/ }).waitFor()
  })

  test('is edited with its content, kept while typing, and removed', async () => {
    const { page } = tab()
    await tab().go(`${project()}/settings`)
    await page.getByRole('button', { name: 'Edit baker.missing-lightmap' }).click()
    expect(await page.getByLabel('Log excerpt').inputValue()).toBe(LOG)
    await page.getByLabel('Category').selectOption('license_seat')
    await page.reload()
    await page.getByRole('button', { name: 'Edit baker.missing-lightmap' }).click()
    expect(await page.getByLabel('Category').inputValue()).toBe('license_seat')
    await save('Save failure rule')
    await page.getByText('Rule saved').waitFor()
    await page.getByText('license seat', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('No failure rules yet.').waitFor()
  })

  test('can be written only by owners of the account', async () => {
    const other = await openTab(browser(), studio().service.site)
    await signInAs(other, 'artist@example.com', PASSWORD)
    await other.go(`${project()}/settings`)
    await other.page.getByText('Only owners of the account can change them.').waitFor()
    expect(await other.page.getByRole('button', { name: 'New rule' }).isDisabled()).toBe(true)
    await other.context.close()
    // The two refusals of the first test are the only errors: a browser logs every response above 399.
    expect(tab().complaints.filter((text) => !text.includes('422'))).toEqual([])
  })
})
