import { expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { axe } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { describeWith } from '../support/skippable.ts'
import { workOff } from '../support/work-off.ts'

const PASSWORD = 'a long enough password'
const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 10, minute)).toISOString()
const LOG = `Compile Combat.cpp
Editor: seat 12 is not available for this floating client
Source\\Game\\Combat.cpp(540): error C2065: 'Damage': undeclared identifier
`
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } }],
  changes: [
    {
      key: 'c',
      project: 'star',
      identifier: '100',
      source_type: 'Changelist',
      author: 'Kim',
      description: 'Rework the damage',
      timestamp: at(2),
      branches: ['//star/main'],
      files: [{ path: '//star/main/Source/Game/Combat.cpp', action: 'edit' }],
    },
  ],
  build_runs: [
    {
      key: 'red',
      project: 'star',
      status: 'failed',
      ci_job_name: 'night',
      build_number: '2',
      branch: '//star/main',
      changelist: '100',
      created_at: at(3),
      started_at: at(3),
      finished_at: at(4),
      output_log: LOG,
    },
  ],
}

describeWith('chromium')('corrections in a browser', () => {
  const { studio, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const work = () => workOff(studio(), 'investigate')

  test('a person corrects the line and the category, clears a change, and undoes it', async () => {
    const { page } = tab()
    const build = (studio().world.build_runs.red as { id: number }).id
    await tab().go(`/projects/${studio().world.projects.star!.id}/builds/${build}`)
    await page.getByRole('button', { name: 'Investigate' }).click()
    await page.getByRole('heading', { name: 'Investigating…' }).waitFor()
    await work()
    await page.getByText('Compile error').first().waitFor()

    await page.getByRole('button', { name: 'Not the cause' }).click()
    await page.getByRole('button', { name: 'Clear change' }).click()
    await page.getByText('Change cleared. Investigating again.').waitFor()
    await work()
    await page.getByText('Corrected by Lead').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Not the cause' }).count()).toBe(0)

    await page.locator('[data-line="2"] a').first().click()
    await page.getByRole('button', { name: 'Correct', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Correct this finding' })
    expect(await dialog.getByLabel('Log line').inputValue()).toBe('2')
    await dialog.getByLabel('Category').selectOption('license_seat')
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save correction' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await work()
    await page.getByRole('button', { name: /line 2.*seat 12/ }).waitFor()

    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Undo correction' }).click()
    await page.getByText('Correction undone').waitFor()
    await work()
    await page.getByRole('button', { name: 'Not the cause' }).waitFor()
    await expect.poll(() => page.getByText('Corrected by').count()).toBe(0)
    expect(await axe(page)).toEqual([])
  })

  test('a person corrects a breakage on its own page', async () => {
    const { page } = tab()
    const project = studio().world.projects.star!.id as number
    const { id } = (await studio().db.one<{ id: number }>(sql`select id from breakages where project_id = ${project}`))!
    await tab().go(`/projects/${project}/breakages/${id}`)
    await page.getByRole('button', { name: 'Correct', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Correct this finding' })
    await expect.poll(() => dialog.getByLabel('Log line').count()).toBe(0)
    await dialog.getByLabel('Category').selectOption('license_seat')
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save correction' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await studio().db.rows(sql`select category from corrections where undone_at is null`)).toEqual([
      { category: 'license_seat' },
    ])
  })
})
