import { expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import type { RecordKey } from '../../src/db/project-key.ts'
import { append } from '../../src/domain/builds/logs.ts'
import { edit as editPlaces } from '../../src/domain/integrations/places.ts'
import { axe, urlsOf } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { runInvestigation } from '../support/run-investigation.ts'
import { json, openJenkins } from '../support/servers/jenkins.ts'
import { describeWith } from '../support/skippable.ts'

const PASSWORD = 'a long enough password'
const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 10, minute)).toISOString()
const LONG = Array.from({ length: 4_000 }, (_, i) =>
  i === 3_000
    ? "Source\\Game\\Combat.cpp(540): error C2065: 'Damage': undeclared identifier"
    : i === 2_000
      ? `${'-'.repeat(1_500)} far to the right`
      : `[${i}] Compile Module.Gameplay.${i}.cpp`,
).join('\n')
/** Artifacts, more than a page. */
const REPORTED = 220
const ESC = '\u001b'
const PRINTED = [
  '2026-10-01T10:00:00Z ##[group]Check out',
  '2026-10-01T10:00:01Z fetched',
  '2026-10-01T10:00:02Z ##[endgroup]',
  '2026-10-01T10:00:03Z ##[group]Compile',
  '10 %\r100 %',
  `${ESC}]0;title\u0007${ESC}]8;;https://evil.example${ESC}\\hidden${ESC}]8;;${ESC}\\ https://ci.example/42`,
  'a\u202e b <img src=x onerror="document.title=1">',
  `${ESC}[31merror:${ESC}[0m broken by CL 100`,
  '##[endgroup]',
  `${'x'.repeat(3_000)}!`,
].join('\n')
/** The second section has no errors, so it is collapsed; its first line is the title. */
const FOLDED = [
  ...Array.from(
    { length: 999 },
    (_, i) => `line ${i + 1} ${i % 10 === 0 ? 'is long enough to be wrapped where there is little room' : ''}`,
  ),
  '##[group]Package',
  ...Array.from({ length: 500 }, (_, i) => `packed ${i}`),
  '##[endgroup]',
  'error: broken in the end',
].join('\n')
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
      file_url: 'https://depot.example/{path}@100#{line}',
    },
  ],
  build_runs: [
    build('1', 1, { status: 'completed' }),
    build('2', 3, { status: 'failed', changelist: '100', url: 'https://ci.example/night/2', output_log: LONG }),
    build('3', 5, { status: 'failed', output_log: 'error: other\n', artifacts: [{ name: 'Other.pak' }] }),
    build('8', 6, {
      status: 'completed',
      artifacts: Array.from({ length: REPORTED }, (_, i) => ({ name: `Part-${i + 1}.pak` })),
    }),
    build('4', 7, { status: 'failed', changelist: '100', output_log: PRINTED }),
    build('6', 8, { status: 'failed', changelist: '100', output_log: FOLDED }),
    build('7', 8, { status: 'failed', output_log: 'error: alone\n' }),
    build('5', 9, { status: 'building', finished_at: null, output_log: 'first\nsecond\n' }),
  ],
}

