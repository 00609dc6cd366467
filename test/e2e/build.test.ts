import { describe, expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { run } from '../../src/domain/builds/run-investigation.ts'
import { axe, hasBrowser } from '../support/browser.ts'
import { openVisit } from '../support/visit.ts'

const PASSWORD = 'a long enough password'
const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 10, minute)).toISOString()
const LONG = Array.from({ length: 4_000 }, (_, i) =>
  i === 3_000
    ? "Source\\Game\\Combat.cpp(540): error C2065: 'Damage': undeclared identifier"
    : i === 2_000
      ? `${'-'.repeat(1_500)} far to the right`
      : `[${i}] Compile Module.Gameplay.${i}.cpp`,
).join('\n')
const build = (key: string, minute: number, more: object) => ({
  key,
  project: 'star',
  ci_job_name: 'night',
  build_number: key,
  branch: 'main',
  created_at: at(minute),
  started_at: at(minute),
  finished_at: at(minute + 1),
  ...more,
})
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true, credits: 1 }],
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
      files: [{ path: '//star/main/Source/Game/Combat.cpp', action: 'edit' }],
    },
  ],
  build_runs: [
    build('1', 1, { status: 'completed' }),
    build('2', 3, { status: 'failed', changelist: '100', output_log: LONG }),
    build('3', 5, { status: 'failed', output_log: 'error: other\n' }),
  ],
}

describe.runIf(hasBrowser)('a failed build in a browser', () => {
  const { studio, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const go = (key: string) =>
    tab().go(`/projects/${studio().world.projects.star!.id}/builds/${(studio().world.build_runs[key] as { id: number }).id}`)

  test('draws a part of a long log, finds words in it and jumps to the error', async () => {
    const { page } = tab()
    await go('2')
    await page.getByRole('region', { name: 'Log' }).waitFor()
    expect(await page.locator('[data-line]').count()).toBeLessThan(200)
    await page.keyboard.press('/')
    await page.keyboard.type('gameplay.1234')
    await page.keyboard.press('Enter')
    await page.locator('[data-line="1235"] mark').waitFor()
    await page.getByRole('button', { name: /Jump to error/ }).click()
    await page.getByText("error C2065: 'Damage'").waitFor()
    expect(await axe(page)).toEqual([])
  })

  test('shows the line that e and a search go to, wherever the page stands', async () => {
    const { page } = tab()
    const inSight = (line: number) =>
      page.locator(`[data-line="${line}"]`).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        return top >= 0 && bottom <= window.innerHeight
      })
    await page.setViewportSize({ width: 1280, height: 420 })
    await go('2')
    await page.locator('[data-line="3001"]').waitFor()
    await page.evaluate(() => window.scrollTo(0, 0))
    expect(await inSight(3001)).toBe(false)
    await page.keyboard.press('e')
    await expect.poll(() => inSight(3001)).toBe(true)
    await page.evaluate(() => window.scrollTo(0, 0))
    await page.keyboard.press('/')
    await page.keyboard.type('far to the right')
    await page.keyboard.press('Enter')
    const mark = page.locator('[data-line="2001"] mark')
    await mark.waitFor()
    await expect.poll(() => inSight(2001)).toBe(true)
    await expect.poll(() => mark.evaluate((element) => element.getBoundingClientRect().right <= window.innerWidth)).toBe(true)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('stands still while its parts arrive', async () => {
    const { page } = tab()
    // What stands above the log comes last.
    await page.route(/\/changes$/, async (route) => {
      const answer = await route.fetch()
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)))
      await route.fulfill({ response: answer })
    })
    await page.addInitScript(() => {
      const seen = window as unknown as { shifted: number }
      seen.shifted = 0
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) seen.shifted += (entry as unknown as { value: number }).value
      }).observe({ type: 'layout-shift', buffered: true })
    })
    await go('2')
    await page.locator('[data-line="3001"]').waitFor()
    await page.getByRole('list', { name: 'Changes in this build, newest first' }).waitFor()
    expect(await page.evaluate(() => (window as unknown as { shifted: number }).shifted)).toBeLessThan(0.05)
    await page.unroute(/\/changes$/)
  })

  test('is investigated: diagnosis, evidence in the log, the change that did it', async () => {
    const { page } = tab()
    await go('2')
    await page.getByRole('button', { name: 'Investigate' }).click()
    await page.getByText('Investigating…').waitFor()
    const { id } = (await studio().service.db.one<{ id: number }>(sql`select id from investigations order by id desc limit 1`))!
    await run(studio().service.db, id)
    await page.getByRole('heading', { name: 'Diagnosis' }).waitFor()
    await page.getByRole('button', { name: /^line 3001/ }).click()
    await page.locator('[data-line="3001"]').waitFor()
    const held = page.getByRole('list', { name: 'Changes in this build, newest first' })
    await held.getByRole('link', { name: 'Rework the damage', exact: true }).waitFor()
    await page.getByRole('link', { name: /CL 100.*Rework the damage/ }).click()
    await page.getByRole('heading', { name: 'Rework the damage' }).waitFor()
    expect(tab().complaints).toEqual([])
  })

  test('says so when there is no credit left', async () => {
    const { page } = tab()
    await go('3')
    await page.getByRole('button', { name: 'Investigate' }).click()
    await page.getByRole('alert').getByText('no credits left').waitFor()
    expect(await page.getByRole('alert').getByRole('link', { name: 'Billing' }).count()).toBe(1)
  })
})
