import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { breakageRoom, brokenLog, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { report as reportBuild } from '../builds/report.ts'
import type { IntegrationContext } from '../integrations/context.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())
const room = (account?: string) => breakageRoom(studio, account)
const user = (key: string) => studio.world.users![key]!.id as number

describe('a build that fails', () => {
  test('is investigated automatically at no cost, and a request joins that', async () => {
    const { report, work, api, only } = await room()
    const build = await report({ number: 5, log: brokenLog('part5') })
    await work()
    const { investigation } = (await api(`/build_runs/${build}`)).json
    expect(investigation).toMatchObject({ status: 'completed', category: 'compile_error', suspects: expect.any(Array) })
    expect(investigation.suspects[0]).toMatchObject({ user_id: user('ann') })
    const asked = await api(`/build_runs/${build}/investigate`, undefined, 'POST')
    expect([asked.status, asked.json.investigation_id]).toEqual([200, investigation.investigation_id])
    expect(await only()).toMatchObject({
      state: 'open',
      branch: 'main',
      jobs: ['Cook'],
      category: 'compile_error',
      build_count: 1,
      first_build_id: String(build),
      urls: { web: expect.stringMatching(/^https:\/\/gold\.example\/projects\/\d+\/breakages\/\d+$/) },
    })
  })

  test('without a log waits a minute for one, and is investigated again when it arrives', async () => {
    const { report, work, breakages } = await room()
    const build = await report({ number: 5 })
    const waits = async () =>
      (
        await studio.db.one<{ seconds: number }>(sql`
          select round(extract(epoch from run_at - now()))::integer as seconds from jobs where name = ${`investigate build ${build}`}`)
      )?.seconds
    expect(await waits()).toBeGreaterThan(30)
    await work()
    expect(await breakages()).toMatchObject([
      { category: 'unknown', branch: 'main', cause: expect.stringMatching(/ failed on main \(no log\)$/) },
    ])
    await report({ number: 5, log: brokenLog('part5') })
    await work()
    const open = (await breakages()).filter(({ state }) => state === 'open')
    expect(open).toMatchObject([{ category: 'compile_error', build_count: 1 }])
  })

  test("is not investigated in an account with limited credits, unless the project's settings say otherwise", async () => {
    const { report, work, breakages, project } = await room('metered')
    await report({ number: 5, log: brokenLog('part5') })
    await work()
    expect(await breakages()).toEqual([])
    await studio.db.execute(sql`update projects set investigates_failures = true where id = ${project}`)
    await report({ number: 6, log: brokenLog('part5') })
    await work()
    expect(await breakages()).toHaveLength(1)
    // Without a log there is nothing to refund either.
    await report({ number: 7 })
    await work()
    const account = studio.world.accounts!.metered!.id
    expect(await studio.db.one(sql`select credits from accounts where id = ${account}`)).toEqual({ credits: 5 })
  })

  test("does not use up people's daily limit", async () => {
    const { report, work, api, project } = await room('metered')
    await studio.db.execute(sql`update projects set investigates_failures = true where id = ${project}`)
    await studio.db.execute(sql`update accounts set daily_limit = 1 where id = ${studio.world.accounts!.metered!.id}`)
    for (const number of [5, 6, 7]) await report({ number, log: brokenLog(`part${number}`) })
    await work()
    const asked = await report({ number: 8, log: brokenLog('part8') })
    expect((await api(`/build_runs/${asked}/investigate`, undefined, 'POST')).status).toBe(202)
  })

  test('is not investigated in a demo and after a trial', async () => {
    const { report, work, breakages } = await room()
    const owl = studio.world.accounts!.owl!.id
    const only = async (number: number, readOnly: ReturnType<typeof sql>) => {
      await report({ number, log: brokenLog('part5') })
      await studio.db.execute(sql`update accounts set ${readOnly} where id = ${owl}`)
      await work()
      await report({ number: number + 1, log: brokenLog('part5') })
      await work()
      await studio.db.execute(sql`update accounts set demo = false, swept_at = null where id = ${owl}`)
      expect(await breakages()).toEqual([])
    }
    await only(5, sql`demo = true`)
    await only(7, sql`swept_at = now()`)
  })

  test('is investigated once for each log', async () => {
    const { report, work } = await room()
    const build = await report({ number: 5, log: brokenLog('part5') })
    await work()
    await report({ number: 5, log: brokenLog('part5') })
    await work()
    await report({ number: 5, log: `${brokenLog('part5')}more\n` })
    await work()
    expect(await studio.db.one(sql`select count(*) as times from investigations where build_run_id = ${build}`)).toEqual({
      times: 2,
    })
  })
})

test('manually requested investigations join too', async () => {
  const { report, api, breakages, project } = await room()
  await studio.db.execute(sql`update projects set investigates_failures = false where id = ${project}`)
  const build = await report({ number: 5, log: brokenLog('part5') })
  await workOff(studio, 'investigate_failure')
  expect(await breakages()).toEqual([])
  await api(`/build_runs/${build}/investigate`, undefined, 'POST')
  await workOff(studio, 'investigate')
  expect(await breakages()).toHaveLength(1)
})
test('a new phase sends an event, unless the previous one was sent just now', async () => {
  const { report } = await room()
  const build = await report({ number: 5, status: 'running' })
  const owner = (await studio.db.one<{ account_id: number; project_id: number; integration_id: number }>(
    sql`select account_id, project_id, integration_id from build_runs where id = ${build}`,
  ))!
  const context: IntegrationContext = { ...owner, provider: 'jenkins', config: {}, engine: '', approval_rules: [] }
  const toldAt = async (phase: string, before: ReturnType<typeof sql>) => {
    await studio.db.execute(sql`update build_runs set progressed_at = ${before} where id = ${build}`)
    await reportBuild(studio.db, context, { build: { build_run_id: build }, phase })
    return (await studio.db.one<{ again: boolean }>(sql`
      select progressed_at between now() - interval '30 minutes' and now() as again from build_runs where id = ${build}`))!.again
  }
  expect(await toldAt('Compile', sql`now() - interval '1 hour'`)).toBe(true)
  expect(await toldAt('Compile', sql`now() - interval '1 hour'`)).toBe(false)
  expect(await toldAt('Cook', sql`now() + interval '1 hour'`)).toBe(false)
  expect(await toldAt('Pack', sql`now() - interval '1 hour'`)).toBe(true)
})

test('the first pass after a failure is marked as such', async () => {
  const { report } = await room()
  const red = await report({ number: 5, log: brokenLog('part5') })
  const [green, greener] = [await report({ number: 6, status: 'success' }), await report({ number: 7, status: 'success' })]
  const elsewhere = await report({ number: 8, branch: 'dev', status: 'success' })
  const fixed = async (id: number) =>
    (await studio.db.one<{ of: number | null }>(sql`select fixed_build_run_id as of from build_runs where id = ${id}`))!.of
  expect([await fixed(green), await fixed(greener), await fixed(elsewhere)]).toEqual([red, null, null])
})
