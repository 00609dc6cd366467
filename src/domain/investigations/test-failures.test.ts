import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { type BreakageRoom, breakageRoom, brokenLog, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())
const room = () => breakageRoom(studio)
const user = (key: string) => studio.world.users![key]!.id as number

/** Passes at change 3, then fails at 5, whose change by Ann has the file of the test. */
async function regression({ report, tests, work }: BreakageRoom) {
  await report({ number: 3, status: 'success' })
  await tests({ number: 3 }, { 'part5.walks': '', 'part9.jumps': '' })
  await work()
}
const BROKEN = { 'part5.walks': 'speed is 0', 'part9.jumps': '' }

describe('a failed test is named as the cause, with the change that touches its file', () => {
  const expectWalks = async ({ breakages }: BreakageRoom) => {
    const open = (await breakages()).filter(({ state }) => state === 'open')
    expect(open).toMatchObject([
      { category: 'test_failure', confidence: 'high', cause: expect.stringContaining('part5.walks: speed is 0'), build_count: 1 },
    ])
    expect(open[0]!.evidence[0]).toEqual({ line: 0, text: 'part5.walks: speed is 0' })
    expect(open[0]!.suspects[0]).toMatchObject({ user_id: user('ann') })
  }

  test('when the results arrive before the build', async () => {
    const on = await room()
    await regression(on)
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    await on.report({ number: 5 })
    await on.work()
    await expectWalks(on)
  })

  test('when they arrive after the build, without waiting for a log', async () => {
    const on = await room()
    await regression(on)
    const build = await on.report({ number: 5 })
    await on.tests({ number: 5 }, BROKEN)
    const delays = () =>
      studio.db.rows(sql`select kind from jobs where state = 'waiting' and kind in ('judge_tests', 'investigate_failure')`)
    expect(await delays()).toEqual([{ kind: 'judge_tests' }])
    await on.work()
    await expectWalks(on)
    const { json } = await on.api(`/build_runs/${build}`)
    expect(json.investigation).toMatchObject({ status: 'completed', category: 'test_failure' })
  })

  test('when they arrive after the investigation, which said something else', async () => {
    const on = await room()
    await regression(on)
    await on.report({ number: 5 })
    await on.work()
    const [before] = await on.breakages()
    expect(before).toMatchObject({ state: 'open', category: 'unknown' })
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    await expectWalks(on)
    const former = (await on.breakages()).find(({ id }) => id === before!.id)
    expect(former).toMatchObject({ state: 'withdrawn', withdrawn_reason: 'same_as' })
  })

  test('and in the same breakage as before if the log had named a test too', async () => {
    const on = await room()
    await regression(on)
    await on.report({ number: 5, log: '[ RUN      ] part5.walks\n[  FAILED  ] part5.walks (3 ms)\n1 FAILED TEST\n' })
    await on.work()
    const before = await on.only()
    expect(before.category).toBe('test_failure')
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    expect((await on.only()).id).toBe(before.id)
    await expectWalks(on)
  })
})

test('the next failure of the same test joins the breakage, also in another job', async () => {
  const on = await room()
  await regression(on)
  for (const [job, number] of [
    ['Cook', 5],
    ['Cook', 6],
    ['Pack', 7],
  ] as const) {
    await on.report({ job, number })
    await on.tests({ job, number }, BROKEN)
    await on.work()
  }
  expect((await on.breakages()).filter(({ state }) => state === 'open')).toMatchObject([
    { build_count: 3, jobs: ['Cook', 'Pack'] },
  ])
})

test('a test that broke later than its job has suspects from its own range', async () => {
  const on = await room()
  await on.report({ number: 2, status: 'success' })
  await on.tests({ number: 2 }, { 'part5.walks': '', 'part9.jumps': '' })
  await on.report({ number: 4 })
  await on.tests({ number: 4 }, { 'part5.walks': '', 'part9.jumps': 'fell' })
  await on.work()
  await on.report({ number: 6 })
  await on.tests({ number: 6 }, { 'part5.walks': 'speed is 0', 'part9.jumps': '' })
  await on.work()
  const walks = (await on.breakages()).find(({ cause }) => cause.includes('walks'))!
  expect(walks.suspects.map(({ change_id }) => change_id).sort()).toEqual([on.change(5), on.change(6)].sort())
})

