import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workshop } from '../../../test/support/studios/workshop.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** BUILD-07 fails every third build of a job that passes everywhere else. */
const HISTORY = Array.from({ length: 90 }, (_, at) => {
  const agent = ['BUILD-01', 'BUILD-07', 'BUILD-02'][at % 3]!
  const status = agent === 'BUILD-07' && at % 2 === 0 ? 'failed' : 'completed'
  return {
    key: `b${at}`,
    project: 'star',
    ci_job_name: 'Package',
    build_number: String(at),
    branch: 'main',
    agent,
    status,
    measures: [{ name: 'sync_seconds', value: 60 + (at % 3), unit: 's' }],
    created_at: ago(1000 - at),
  }
})

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
    build_runs: HISTORY,
  })
  await studio.db.execute(sql`update projects set investigates_failures = true`)
})
afterAll(() => studio.close())

const token = () => studio.world.tokens!.lead!.token as string
const path = (rest: string) => `/api/v1/projects/${studio.world.projects!.star!.id}/${rest}`
const agents = async () => (await studio.ask(path('agents'), { token: token() })).json.agents
const mute = (body: object) => studio.ask(path('agents'), { method: 'PATCH', token: token(), body })

test('the agent that fails where others pass comes first with its comparison', async () => {
  const [first, ...rest] = await agents()
  expect(first).toMatchObject({ name: 'BUILD-07', suspicious: true, builds: 30, failures: 15, muted: null, sync_seconds: 61 })
  expect(first.compared).toMatchObject({ failures: 15, expected_rate: 0 })
  expect(first.compared.probability).toBeLessThan(1e-4)
  expect(rest.map(({ name, suspicious }: { name: string; suspicious: boolean }) => [name, suspicious])).toEqual([
    ['BUILD-01', false],
    ['BUILD-02', false],
  ])
})

/** Reports a failure and investigates it as the worker does. */
async function fail(number: number, agent: string, log = 'FATAL: disk quota exceeded in the cook') {
  const { json } = await studio.ask(`/webhooks/ci?token=${studio.world.integrations!.ci!.webhook_token}`, {
    method: 'POST',
    body: { job_name: 'Package', build_number: `f${number}`, branch: 'main', status: 'FAILURE', agent, logs_tail: log },
  })
  await workOff(studio, 'investigate_failure')
  await workOff(studio, 'investigate')
  return Number(json.records[0].id)
}

const found = async (id: number) =>
  (await studio.db.one<{ steps: { name: string; detail: string }[]; suspects: unknown[]; breakage: number | null }>(sql`
    select i.steps, i.suspects, (
      select m.breakage_id from breakage_builds m where m.account_id = i.account_id and m.build_run_id = i.build_run_id) as breakage
    from investigations i where i.build_run_id = ${id} order by i.id desc limit 1`))!

test('a failure on a suspicious agent blames the machine, and a compile error does not', async () => {
  const crashed = await found(await fail(1, 'BUILD-07'))
  expect(crashed.suspects).toEqual([])
  expect(crashed.steps.find(({ name }) => name === 'agent')?.detail).toMatch(
    /^BUILD-07 failed 1\d of \d\d builds \(\d\d %\)\. The same jobs fail in 0 % on other agents\. The machine is suspected/,
  )
  const elsewhere = await found(await fail(2, 'BUILD-01'))
  expect(elsewhere.steps.map(({ name }) => name)).not.toContain('agent')
  const compiled = await found(await fail(3, 'BUILD-07', "Source/Sky.cpp(12): error C2065: 'x': undeclared identifier"))
  expect(compiled.steps.map(({ name }) => name)).not.toContain('agent')
})

test('a failure on a muted agent opens no breakage until the mute ends', async () => {
  expect((await mute({ agent: 'BUILD-07' })).status).toBe(422)
  expect((await mute({ agent: 'nobody', reason: 'x' })).status).toBe(404)
  const { json, status } = await mute({ agent: 'BUILD-07', reason: 'new disk', muted_until: ago(-60) })
  expect([status, json.agent, json.muted]).toEqual([
    200,
    'BUILD-07',
    expect.objectContaining({
      reason: 'new disk',
      user_id: Number(studio.world.users!.lead!.id),
      muted_until: expect.any(String),
    }),
  ])
  expect((await found(await fail(4, 'BUILD-07'))).breakage).toBeNull()
  expect((await found(await fail(5, 'BUILD-02'))).breakage).not.toBeNull()
  await studio.db.execute(sql`update agent_mutes set muted_until = now() - interval '1 minute'`)
  expect((await found(await fail(6, 'BUILD-07'))).breakage).not.toBeNull()
  expect((await agents())[0].muted).toBeNull()
})

test('unmuting an agent removes the mute', async () => {
  await mute({ agent: 'BUILD-02', reason: 'loud fan' })
  expect((await mute({ agent: 'BUILD-02', muted: false })).json.muted).toBeNull()
  const [entry] = await studio.db.rows(
    sql`select action, after from audit_log where action = 'muteAgent' order by id desc limit 1`,
  )
  expect(entry).toMatchObject({ after: { ids: 'BUILD-02', muted: false } })
})
