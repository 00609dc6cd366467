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
    expect(before).toMatchObject({ state: 'open', category: 'infrastructure' })
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