test('400 failures of three causes are one breakage that counts the others', async () => {
  const on = await room()
  await regression(on)
  await on.report({ number: 5 })
  const messages = ['Timed out', 'Asset not found', 'Access violation']
  await on.tests(
    { number: 5 },
    Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`case${at}.runs`, `${messages[at % 3]!} at ${at}`])),
  )
  await on.work()
  const { cause } = await on.only()
  expect(cause).toContain('134 tests failed for the same reason: Timed out at')
  expect(cause).toContain('266 tests failed for 2 other reasons.')
})

test('a flaky test blames nobody, also once a later pass shows that it is one', async () => {
  const on = await room()
  await regression(on)
  await on.report({ number: 5 })
  await on.tests({ number: 5 }, BROKEN)
  await on.work()
  expect((await on.breakages()).find(({ state }) => state === 'open')!.suspects).not.toEqual([])
  // Another build of the same change passes on, and fails for another reason.
  await on.report({ number: 6, at: 5 })
  await on.tests({ number: 6 }, { 'part5.walks': '', 'part9.jumps': 'fell' })
  await on.work()
  const open = (await on.breakages()).filter(({ cause }) => cause.includes('walks'))
  expect(open).toMatchObject([{ suspects: [], cause: expect.stringContaining('Only flaky tests failed.') }])
})

test('a test that turns out to be flaky after its breakage was fixed blames nobody any more', async () => {
  const on = await room()
  await regression(on)
  const build = await on.report({ number: 5 })
  await on.tests({ number: 5 }, BROKEN)
  await on.work()
  const named = async () => (await on.api(`/build_runs/${build}`)).json.investigation
  expect(await named()).toMatchObject({ attributed_user_id: user('ann') })
  await on.report({ number: 7, status: 'success' })
  await on.tests({ number: 7 }, { 'part5.walks': '', 'part9.jumps': '' })
  await on.work()
  expect((await on.only()).state).toBe('fixed')
  // A second attempt passes.
  await on.report({ number: 8, status: 'success' })
  await on.tests({ number: 8 }, BROKEN)
  await on.tests({ number: 8 }, { 'part5.walks': '', 'part9.jumps': '' })
  await on.work()
  expect(await named()).toMatchObject({ attributed_user_id: null, suspects: [] })
})

describe('a test that both failed and passed in one build', () => {
  const [failed, passed] = [
    { 'part5.walks': 'speed is 0', 'part9.jumps': '' },
    { 'part5.walks': '', 'part9.jumps': '' },
  ]
  test.each([
    ['the failure', [failed, passed]],
    ['the pass', [passed, failed]],
  ])('is flaky if %s is reported first, and nobody is suspected', async (_, files) => {
    const on = await room()
    await regression(on)
    const build = await on.report({ number: 5 })
    for (const file of files) await on.tests({ number: 5 }, file)
    await on.work()
    expect((await on.api(`/build_runs/${build}/tests`)).json).toMatchObject({
      failed: 0,
      flaky: 1,
      failures: [{ name: 'walks', outcome: 'flaky' }],
    })
    const { json } = await on.api(`/build_runs/${build}`)
    expect(json.investigation).toMatchObject({ category: 'test_failure', suspects: [], attributed_user_id: null })
    expect(json.investigation.diagnosis).toContain('Only flaky tests failed.')
    expect(await on.only()).toMatchObject({ suspects: [] })
  })
})

