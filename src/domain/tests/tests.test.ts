import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { causeOf } from './cause.ts'
import { merged, packDuration, unpackDuration } from './packed.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools({ wideIds: true })
})
afterAll(() => tools.close())

type Result = [name: string, outcome: 'passed' | 'failed' | 'skipped', more?: { message?: string; seconds?: number }]

let jobs = 0
/** A job whose builds have test results. */
function newJob() {
  const job = `Tests ${++jobs}`
  let number = 0
  return {
    job,
    async build(results: Result[], report: object = {}) {
      const name = { job_name: job, build_number: String(++number) }
      const { json } = await tools.ci({ ...name, status: 'SUCCESS', branch: 'main', ...report })
      const cases = results.map(([title, outcome, { message = 'too low', seconds = 0.1 } = {}]) => {
        const inside = { passed: '', failed: `<failure message="${message}">at Ai.cpp:12</failure>`, skipped: '<skipped/>' }[
          outcome
        ]
        return `<testcase classname="Ai" name="${title}" time="${seconds}">${inside}</testcase>`
      })
      const { status } = await tools.studio.ask(`/webhooks/tests?${new URLSearchParams(name)}`, {
        method: 'POST',
        raw: `<testsuite name="Ai">${cases.join('')}</testsuite>`,
        headers: { 'content-type': 'application/xml', 'x-webhook-token': tools.tokenOf('jenkins') },
      })
      expect(status).toBe(200)
      return String(json.records[0].id)
    },
  }
}

const testsOf = (build: string) => tools.api(`build_runs/${build}/tests`)
const names = (cases: { name: string }[]) => cases.map(({ name }) => name)

describe('the tests of a build', () => {
  test('say which failures are new, which remain, and what was fixed', async () => {
    const { build } = newJob()
    const first = await build([
      ['walks', 'passed'],
      ['jumps', 'failed'],
      ['swims', 'failed'],
    ])
    const second = await build([
      ['walks', 'failed'],
      ['jumps', 'failed'],
      ['swims', 'passed'],
      ['flies', 'skipped'],
    ])
    expect(await testsOf(first)).toMatchObject({
      tests: 3,
      failed: 2,
      new_failures: 0,
      failures: [{ state: 'unknown' }, { state: 'unknown' }],
    })
    const shown = await testsOf(second)
    expect(shown).toMatchObject({ tests: 4, passed: 1, failed: 2, skipped: 1, new_failures: 1, still_failing: 1 })
    expect(shown.failures).toMatchObject([
      { name: 'walks', state: 'new', file: 'Ai.cpp', line: 12, message: 'too low' },
      { name: 'jumps', state: 'still_failing' },
    ])
    expect(names(shown.fixed)).toEqual(['swims'])
    expect(names(shown.skipped_tests)).toEqual(['flies'])
    expect(shown.reports[0].compared_with_build_run_id).toBe(first)
  })

  test('are compared with the same branch, and a preflight with its target branch', async () => {
    const { build } = newJob()
    const main = await build([['walks', 'failed']])
    const other = await build([['walks', 'failed']], { branch: 'release' })
    expect((await testsOf(other)).reports[0].compared_with_build_run_id).toBeNull()
    const preflight = await build([['walks', 'failed']], { branch: 'pull/7', kind: 'preflight', target_branch: 'main' })
    expect((await testsOf(preflight)).reports[0].compared_with_build_run_id).toBe(main)
    const next = await build([['walks', 'passed']])
    expect((await testsOf(next)).reports[0].compared_with_build_run_id).toBe(main)
  })

  test('with 400 failures of three causes have three groups', async () => {
    const { build } = newJob()
    const failures = Array.from({ length: 400 }, (_, i): Result => {
      const messages = [
        `Timed out after ${i} ms`,
        `Asset &quot;/Game/Maps/M_${i}&quot; not found`,
        `Access violation at 0x${i.toString(16)}`,
      ]
      return [`case ${i}`, 'failed', { message: messages[i % 3]! }]
    })
    const shown = await testsOf(await build(failures))
    expect(shown.causes).toEqual([
      { cause: 'Timed out after # ms', place: 'ai.cpp', tests: 134, new_failures: 0 },
      { cause: 'Asset "…" not found', place: 'ai.cpp', tests: 133, new_failures: 0 },
      { cause: 'Access violation at #', place: 'ai.cpp', tests: 133, new_failures: 0 },
    ])
    expect(shown.failures).toHaveLength(200)
  })

  test('name those that take half as long again', async () => {
    const { build } = newJob()
    await build([
      ['walks', 'passed', { seconds: 2 }],
      ['jumps', 'passed', { seconds: 0.1 }],
    ])
    const { slower } = await testsOf(
      await build([
        ['walks', 'passed', { seconds: 4 }],
        ['jumps', 'passed', { seconds: 0.9 }],
      ]),
    )
    expect(slower).toMatchObject([{ name: 'walks', duration_ms: 4000, previous_ms: 2000 }])
  })

  test('are none for a build without results, and keep failures when the runs are purged', async () => {
    const { json } = await tools.ci({ job_name: 'no tests', build_number: '1', status: 'SUCCESS' })
    expect(await testsOf(String(json.records[0].id))).toMatchObject({ tests: 0, reports: [], failures: [] })
    const { build, job } = newJob()
    const id = await build([['walks', 'failed']])
    await tools.studio.db.execute(sql`
      delete from test_runs r using test_builds b where b.account_id = r.account_id and b.id = r.test_build_id and b.ci_job_name = ${job}`)
    expect(await testsOf(id)).toMatchObject({ tests: 0, failures: [{ name: 'walks', state: 'unknown' }] })
  })
})