describeWith('chromium')('a failed build in a browser', () => {
  const { studio, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const go = (key: string) =>
    tab().go(`/projects/${studio().world.projects.star!.id}/builds/${(studio().world.build_runs[key] as { id: number }).id}`)

  test('renders a part of a long log, finds words in it and jumps to the error', async () => {
    const { page } = tab()
    await go('2')
    await page.getByRole('region', { name: 'Log' }).waitFor()
    await expect.poll(() => page.locator('[data-line]').count()).toBeLessThan(200)
    await page.keyboard.press('/')
    await page.keyboard.type('gameplay.1234')
    await page.keyboard.press('Enter')
    await page.locator('[data-line="1235"] mark').waitFor()
    await page.getByRole('button', { name: /Jump to error/ }).click()
    await page.getByText("error C2065: 'Damage'").waitFor()
    expect(await axe(page)).toEqual([])
  })

  test('shows the line that e and a search go to, wherever the page is scrolled', async () => {
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

  test('asks its CI to run it again once somebody confirms, and shows the answer', async () => {
    const ci = await openJenkins()
    studio().service.allowedHosts = (host) => host === '127.0.0.1'
    const rebuild = '/v2/organizations/owl/pipelines/Game/builds/12/rebuild'
    ci.answers[rebuild] = json(() => ({ number: 13 }))
    const project = String(studio().world.projects.star!.id)
    const config = { server: `${ci.url}/v2/organizations/owl`, api_token: 'secret', start_parameters: 'PLATFORM=Win64|PS5, NOTE' }
    const { build_runs } = await studio().load({
      integrations: [{ key: 'ci', project, provider: 'buildkite', config }],
      build_runs: [build('12', 11, { project, integration: 'ci', ci_job_name: 'Game', status: 'failed' })],
    })
    const { page } = tab()
    await tab().go(`/projects/${project}/builds/${build_runs!['12']!.id}`)
    await page.getByRole('button', { name: 'Retry' }).click()
    expect(ci.calls).toEqual([])
    expect(await axe(page)).toEqual([])
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click()
    await page.getByText('The CI runs this build again.').waitFor()
    expect(ci.calls).toEqual([`PUT ${rebuild}`])
    await expect.poll(() => page.getByRole('button', { name: 'Stop' }).count()).toBe(0)

    const builds = '/v2/organizations/owl/pipelines/Game/builds'
    ci.answers[builds] = json(() => ({ number: 14 }))
    await page.getByRole('button', { name: 'Build newest' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('PLATFORM').selectOption('PS5')
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Build newest' }).click()
    await page.getByText('The CI builds the newest state of the branch.').waitFor()
    // The field that stayed empty is left to the job.
    expect(JSON.parse(ci.bodies.at(-1)!)).toMatchObject({ env: { PLATFORM: 'PS5' } })
    ci.close()
  })

  test('offers no request to the CI of a job that nobody allows its credential for', async () => {
    studio().service.allowedHosts = (host) => host === '127.0.0.1'
    const project = String(studio().world.projects.star!.id)
    const config = { server: 'http://127.0.0.1:1/v2/organizations/owl', api_token: 'secret' }
    const { integrations, build_runs } = await studio().load({
      integrations: [{ key: 'ci', project, provider: 'buildkite', config }],
      build_runs: ['Game', 'Secret'].map((ci_job_name, at) =>
        build(ci_job_name, 12 + at, { project, integration: 'ci', ci_job_name, status: 'failed', url: 'https://ci.example/7' }),
      ),
    })
    const key = { account_id: Number(studio().world.accounts.owl!.id), id: Number(integrations!.ci!.id) }
    await editPlaces(studio().db, key, { every_place: false, confirm: ['Game'] })
    const { page } = tab()
    const retry = page.getByRole('button', { name: 'Retry' })
    await tab().go(`/projects/${project}/builds/${build_runs!.Game!.id}`)
    await retry.waitFor()
    await tab().go(`/projects/${project}/builds/${build_runs!.Secret!.id}`)
    await page.getByText('Secret').first().waitFor()
    // It comes with what the CI can be asked for.
    await page.getByRole('link', { name: 'Open in CI' }).waitFor()
    for (const name of ['Retry', 'Stop', 'Build newest']) expect(await page.getByRole('button', { name }).count(), name).toBe(0)
  })

  test('shows all artifacts of a build page by page, and those of no other build', async () => {
    const { page } = tab()
    await go('8')
    const names = page.getByRole('list', { name: 'Artifacts' }).getByRole('listitem')
    const more = page.getByRole('button', { name: 'Show more artifacts' })
    await more.waitFor()
    expect(await names.count()).toBeLessThan(REPORTED)
    // The button goes with the last page.
    while ((await more.count()) > 0) {
      const shown = await names.count()
      await more.click()
      await expect.poll(() => names.count()).toBeGreaterThan(shown)
    }
    expect(await names.count()).toBe(REPORTED)
    expect(await names.first().innerText()).toContain('Part-1.pak')
    expect(await names.last().innerText()).toContain(`Part-${REPORTED}.pak`)
    expect(await page.getByText('Other.pak').count()).toBe(0)
    expect(await axe(page)).toEqual([])
  })

  test('shows what a terminal showed, in sections, with links to known records', async () => {
    const { page } = tab()
    const line = (n: number) => page.locator(`[data-line="${n}"]`)
    await go('4')
    await line(8).waitFor()
    // Sections without errors are collapsed.
    await expect.poll(() => line(2).count()).toBe(0)
    const texts = await Promise.all([5, 6, 7].map((n) => line(n).innerText()))
    expect(texts.map((text) => text.replace(/^\d+\s*/, ''))).toEqual([
      '100 %',
      'hidden https://ci.example/42',
      'a� b <img src=x onerror="document.title=1">',
    ])
    expect(await line(6).getByRole('link').last().getAttribute('href')).toBe('https://ci.example/42')
    const colorOf = (text: string) =>
      line(8)
        .getByText(text)
        .evaluate((element) => getComputedStyle(element).color)
    expect(await colorOf('error:')).not.toBe(await colorOf('broken by'))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await axe(page), colorScheme).toEqual([])
    }
    await page.getByRole('button', { name: 'Check out: 2 lines' }).click()
    await line(2).waitFor()
    const gaps = () =>
      page.locator('[data-line]').evaluateAll((rows) =>
        rows
          .map((row) => row.getBoundingClientRect())
          .flatMap(({ top }, i, all) => (i === 0 ? [] : [Math.round(10 * (top - all[i - 1]!.bottom)) / 10]))
          .filter((gap) => gap !== 0),
      )
    await expect.poll(gaps).toEqual([])
    await page.getByRole('button', { name: 'Times' }).click()
    expect(await line(2).innerText()).not.toContain('2026')
    await page.getByRole('button', { name: 'Wrap' }).click()
    await expect.poll(() => line(10).evaluate((element) => element.scrollHeight <= element.clientHeight)).toBe(true)
    await expect.poll(async () => (await line(10).boundingBox())!.height).toBeGreaterThan(100)
    expect(await gaps()).toEqual([])
    await page.getByRole('button', { name: 'Wrap' }).click()
    await line(8).getByRole('link', { name: 'CL 100' }).click()
    await page.getByRole('heading', { name: 'Rework the damage' }).waitFor()
    expect(tab().complaints).toEqual([])
  })

  test('has a URL for a range of lines, expanding what hides them', async () => {
    const { page } = tab()
    await go('4')
    await page.getByLabel('Line 5').click()
    await page.getByLabel('Line 7').click({ modifiers: ['Shift'] })
    await page.waitForURL(/#L5-L7$/)
    await page.getByRole('button', { name: 'Copy L5-L7' }).waitFor()
    await page.evaluate(() => {
      window.location.hash = '#L2'
    })
    await page.locator('[data-line="2"]').waitFor()
  })

  test('opens at the lines of its URL, including those of a collapsed section', async () => {
    const { page } = tab()
    const { id } = studio().world.build_runs['6'] as { id: number }
    const lines = page.locator('[data-line]')
    const inSight = (line: number) =>
      page.locator(`[data-line="${line}"]`).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        return top >= 0 && bottom <= window.innerHeight
      })
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await tab().go(`/projects/${studio().world.projects.star!.id}/builds/${id}#L1000-L1010`)
      await lines.first().waitFor()
      for (const line of [1000, 1001, 1010]) await expect.poll(() => inSight(line), { message: `${line} at ${width}` }).toBe(true)
      await tab().go('/feed')
    }
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('has its log on the first screen if it failed, and at the top while it runs', async () => {
    const { page } = tab()
    const topOf = async (name: string) => (await page.getByRole('heading', { name, exact: true }).boundingBox())!.y
    await go('6')
    await page.getByRole('heading', { name: 'Changes in this build' }).waitFor()
    expect(await topOf('Log')).toBeLessThan(800)
    expect(await topOf('Log')).toBeLessThan(await topOf('Changes in this build'))
    await go('5')
    await page.getByRole('heading', { name: 'Changes in this build' }).waitFor()
    expect(await topOf('Log')).toBeLessThan(300)
  })

  test('is searched by an expression, including one that would never end', async () => {
    const { page } = tab()
    await go('4')
    await page.getByRole('button', { name: 'Regular expression' }).click()
    const search = page.getByLabel('Search the log')
    await search.fill('CL \\d{3}$')
    await page.getByText('1 line', { exact: true }).waitFor()
    await search.press('Enter')
    await page.locator('mark', { hasText: 'CL 100' }).waitFor()
    await search.fill('(x+x+)+y')
    await page.getByText('takes too long').waitFor()
    await search.fill('(')
    await page.getByText('invalid expression').waitFor()
  })

  test('does not shift while its parts are loading', async () => {
    const { page } = tab()
    // The content of the page arrives after its frame.
    await page.route(/\/batch\?/, async (route) => {
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
    await page.unroute(/\/batch\?/)
  })

  test('is investigated with the palette, which also copies its link: diagnosis, evidence in the log, the suspect', async () => {
    const { page } = tab()
    await go('2')
    await page.getByRole('button', { name: 'Investigate' }).waitFor()
    const choose = async (words: string, name: RegExp) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or go to' }).fill(words)
      await page.getByRole('option', { name }).first().click()
    }
    await tab().context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await choose('copy', /^Copy link/)
    await page.getByText('Link copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url())
    await choose('investigate', /^Investigate this build/)
    await page.getByText('Investigating…').waitFor()
    const { id } = (await studio().service.db.one<{ id: number }>(sql`select id from investigations order by id desc limit 1`))!
    await runInvestigation(studio().service.db, id)
    await page.getByRole('heading', { name: 'Diagnosis' }).waitFor()
    const file = page.getByRole('link', { name: 'Source/Game/Combat.cpp:540' })
    expect(await file.getAttribute('href')).toBe('https://depot.example/Source/Game/Combat.cpp@100#540')
    const job = page.getByRole('navigation', { name: 'Builds of this job' })
    await job.getByRole('link', { name: '#4 failed →' }).waitFor()
    expect(await page.getByRole('link', { name: 'Open in CI' }).getAttribute('href')).toBe('https://ci.example/night/2')
    await page.getByRole('button', { name: /^line 3001/ }).click()
    await page.locator('[data-line="3001"]').waitFor()
    const held = page.getByRole('list', { name: 'Changes in this build, newest first' })
    await held.getByRole('link', { name: 'Rework the damage', exact: true }).waitFor()
    await page.getByRole('link', { name: /CL 100.*Rework the damage/ }).click()
    await page.getByRole('heading', { name: 'Rework the damage' }).waitFor()
    expect(tab().complaints).toEqual([])
  })

  test('that is running is followed line by line, and requests only new output', async () => {
    const { page } = tab()
    await go('5')
    const log = page.getByRole('region', { name: 'Log' })
    await log.getByText('second').waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(...urlsOf(request).map((url) => new URL(url).pathname)))
    const { id } = studio().world.build_runs['5'] as { id: number }
    const build = (await studio().db.one<RecordKey>(sql`select account_id, id from build_runs where id = ${id}`))!
    const rest = page.waitForResponse(/\/log\/rest/)
    await append(studio().service.db, build, 'third\n')
    await log.getByText('third').waitFor()
    expect(await (await rest).json()).toEqual({ text: 'third\n', continues: true })
    await append(studio().service.db, build, 'not told within the second')
    await studio().db.execute(sql`update build_runs set progressed_at = now() + interval '1 second' where id = ${id}`)
    await log.getByText('not told').waitFor()
    // The first piece also contains its phase.
    expect(asked.filter((path) => !/\/log\/rest$/.test(path)).every((path) => !path.endsWith('/log'))).toBe(true)
    expect(asked.filter((path) => /\/log\/rest$/.test(path))).toHaveLength(2)
    expect(asked.filter((path) => /\/build_runs\/\d+$/.test(path))).toHaveLength(1)
    await studio().db.execute(sql`update build_runs set lost_at = now() where id = ${id}`)
    const lost = page.getByText('this build stopped reporting')
    await lost.waitFor()
    await page.getByText('Lost', { exact: true }).first().waitFor()
    await append(studio().service.db, build, 'back again\n')
    await lost.waitFor({ state: 'detached' })
    await studio().db.execute(
      sql`update build_runs set status = 'completed', finished_at = now(), updated_at = now() where id = ${id}`,
    )
    await page.getByText('Passed', { exact: true }).first().waitFor()
  })

  test('has no suspect without evidence against a change', async () => {
    const { page } = tab()
    const suspects = [
      { change_id: (studio().world.changes.c as { id: number }).id, user_id: null, score: 0.1, reasons: [], reason_codes: [] },
    ]
    await studio().service.db.execute(sql`
      insert into investigations (account_id, build_run_id, status, diagnosis, category, confidence, suspects, finished_at)
      select account_id, id, 'completed', 'It failed', 'unknown', 'low', ${JSON.stringify(suspects)}::jsonb, now()
      from build_runs where id = ${(studio().world.build_runs['7'] as { id: number }).id}`)
    await go('7')
    await page.getByText('None. No change has clear evidence against it.').waitFor()
    await expect.poll(() => page.getByText('Rework the damage').count()).toBe(0)
    await page.getByRole('button', { name: '1 other change in the range' }).click()
    await page.getByRole('link', { name: /CL 100.*Rework the damage/ }).waitFor()
  })

  test('shows that there is no credit left', async () => {
    const { page } = tab()
    await go('3')
    await page.getByRole('button', { name: 'Investigate' }).click()
    await page.getByRole('alert').getByText('no credits left').waitFor()
    await expect.poll(() => page.getByRole('alert').getByRole('link', { name: 'Billing' }).count()).toBe(0)
  })
})