describe('tests that fail with the same words', () => {
  const PASSED = { 'part5.walks': '', 'part9.jumps': '', 'part5.swims': '' }
  const broken = async (results: Record<string, string>) => {
    const on = await room()
    await on.report({ number: 3, status: 'success' })
    await on.tests({ number: 3 }, PASSED)
    await on.report({ number: 6 })
    await on.tests({ number: 6 }, { ...PASSED, 'part5.walks': 'Expected 3 but was 4' })
    await on.report({ number: 9 })
    await on.tests({ number: 9 }, { ...PASSED, 'part5.walks': 'Expected 3 but was 4', ...results })
    await on.work()
    return on
  }

  test('in other files have causes of their own, each with its suspects', async () => {
    const on = await broken({ 'part9.jumps': 'Expected 10 but was 2' })
    const open = (await on.breakages()).sort((a, b) => a.cause.localeCompare(b.cause))
    expect(open.map(({ cause }) => cause)).toEqual([
      expect.stringContaining('part5.walks: Expected 3 but was 4'),
      expect.stringContaining('part9.jumps: Expected 10 but was 2'),
    ])
    expect(open.map(({ suspects }) => suspects[0]!.change_id)).toEqual([on.change(5), on.change(9)])
  })

  test('in one file are one cause', async () => {
    const on = await broken({ 'part5.swims': 'Expected 10 but was 2' })
    expect(await on.breakages()).toHaveLength(1)
  })
})

describe('a test that no earlier run had', () => {
  test('is no new failure, and only a change that touches its files is suspected', async () => {
    const on = await room()
    await on.report({ number: 3, status: 'success' })
    await on.tests({ number: 3 }, { 'part9.jumps': '' })
    await on.work()
    for (const number of [4, 5]) {
      const build = await on.report({ number })
      await on.tests({ number }, { 'part9.jumps': '', 'part20.walks': 'speed is 0' })
      await on.work()
      if (number === 4)
        expect((await on.api(`/build_runs/${build}/tests`)).json).toMatchObject({
          new_failures: 0,
          first_run_failures: 1,
          failures: [{ name: 'walks', state: 'first_run' }],
        })
      expect((await on.api(`/build_runs/${build}`)).json.investigation).toMatchObject({ suspects: [], attributed_user_id: null })
    }
    expect(await on.only()).toMatchObject({ suspects: [] })
    const other = await room()
    await other.report({ number: 3, status: 'success' })
    await other.tests({ number: 3 }, { 'part9.jumps': '' })
    await other.report({ number: 6 })
    await other.tests({ number: 6 }, { 'part9.jumps': '', 'part5.walks': 'speed is 0' })
    await other.work()
    expect((await other.only()).suspects.map(({ change_id }) => change_id)).toEqual([other.change(5)])
  })

  test('continues the failing one that it replaces, in its breakage and with its suspects', async () => {
    const on = await room()
    await regression(on)
    await on.report({ number: 5 })
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    const before = await on.only()
    for (const number of [7, 8]) {
      const build = await on.report({ number })
      await on.tests({ number }, { 'part5.walksUphill': 'speed is 0', 'part9.jumps': '' })
      await on.work()
      expect((await on.api(`/build_runs/${build}/tests`)).json).toMatchObject({
        new_failures: 0,
        first_run_failures: 0,
        failures: [{ name: 'walksUphill', state: 'still_failing' }],
      })
      const after = await on.only()
      expect(after).toMatchObject({ id: before.id, state: 'open', suspects: before.suspects })
      const { suspects } = (await on.api(`/build_runs/${build}`)).json.investigation
      expect(suspects.map(({ change_id }: { change_id: number }) => change_id).sort()).toEqual(
        [on.change(4), on.change(5)].sort(),
      )
    }
  })

  test('does not continue one that is only in a file that arrives later', async () => {
    const on = await room()
    await on.report({ number: 3, status: 'success' })
    await on.tests({ number: 3 }, { 'part5.walks': '', 'part9.jumps': '' })
    await on.report({ number: 5 })
    await on.tests({ number: 5 }, BROKEN)
    const build = await on.report({ number: 7 })
    await on.tests({ number: 7 }, { 'part5.runs': 'speed is 0' })
    await on.work()
    await on.tests({ number: 7 }, BROKEN)
    await on.work()
    const { failures } = (await on.api(`/build_runs/${build}/tests`)).json
    expect(failures.map(({ name, state }: { name: string; state: string }) => [name, state]).sort()).toEqual([
      ['runs', 'first_run'],
      ['walks', 'still_failing'],
    ])
  })

  test('continues it also if the failure under the old name is reported last', async () => {
    const on = await room()
    await on.report({ number: 3, status: 'success' })
    await on.tests({ number: 3 }, { 'part5.walks': '', 'part9.jumps': '' })
    const build = await on.report({ number: 7 })
    await on.tests({ number: 7 }, { 'part5.walksUphill': 'speed is 0', 'part9.jumps': '' })
    await on.work()
    await on.report({ number: 5 })
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    expect((await on.api(`/build_runs/${build}/tests`)).json.failures).toMatchObject([
      { name: 'walksUphill', state: 'still_failing' },
    ])
    const { suspects } = (await on.api(`/build_runs/${build}`)).json.investigation
    expect(suspects.map(({ change_id }: { change_id: number }) => change_id).sort()).toEqual([on.change(4), on.change(5)].sort())
    expect((await on.breakages()).filter(({ state }) => state !== ('withdrawn' as string))).toMatchObject([
      { state: 'open', build_count: 2 },
    ])
  })
})

