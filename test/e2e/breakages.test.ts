import { expect, test } from 'vitest'
import { axe } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { png } from '../support/files/pictures.ts'
import { describeWith } from '../support/skippable.ts'

const PASSWORD = 'a long enough password'
const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 10, minute)).toISOString()
const person = (key: string, name: string) => ({
  key,
  email: `${key}@example.com`,
  name,
  password: PASSWORD,
  accounts: { owl: 'owner' },
})
const build = (key: string, job: string, minute: number) => ({
  key,
  project: 'star',
  status: 'failed',
  ci_job_name: job,
  build_number: key,
  branch: 'main',
  changelist: '100',
  created_at: at(minute),
})
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
  users: [person('lead', 'Lead'), person('ann', 'Ann Artist')],
  projects: [
    { key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } },
    { key: 'bare', account: 'owl', name: 'Nothing Yet', members: { lead: 'owner' } },
  ],
  changes: [
    {
      key: 'c',
      project: 'star',
      identifier: '100',
      source_type: 'Changelist',
      author: 'Kim',
      description: 'Rework the damage',
      timestamp: at(2),
    },
  ],
  build_runs: [build('1', 'Cook', 3), build('2', 'Editor', 4), build('3', 'Cook', 5)],
  breakages: [
    {
      key: 'damage',
      project: 'star',
      builds: ['1', '2'],
      jobs: ['Cook', 'Editor'],
      branch: 'main',
      category: 'compile_error',
      confidence: 'high',
      cause: 'Damage is not declared.',
      suggested_fix: 'Declare it.',
      evidence: [{ line: 7, text: "Combat.cpp(540): error C2065: 'Damage': undeclared identifier" }],
      suspects: [{ change: 'c', reasons: ['changed the file that fails'] }],
      first_bad_change: 'c',
      opened_at: at(3),
    },
    { key: 'old', project: 'star', builds: ['3'], jobs: ['Cook'], state: 'fixed', cause: 'The disk was full.', opened_at: at(1) },
  ],
}