describe('the tests of a project', () => {
  test('are the ones that fail most, those that passed and failed at one change, and the slowest', async () => {
    const { job, build } = newJob()
    const steady: Result = ['walks', 'failed']
    await build([steady, ['jumps', 'failed'], ['swims', 'passed', { seconds: 5 }]], { commit_hash: 'a'.repeat(40) })
    await build([steady, ['jumps', 'passed'], ['swims', 'passed', { seconds: 5 }]], { commit_hash: 'a'.repeat(40) })
    await build([steady, ['jumps', 'passed'], ['swims', 'passed', { seconds: 6 }]], { commit_hash: 'b'.repeat(40) })
    await workOff(tools.studio, 'judge_tests')
    const shown = await tools.api(`tests?job=${encodeURIComponent(job)}`)
    expect(shown.failing).toMatchObject([
      { name: 'walks', failures: 3 },
      { name: 'jumps', failures: 1 },
    ])
    expect(shown.flaky).toMatchObject([{ name: 'jumps', flaky_runs: 1 }])
    expect(shown.slowest[0]).toMatchObject({ name: 'swims', duration_ms: 6000 })
    expect((await tools.api('tests?job=unknown')).failing).toEqual([])
  })
})

test('the failing tests of a job are found behind many of other jobs that fail more often', async () => {
  const [rare, often] = [newJob(), newJob()]
  await rare.build([['sinks', 'failed']])
  for (let build = 0; build < 2; build++)
    await often.build(Array.from({ length: 25 }, (_, at): Result => [`swims ${at}`, 'failed']))
  expect(names((await tools.api(`tests?job=${encodeURIComponent(rare.job)}`)).failing)).toEqual(['sinks'])
  expect(names((await tools.api('tests')).failing)).not.toContain('sinks')
})

describe('a test', () => {
  test('shows its runs, newest first, and its failures with their texts', async () => {
    const { build } = newJob()
    await build([['walks', 'passed', { seconds: 1.5 }]])
    const broken = await build([['walks', 'failed', { message: 'says someone@example.com' }]])
    await build([['jumps', 'passed']])
    const { failures } = await testsOf(broken)
    const shown = await tools.api(`tests/${failures[0].id}`)
    expect(shown.runs).toMatchObject([
      { build_run_id: broken, outcome: 'failed', branch: 'main' },
      { build_number: '1', outcome: 'passed', duration_ms: 1500 },
    ])
    expect(shown.failures).toMatchObject([{ build_run_id: broken, details: 'at Ai.cpp:12', file: 'Ai.cpp', line: 12 }])
    expect(JSON.stringify(shown)).not.toContain('someone@example.com')
    expect((await tools.api(`tests/${failures[0].id}?branch=release`)).runs).toEqual([])
  })
})