describe('a breakage of a test', () => {
  const states = async (on: BreakageRoom) =>
    Object.fromEntries((await on.breakages()).map(({ cause, state }) => [/part\d+\.(?:walks|jumps)/.exec(cause)![0], state]))

  test('is fixed when the test passes, whatever else fails in the job, and open again when it fails', async () => {
    const on = await room()
    await regression(on)
    await on.report({ number: 5 })
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    await on.report({ number: 9 })
    await on.tests({ number: 9 }, { 'part5.walks': 'speed is 0', 'part9.jumps': 'fell' })
    await on.work()
    expect(await states(on)).toEqual({ 'part5.walks': 'open', 'part9.jumps': 'open' })
    await on.report({ number: 12 })
    await on.tests({ number: 12 }, { 'part5.walks': '', 'part9.jumps': 'fell' })
    await on.work()
    expect(await states(on)).toEqual({ 'part5.walks': 'fixed', 'part9.jumps': 'open' })
    await on.report({ number: 14 })
    await on.tests({ number: 14 }, { 'part5.walks': 'speed is 0', 'part9.jumps': 'fell' })
    await on.work()
    const walks = (await on.breakages()).find(({ cause }) => cause.includes('walks'))!
    expect(walks).toMatchObject({ state: 'open', reopened_count: 1 })
  })

  test('stays open in a passed build in which the test fails', async () => {
    const on = await room()
    await on.api('/settings', { test_gate: { fails_on: 'off', jobs: [] } }, 'PATCH')
    await regression(on)
    await on.report({ number: 5 })
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    await on.report({ number: 6, status: 'success' })
    await on.tests({ number: 6 }, BROKEN)
    await on.work()
    expect(await states(on)).toEqual({ 'part5.walks': 'open' })
  })
})

