import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { type BreakageRoom, breakageRoom, brokenLog, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { sql } from '../../db/database.ts'
import { sequenceAll } from '../feed/sequencer.ts'
import { readOutbox } from '../inbox/outbox-readers.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())
const user = (key: string) => studio.world.users![key]!.id as number
const room = () => breakageRoom(studio)

const PASSED = { 'part5.walks': '', 'part9.jumps': '' }
const BROKEN = { 'part5.walks': 'speed is 0', 'part9.jumps': '' }
const gate = ({ api }: BreakageRoom, test_gate: object) => api('/settings', { test_gate }, 'PATCH')
const main = async ({ api }: BreakageRoom) => (await api('/branches/health?branch=main')).json
const open = async ({ breakages }: BreakageRoom) => (await breakages()).filter(({ state }) => state === 'open')

/** The CI calls both builds passed; in the second one a test of Ann's file fails. */
async function greenBuilds(on: BreakageRoom, results: Record<string, string> = BROKEN) {
  await on.report({ number: 3, status: 'success' })
  await on.tests({ number: 3 }, PASSED)
  await on.work()
  const build = await on.report({ number: 5, status: 'success' })
  await on.tests({ number: 5 }, results)
  await on.work()
  return String(build)
}

describe('a build that its CI calls passed and whose test failed', () => {
  test('counts as failed for its branch and has a breakage and a suspect with the gate, while its status stays', async () => {
    const on = await room()
    await gate(on, { fails_on: 'failures', jobs: [] })
    const build = await greenBuilds(on)
    expect((await on.api(`/build_runs/${build}`)).json).toMatchObject({ status: 'completed' })
    expect((await on.api(`/build_runs/${build}/tests`)).json).toMatchObject({ verdict: 'failed', failed: 1 })
    expect(await main(on)).toMatchObject({ state: 'red', last_known_good: { identifier: 'c3' }, held_back_by: ['Cook'] })
    expect((await main(on)).jobs[0].runs).toMatchObject([
      { id: build, status: 'completed', verdict: 'failed' },
      { status: 'completed', verdict: 'passed' },
    ])
    expect(await open(on)).toMatchObject([
      { category: 'test_failure', cause: expect.stringContaining('part5.walks'), suspects: [{ user_id: user('ann') }, {}] },
    ])
    // The specified request stays refused.
    const asked = await on.api(`/build_runs/${build}/investigate`, {}, 'POST')
    expect(asked.status).toBe(422)
    await on.report({ number: 7, status: 'success' })
    await on.tests({ number: 7 }, PASSED)
    await on.work()
    expect(await main(on)).toMatchObject({ state: 'green', last_known_good: { identifier: 'c7' } })
    expect(await open(on)).toEqual([])
  })

  test.each(['crashes', 'off'])('counts as passed with the gate “%s”', async (fails_on) => {
    const on = await room()
    await gate(on, { fails_on, jobs: [] })
    const build = await greenBuilds(on)
    expect((await on.api(`/build_runs/${build}/tests`)).json).toMatchObject({ verdict: 'passed', failed: 1 })
    expect(await main(on)).toMatchObject({ state: 'green', last_known_good: { identifier: 'c5' } })
    expect(await on.breakages()).toEqual([])
  })

  test('follows the gate of its job, and a gate that is changed later', async () => {
    const on = await room()
    const build = await greenBuilds(on)
    const verdict = async () => (await on.api(`/build_runs/${build}/tests`)).json.verdict
    expect(await verdict()).toBe('passed')
    await gate(on, { fails_on: 'off', jobs: [{ pattern: 'co*', fails_on: 'failures' }] })
    await on.work()
    expect(await verdict()).toBe('failed')
    expect(await open(on)).toHaveLength(1)
    await gate(on, { fails_on: 'failures', jobs: [{ pattern: 'Cook', fails_on: 'off' }] })
    await on.work()
    expect(await verdict()).toBe('passed')
    expect(await on.breakages()).toMatchObject([{ state: 'withdrawn' }])
  })

  test('counts as failed without a choice if the job is called tests or reports results of nine in ten builds', async () => {
    const on = await room()
    const verdictOf = async (job: string, number: number) => {
      const build = await on.report({ job, number, status: 'success' })
      await on.tests({ job, number }, BROKEN)
      await on.work()
      return (await on.api(`/build_runs/${build}/tests`)).json.verdict
    }
    for (const job of ['Unit-Tests', 'AutoTest Win64', 'GameTests', 'qa/smoke']) expect(await verdictOf(job, 1)).toBe('failed')
    for (const job of ['Contest', 'Latest', 'Cook']) expect(await verdictOf(job, 1)).toBe('passed')
    for (let number = 2; number <= 9; number++) {
      await on.report({ job: 'Cook', number, status: 'success' })
      await on.tests({ job: 'Cook', number }, PASSED)
    }
    expect(await verdictOf('Cook', 10)).toBe('failed')
  })
})

describe('a test run that crashed in a build that its CI calls passed', () => {
  const unreal = (state: string) =>
    JSON.stringify({ tests: [{ testDisplayName: 'Loads', fullTestPath: 'Game.Maps.Loads', state, entries: [] }] })
  const missing = JSON.stringify({
    results: { tests: [{ name: 'Test report', status: 'failed', message: 'No test report was written: no file matches *.xml' }] },
  })

  test.each([
    ['that ended in a test', unreal('InProcess'), 'failed'],
    ['that left no report', missing, 'failed'],
    ['in which a test failed', unreal('Fail'), 'passed'],
  ])('fails it by default: one %s', async (_, file, verdict) => {
    const on = await room()
    const build = await on.report({ number: 5, status: 'success' })
    await on.upload({ number: 5 }, file)
    await on.work()
    expect((await on.api(`/build_runs/${build}/tests`)).json.verdict).toBe(verdict)
    expect(await main(on)).toMatchObject({ state: verdict === 'failed' ? 'red' : 'green' })
  })
})

describe('a build in which only tests in quarantine failed', () => {
  const until = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const quarantine = async (on: BreakageRoom, build: number | string) => {
    const { id } = (await on.api(`/build_runs/${build}/tests`)).json.failures[0]
    await on.api(`/tests/${id}`, { quarantined_until: until, reason: 'waits for a server' })
    await on.work()
  }

  test('counts as passed for its branch, unless its log names another cause', async () => {
    const on = await room()
    await on.report({ number: 3, status: 'success' })
    await on.tests({ number: 3 }, PASSED)
    const build = await on.report({ number: 5 })
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    expect(await main(on)).toMatchObject({ state: 'red', last_known_good: { identifier: 'c3' } })
    await quarantine(on, build)
    expect(await main(on)).toMatchObject({ state: 'green', last_known_good: { identifier: 'c5' }, held_back_by: [] })
    expect((await on.api(`/build_runs/${build}/tests`)).json).toMatchObject({ verdict: 'passed', quarantined: 1 })
    expect((await on.api(`/build_runs/${build}`)).json.status).toBe('failed')
    await on.report({ number: 7, log: brokenLog('part5') })
    await on.tests({ number: 7 }, BROKEN)
    await on.work()
    expect(await main(on)).toMatchObject({ state: 'red', last_known_good: { identifier: 'c5' } })
    expect((await open(on)).map(({ category }) => category)).toEqual(['compile_error'])
  })

  test('is the build that a deployment names, as one that the gate fails is', async () => {
    const on = await room()
    const { integrations } = await studio.load({
      integrations: [{ key: 'store', project: on.project, provider: 'deployment' }],
    })
    const deploy = async (number: number) => {
      const { status, json } = await studio.ask(`/webhooks/deployment?token=${integrations!.store!.webhook_token}`, {
        method: 'POST',
        body: { platform: 'steam', event: 'live', job_name: 'Cook', build_number: number, steam_app_id: `${number}` },
      })
      expect([status, json]).toMatchObject([200, {}])
      return async () => (await on.api(`/deployments/${json.records[0].id}`)).json.build_run_id
    }
    const red = await on.report({ number: 5 })
    await on.tests({ number: 5 }, BROKEN)
    await on.work()
    const shipped = await deploy(5)
    expect(await shipped()).toBe(null)
    await quarantine(on, red)
    expect(await shipped()).toBe(String(red))

    const green = await on.report({ number: 7, status: 'success' })
    const alsoShipped = await deploy(7)
    expect(await alsoShipped()).toBe(String(green))
    await gate(on, { fails_on: 'failures', jobs: [] })
    await on.tests({ number: 7 }, { 'part6.runs': 'stands' })
    await on.work()
    expect((await on.api(`/build_runs/${green}/tests`)).json.verdict).toBe('failed')
    expect(await alsoShipped()).toBe(String(green))
  })

  test.each([
    ['no test failed', {}, 'failed'],
    ['a test in quarantine failed', { 'part5.walks': 'speed is 0' }, 'passed'],
  ])('that nobody investigates counts as its CI says unless a test explains it: %s', async (_, broken: object, verdict) => {
    const on = await room()
    await on.api('/settings', { investigates_failures: false }, 'PATCH')
    const first = await on.report({ number: 3 })
    await on.tests({ number: 3 }, BROKEN)
    await on.work()
    await quarantine(on, first)
    const build = await on.report({ number: 5 })
    await on.tests({ number: 5 }, { ...PASSED, ...broken })
    await on.work()
    expect((await on.api(`/build_runs/${build}/tests`)).json.verdict).toBe(verdict)
    expect(await main(on)).toMatchObject({ state: verdict === 'passed' ? 'green' : 'red' })
  })

  test('counts as passed by the gate too', async () => {
    const on = await room()
    await gate(on, { fails_on: 'failures', jobs: [] })
    const build = await greenBuilds(on)
    expect(await main(on)).toMatchObject({ state: 'red' })
    await quarantine(on, build)
    expect(await main(on)).toMatchObject({ state: 'green', last_known_good: { identifier: 'c5' } })
    expect(await open(on)).toEqual([])
  })
})

/** A test run that ended in a test, which no gate but “off” excuses. */
const CRASHED = JSON.stringify({
  tests: [{ testDisplayName: 'Loads', fullTestPath: 'Game.Maps.Loads', state: 'InProcess', entries: [] }],
})

test.each([
  ['failures', 'tests', 'red', 'c3', 1],
  ['failures', 'crash', 'red', 'c3', 1],
  ['crashes', 'tests', 'green', 'c5', 0],
  ['crashes', 'crash', 'red', 'c3', 1],
  ['off', 'tests', 'green', 'c5', 0],
  ['off', 'crash', 'green', 'c5', 0],
] as const)(
  'with the gate “%s” and failed %s, branch, breakage, chat, last known good and newest good build agree',
  async (fails_on, what, state, good, told) => {
    const on = await room()
    const { account_id } = (await studio.db.one<{ account_id: number }>(
      sql`select account_id from projects where id = ${on.project}`,
    ))!
    const channel = (await studio.db.one<{ id: number }>(sql`
    insert into destinations (account_id, kind, name) values (${account_id}, 'slack', 'builds') returning id`))!.id
    await studio.db.execute(sql`
    insert into channel_rules (account_id, channel_id, project_id, subject) values (${account_id}, ${channel}, ${on.project}, 'breakage')`)
    await gate(on, { fails_on, jobs: [] })
    const newest = Number(await greenBuilds(on, what === 'tests' ? BROKEN : PASSED))
    if (what === 'crash') await on.upload({ number: 5 }, CRASHED)
    await on.work()
    const older = (await studio.db.one<{ id: number }>(sql`
    select id from build_runs where project_id = ${on.project} and id <> ${newest}`))!.id
    expect(await main(on)).toMatchObject({ state, last_known_good: { identifier: good } })
    expect(await open(on)).toHaveLength(told)
    await sequenceAll(studio.db)
    while (await readOutbox(studio.db, { vault: studio.service.vault, site: studio.site })) {}
    expect(await studio.db.rows(sql`select id from messages where destination_id = ${channel} and to_user_id = 0`)).toHaveLength(
      told,
    )
    await studio.db.execute(sql`
    insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
    select account_id, project_id, id, 'game.zip', 'once', 1, 1, now(), sha256('1') from build_runs where project_id = ${on.project}`)
    expect((await on.api('/artifacts')).json.artifacts).toMatchObject([{ build_run_id: String(told ? older : newest) }])
    await studio.db.execute(sql`delete from destinations where id = ${channel}`)
  },
)

test('the newest good build is none whose tests failed by the gate', async () => {
  const on = await room()
  await gate(on, { fails_on: 'failures', jobs: [] })
  const bad = await greenBuilds(on)
  const good = (await studio.db.one<{ id: number }>(sql`
    select id from build_runs where project_id = ${on.project} and id <> ${Number(bad)}`))!.id
  await studio.db.execute(sql`
    insert into artifacts (account_id, project_id, build_run_id, name, upload, bytes, received, completed_at, sha256)
    select account_id, project_id, id, 'game.zip', 'once', 1, 1, now(), sha256('1') from build_runs where project_id = ${on.project}`)
  const { json } = await on.api('/artifacts')
  expect(json.artifacts).toMatchObject([{ build_run_id: String(good) }])
})