describe('a failing test', () => {
  const numbered = (number: number) => String(number).padStart(40, 'c')
  const push = async (branch: string, ...numbers: number[]) => {
    for (const number of numbers)
      await tools.studio.load({
        changes: [
          {
            key: 'c',
            project: tools.project,
            identifier: numbered(number),
            source_type: 'GitCommit',
            author: 'kim',
            files: [{ path: `Source/File${number}.cpp`, action: 'edit' }],
            branches: [branch],
          },
        ],
      })
  }

  test('names the changes between its last pass and its first failure on each branch', async () => {
    const { build } = newJob()
    await push('trunk', 1, 2, 3, 4, 5)
    await push('rel', 11, 12, 13)
    const at = (branch: string, number: number) => ({ branch, commit_hash: numbered(number) })
    const good = await build([['walks', 'passed']], at('trunk', 1))
    // Reported before the failure below it: the order is that of the branch.
    const later = await build([['walks', 'failed']], at('trunk', 4))
    await build([['walks', 'passed']], at('rel', 11))
    const bad = await build([['walks', 'failed']], at('trunk', 3))
    await build([['jumps', 'passed']], at('trunk', 5))
    const other = await build([['walks', 'failed']], at('rel', 12))
    const { failures } = await testsOf(later)
    const { branches } = await tools.api(`tests/${failures[0].id}`)
    expect(branches).toHaveLength(2)
    expect(branches.find(({ branch }: { branch: string }) => branch === 'trunk')).toMatchObject({
      flaky: false,
      failing: true,
      first_failed_build_run_id: bad,
      last_passed_build_run_id: good,
      last_good_change: { identifier: numbered(1) },
      first_bad_change: { identifier: numbered(3) },
      changes_in_range: 2,
    })
    expect(branches.find(({ branch }: { branch: string }) => branch === 'rel')).toMatchObject({
      first_failed_build_run_id: other,
      first_bad_change: { identifier: numbered(12) },
      changes_in_range: 1,
    })
  })

  test('is flaky after three recoveries that no change to its files explains', async () => {
    const { build, job } = newJob()
    await push('fast', ...Array.from({ length: 21 }, (_, at) => 100 + at))
    for (let at = 0; at < 21; at++)
      await build(
        [
          ['walks', [4, 9, 15].includes(at) ? 'failed' : 'passed'],
          ['jumps', 'passed'],
        ],
        {
          branch: 'fast',
          commit_hash: numbered(100 + at),
        },
      )
    const flaky = async () => {
      await workOff(tools.studio, 'judge_tests')
      return (await tools.api(`tests?job=${encodeURIComponent(job)}`)).flaky
    }
    expect(await flaky()).toMatchObject([{ name: 'walks', flaky_runs: 3 }])
    // The test is in Ai.cpp: a change there may have fixed it once.
    await tools.studio.db.execute(sql`
      update changes set files = '[{"path": "Source/Ai.cpp", "action": "edit"}]' where identifier = ${numbered(110)}`)
    await build([['walks', 'passed']], { branch: 'fast', commit_hash: numbered(120) })
    expect(await flaky()).toEqual([])
  })
})

describe('what is stored', () => {
  test('a duration is exact up to 4 s and within 0.03 % after that', () => {
    for (const ms of [0, 1, 999, 4095]) expect(unpackDuration(packDuration(ms))).toBe(ms)
    for (const ms of [5_000, 61_234, 3_600_000, 86_400_000])
      expect(Math.abs(unpackDuration(packDuration(ms))! / ms - 1)).toBeLessThan(0.0003)
    expect(unpackDuration(packDuration(null))).toBeNull()
    expect(unpackDuration(packDuration(1e12))).toBeGreaterThan(30 * 3_600_000)
  })

  test('both outcomes of a case are flaky in whatever order they come, otherwise the worst counts', () => {
    expect(merged('failed', 'passed')).toBe('flaky')
    expect(merged('passed', 'error')).toBe('flaky')
    expect(merged('flaky', 'failed')).toBe('flaky')
    expect(merged('failed', 'error')).toBe('error')
    expect(merged('skipped', 'passed')).toBe('passed')
    expect(merged('failed', 'skipped')).toBe('failed')
    expect(merged('flaky', 'passed')).toBe('flaky')
    expect(merged(undefined, 'skipped')).toBe('skipped')
  })

  test('a cause has no numbers, paths, addresses or quoted texts', () => {
    expect(causeOf('\n  Expected 3 but was 4.5 in C:\\Game\\Ai.cpp (0xdeadbeef)')).toBe('Expected # but was # in … (#)')
    expect(causeOf('')).toBe('')
  })
})

test('the owners of a test are members by address or tool name, and others as the rules spell them', async () => {
  const { job, build } = newJob()
  const { db } = tools.studio
  const rules = (path_owners: string) => tools.api('settings', { method: 'PATCH', body: { path_owners } })
  expect(await rules('* kim@example.com\nAi.cpp @kim-dev @nobody other@example.com')).toMatchObject({
    path_owners: '* kim@example.com\nAi.cpp @kim-dev @nobody other@example.com',
  })
  const shown = await testsOf(await build([['walks', 'failed']]))
  const kim = { user_id: tools.studio.world.users.kim!.id, text: null }
  const others = [
    { user_id: null, text: '@nobody' },
    { user_id: null, text: expect.not.stringContaining('example.com') },
  ]
  expect(shown.failures[0].owners).toEqual([kim, ...others])
  const { failing } = await tools.api(`tests?${new URLSearchParams({ job })}`)
  expect(failing).toMatchObject([{ name: 'walks', owners: [kim, ...others] }])
  expect(failing[0]).not.toHaveProperty('file')
  await rules('* KIM@example.com')
  const id = shown.failures[0].id
  expect((await tools.api(`tests/${id}`)).owners).toEqual([kim])

  // Kim's name in another tool is also the name of another member there.
  await rules('* @kim-dev')
  await db.execute(sql`
    with other as (insert into users (email, name) values ('sam@example.com', 'Sam') returning id),
    member as (insert into account_members (account_id, user_id, role)
      select a.id, o.id, 'member' from accounts a, other o where a.name = 'Night Owl' returning user_id)
    insert into connected_accounts (user_id, provider, uid) select user_id, 'jira', 'Kim-Dev' from member`)
  expect((await tools.api(`tests/${id}`)).owners).toEqual([{ user_id: null, text: '@kim-dev' }])
  await rules('')
  expect((await tools.api(`tests/${id}`)).owners).toEqual([])
})