describe('a flaky test that fails too often in a row', () => {
  test('is a regression again, with its range and author', async () => {
    const on = await room()
    await on.report({ number: 1, status: 'success' })
    await on.tests({ number: 1 }, { 'part5.walks': '', 'part9.jumps': '' })
    // Both outcomes at one change.
    await on.report({ number: 2, at: 1 })
    await on.tests({ number: 2 }, BROKEN)
    for (const number of [3, 4]) {
      await on.report({ number, status: 'success' })
      await on.tests({ number }, { 'part5.walks': '', 'part9.jumps': '' })
    }
    await on.work()
    const failed = async (number: number) => {
      await on.report({ number })
      await on.tests({ number }, BROKEN)
      await on.work()
      return (await on.breakages()).find(({ cause }) => cause.includes('walks'))!
    }
    for (const number of [5, 6]) expect(await failed(number)).toMatchObject({ state: 'open', flaky: true, suspects: [] })
    for (const number of [7, 8, 9, 10]) await failed(number)
    const walks = await failed(11)
    expect(walks).toMatchObject({ state: 'open', flaky: false })
    expect(walks.suspects.map(({ change_id }) => change_id)).toEqual([on.change(5)])
    expect(walks).toMatchObject({ last_good_change: { identifier: 'c4' }, first_bad_change: { identifier: 'c5' } })
    const { flaky } = (await on.api('/tests')).json
    expect(flaky).toEqual([])
  })
})

test('a compile error stays the cause, whatever tests failed', async () => {
  const on = await room()
  await regression(on)
  await on.report({ number: 5, log: brokenLog('part5') })
  await on.tests({ number: 5 }, BROKEN)
  await on.work()
  expect(await on.only()).toMatchObject({ category: 'compile_error' })
})

describe('a test in quarantine', () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const open = async ({ breakages }: BreakageRoom) => (await breakages()).filter(({ state }) => state === 'open')

  test('opens no breakage, and an open one is withdrawn, until it ends or is released', async () => {
    const on = await room()
    await regression(on)
    const build = await on.report({ number: 5 })
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    expect(await open(on)).toHaveLength(1)
    const { id } = (await on.api(`/build_runs/${build}/tests`)).json.failures[0]
    const quarantined = await on.api(`/tests/${id}`, { quarantined_until: inDays(3), reason: 'waits for a server' })
    expect(quarantined.json.quarantine).toMatchObject({ reason: 'waits for a server', owner_user_id: user('kim') })
    await on.work()
    expect(await open(on)).toEqual([])
    await on.report({ number: 6 })
    await on.tests({ number: 6 }, BROKEN)
    await on.work()
    expect(await open(on)).toEqual([])
    expect((await on.api('/tests')).json.quarantined).toMatchObject([
      { id, failures: 1, quarantine: { reason: 'waits for a server' } },
    ])
    // Another test of the same build counts.
    await on.report({ number: 7 })
    await on.tests({ number: 7 }, { ...BROKEN, 'part9.jumps': 'fell' })
    await on.work()
    expect((await open(on)).map(({ cause }) => cause)).toEqual([expect.stringContaining('part9.jumps: fell')])
    await studio.db.execute(sql`update test_quarantines set until = goldmaster_now() where test_case_id = ${Number(id)}`)
    await on.report({ number: 8 })
    await on.tests({ number: 8 }, BROKEN)
    await on.work()
    expect((await open(on)).map(({ cause }) => cause)).toContainEqual(expect.stringContaining('part5.walks'))
    expect((await on.api(`/tests/${id}`)).json.quarantine).toBeNull()
    await on.api(`/tests/${id}`, { quarantined_until: inDays(3), reason: 'again' })
    expect((await on.api(`/tests/${id}`, { quarantined_until: null })).json.quarantine).toBeNull()
    expect(
      await studio.db.rows(sql`select user_id from audit_log where action = 'editTest' and project_id = ${on.project}`),
    ).toEqual(Array.from({ length: 3 }, () => ({ user_id: user('kim') })))
  })

  test('needs a reason, an end within 180 days and an owner who sees the project', async () => {
    const on = await room()
    await regression(on)
    const { id } = (await studio.db.one<{ id: number }>(sql`select max(id) as id from test_cases`))!
    const refusal = async (body: object, test: number = id) => {
      const { status, json } = await on.api(`/tests/${test}`, body)
      return `${status} ${/reason|quarantined_until|owner_user_id/.exec(json.message)?.[0]}`
    }
    const until = inDays(3)
    expect(await refusal({ quarantined_until: until })).toBe('422 reason')
    expect(await refusal({ quarantined_until: inDays(-1), reason: 'x' })).toBe('422 quarantined_until')
    expect(await refusal({ quarantined_until: inDays(181), reason: 'x' })).toBe('422 quarantined_until')
    expect(await refusal({ quarantined_until: 'soon', reason: 'x' })).toBe('422 quarantined_until')
    expect(await refusal({ quarantined_until: until, reason: 'x', owner_user_id: user('eve') })).toBe('422 owner_user_id')
    expect(await refusal({ quarantined_until: null })).toBe('422 quarantined_until')
    expect(await refusal({ quarantined_until: until, reason: 'x' }, 999_999_999)).toMatch(/^404/)
  })
})