describeWith('chromium')('breakages in a browser', () => {
  const { studio, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const project = (key: string) => `/projects/${studio().world.projects[key]!.id}`
  const history = () => tab().page.getByRole('list', { name: 'History' })

  test('are listed without fixed ones, by state in the URL', async () => {
    const { page } = tab()
    await tab().go(`${project('star')}/breakages`)
    const list = page.getByRole('list', { name: 'Breakages' })
    await list.getByText('Cook, Editor on main').waitFor()
    await expect.poll(() => list.getByText('The disk was full.').count()).toBe(0)
    await page.getByLabel('State').selectOption('Fixed')
    await list.getByText('The disk was full.').waitFor()
    expect(page.url()).toContain('state=fixed')
    await page.getByLabel('Owner').selectOption('Mine')
    await page.getByText('No matching breakages').waitFor()
    await page.getByRole('button', { name: 'Show unfixed breakages' }).click()
    await list.getByText('Cook, Editor on main').waitFor()
  })

  test('are first on the overview, next to their builds and on their pages', async () => {
    const { page } = tab()
    await tab().go(project('star'))
    const list = page.getByRole('list', { name: 'Breakages' })
    await list.getByRole('link', { name: 'Kim' }).waitFor()
    await expect.poll(() => list.getByText('The disk was full.').count()).toBe(0)
    await tab().go(`${project('star')}/builds`)
    await page.getByRole('link', { name: 'Damage is not declared.' }).first().waitFor()
    await page.getByRole('link', { name: 'Cook #1' }).click()
    await page.getByRole('link', { name: /^Breakage #/ }).click()
    await page.getByRole('heading', { name: /error C2065/ }).waitFor()
  })

  test('show where to enable investigations if there never was any', async () => {
    const { page } = tab()
    await tab().go(`${project('bare')}/breakages`)
    await page.getByText('No breakages yet').waitFor()
    await page.getByRole('link', { name: 'Investigation settings' }).click()
    await page.getByRole('heading', { name: 'Project settings' }).waitFor()
  })

  test('are claimed, commented, muted, resolved and turned into a task', async () => {
    const { page } = tab()
    await tab().go(`${project('star')}/breakages`)
    await page.getByRole('link', { name: /error C2065/ }).click()
    await page.getByRole('heading', { name: /error C2065/ }).waitFor()
    await page.getByText('Declare it.').waitFor()
    await expect.poll(() => page.getByRole('link', { name: /^#[12]/ }).count()).toBe(2)
    expect(await axe(page)).toEqual([])

    await page.getByRole('button', { name: 'Claim' }).click()
    await history().getByText('Lead claimed it').waitFor()
    await page.getByRole('button', { name: 'Release' }).click()
    await history().getByText('Lead released it').waitFor()
    await page.getByLabel('Assign to').selectOption('Ann Artist')
    await history().getByText('Lead assigned it to Ann Artist').waitFor()

    await page.getByLabel('New comment').fill('Waiting for the engine team')
    await page.getByLabel('Attach files').setInputFiles([
      { name: 'shot.png', mimeType: 'image/png', buffer: png() },
      { name: 'evil.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg onload="alert(1)"/>') },
    ])
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    const comments = page.getByRole('list', { name: 'Comments' })
    await comments.getByText('Waiting for the engine team').waitFor()
    const picture = comments.getByRole('img', { name: 'shot.png' })
    await expect.poll(() => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(3)
    await comments.getByRole('link', { name: 'evil.svg (24 B)' }).waitFor()
    await expect.poll(() => page.getByLabel('New comment').inputValue()).toBe('')
    expect(await page.getByRole('list', { name: 'Files to attach' }).count()).toBe(0)
    expect(await axe(page)).toEqual([])

    await page.getByRole('button', { name: /Mute/ }).click()
    await page.getByRole('button', { name: 'Until it is fixed' }).click()
    await history().getByText('Lead muted it until it is fixed').waitFor()
    await page.getByRole('button', { name: 'Unmute' }).click()
    await page.getByRole('button', { name: 'Resolve' }).click()
    await history().getByText('Lead marked it as fixed').waitFor()
    await page.getByRole('button', { name: 'Reopen' }).click()
    await history().getByText('Lead reopened it').waitFor()

    await page.getByRole('button', { name: 'Create task' }).click()
    await history().getByText('Lead created').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Create task' }).count()).toBe(0)
    await history()
      .getByRole('link', { name: /Fix Cook, Editor on main/ })
      .click()
    await page.getByRole('heading', { name: /Fix Cook, Editor on main/ }).waitFor()
    expect(tab().complaints).toEqual([])
  })

  test('are claimed and muted by the links of a chat message, after a confirmation', async () => {
    const { page } = tab()
    const path = `${project('star')}/breakages/${studio().world.breakages!.damage!.id}`
    await tab().go(`${path}?do=claim`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('error C2065').waitFor()
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Claim' }).click()
    await page.getByText('Breakage claimed').waitFor()
    await expect.poll(() => page.url()).not.toContain('do=')
    await tab().go(`${path}?do=claim`)
    await dialog.getByText('You already own this breakage.').waitFor()
    await tab().go(`${path}?do=mute`)
    await dialog.getByRole('button', { name: '1 day' }).click()
    await page.getByText('Muted until').waitFor()
    await tab().go(`${project('star')}/breakages/${studio().world.breakages!.old!.id}?do=mute`)
    await dialog.getByText('This breakage is already fixed.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await dialog.waitFor({ state: 'detached' })
    expect(tab().complaints).toEqual([])
  })

  test('are found and claimed with the palette', async () => {
    const { page } = tab()
    const choose = async (words: string, name: RegExp) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or go to' }).fill(words)
      await page.getByRole('option', { name }).click()
    }
    await tab().go(`${project('bare')}/builds`)
    await page.getByRole('heading', { name: 'Builds' }).waitFor()
    await choose('disk', /^breakage The disk was full/)
    await page.getByRole('button', { name: 'Reopen' }).click()
    await page.getByRole('button', { name: 'Claim' }).waitFor()
    await choose('claim disk', /^Claim The disk was full/)
    await history().getByText('Lead claimed it').waitFor()
    expect(tab().complaints).toEqual([])
  })
})