test('a test that never passed suspects no change that came after its first failure', async () => {
  const { report, tests, work, breakages } = await room()
  // Two tests with one cause come first; the third has a breakage of its own once they pass.
  await report({ number: 3 })
  await tests({ number: 3 }, { 'part2.runs': 'no path', 'part2.jumps': 'no path', 'part5.walks': 'speed is 0' })
  await work()
  await report({ number: 6 })
  await tests({ number: 6 }, { 'part2.runs': '', 'part2.jumps': '', 'part5.walks': 'speed is 0' })
  await work()
  const open = (await breakages()).filter(({ state }) => state === 'open')
  // Ann's change 5 touches the file, and change 3 is the last one that may have broken it.
  expect(open).toMatchObject([{ cause: expect.stringContaining('part5.walks') }])
  expect(open[0]!.suspects.filter(({ user_id }) => user_id === user('ann'))).toEqual([])
})

describe('a failing test in a build that its CI calls passed', () => {
  /** Passes at change 3; its job fails at 5 because of it. The gate counts failed tests of passed builds only if the run crashed. */
  async function failing() {
    const on = await room()
    await on.api('/settings', { test_gate: { fails_on: 'crashes', jobs: [] } }, 'PATCH')
    await regression(on)
    await on.report({ number: 5 })
    await on.tests({ number: 5 }, BROKEN)
    return on
  }

  test('keeps the suspects of a failure at the same change', async () => {
    const on = await failing()
    await on.report({ number: 6, at: 5, status: 'success' })
    await on.tests({ number: 6 }, BROKEN)
    await on.work()
    const { state, suspects } = await on.only()
    expect({ state, first: suspects[0]?.user_id }).toEqual({ state: 'open', first: user('ann') })
  })

  test('suspects nobody on the page of its build once it is quarantined', async () => {
    const on = await room()
    await on.api('/settings', { test_gate: { fails_on: 'failures', jobs: [] } }, 'PATCH')
    await regression(on)
    const build = await on.report({ number: 5, status: 'success' })
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    const page = async () => (await on.api(`/build_runs/${build}`)).json.investigation
    expect((await page()).suspects[0]).toMatchObject({ user_id: user('ann') })
    const { id } = (await on.api(`/build_runs/${build}/tests`)).json.failures[0]
    const quarantined_until = new Date(Date.now() + 3 * 86_400_000).toISOString()
    await on.api(`/tests/${id}`, { quarantined_until, reason: 'waits for a server' })
    await on.work()
    expect(await page()).toMatchObject({ suspects: [], attributed_user_id: null })
  })

  test('is not mended there under another name', async () => {
    const on = await failing()
    await on.work()
    await on.report({ number: 7, status: 'success' })
    await on.tests({ number: 7 }, { 'part5.walksUphill': 'speed is 0', 'part9.jumps': '' })
    await on.work()
    expect(await on.only()).toMatchObject({ state: 'open' })
    await on.report({ number: 8, status: 'success' })
    await on.tests({ number: 8 }, { 'part5.walksUphill': '', 'part9.jumps': '' })
    await on.work()
    expect(await on.only()).toMatchObject({ state: 'fixed' })
  })
})
