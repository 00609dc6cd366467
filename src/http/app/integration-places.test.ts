import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { type FakeJenkins, json, openJenkins, progressive } from '../../../test/support/servers/jenkins.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOffAll } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const person = (key: string) => ({
  key,
  email: `${key}@example.com`,
  name: key,
  password: PASSWORD,
  accounts: { owl: 'guest' as const },
})

let studio: Studio
let server: FakeJenkins
let lead: Visitor
let helper: Visitor
beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
      users: [person('lea'), person('con')],
      projects: [{ key: 'star', account: 'owl', name: 'Star', members: { lea: 'lead', con: 'contributor' } }],
    },
    { service: { allowedHosts: (host) => host === '127.0.0.1' } },
  )
  lead = await signIn(studio, 'lea@example.com', PASSWORD)
  helper = await signIn(studio, 'con@example.com', PASSWORD)
})
afterAll(() => studio.close())
beforeEach(async () => {
  server = await openJenkins()
  for (const job of ['Own', 'Secret']) {
    server.answers[`/job/${job}/7/api/json`] = json(() => ({ number: 7, building: false, result: 'FAILURE', actions: [] }))
    server.answers[`/job/${job}/7/logText/progressiveText`] = progressive(() => ({
      log: Buffer.from(`the console of ${job}\n`),
      running: false,
    }))
    server.answers[`/job/${job}/build`] = (_, reply) => reply.writeHead(201).end()
  }
})
afterEach(async () => {
  await studio.db.execute(sql`delete from jobs`)
  server.close()
})

const star = () => `/projects/${studio.world.projects.star!.id}`
const work = () => workOffAll(studio, studio.world.accounts.owl!.id as number)

/** A Jenkins as a lead connects it in the app. */
async function connected(more: object = {}) {
  const config = { server: `${server.url}/`, user: 'bot', api_token: 'of the owner' }
  const made = await lead.app(`${star()}/integrations`, { method: 'POST', body: { provider: 'jenkins', config, ...more } })
  expect(made.status).toBe(201)
  const place = `${star()}/integrations/${made.json.id}`
  return {
    made: made.json,
    shown: async () => (await lead.app(place)).json,
    set: (body: object, by = lead) => by.app(`${place}/places`, { method: 'POST', body }),
    report: async (job: string) => {
      const { status, json } = await studio.ask('/webhooks/jenkins', {
        method: 'POST',
        headers: { 'x-webhook-token': made.json.webhook_token },
        body: { job_name: 'Own', build_number: 7, status: 'FAILURE', build_url: `${server.url}/job/${job}/7/` },
      })
      expect(status).toBe(200)
      await work()
      return json.records[0].id as number
    },
  }
}
const act = (build: number, by: Visitor) =>
  by.app(`${star()}/build_runs/${build}/ci`, { method: 'POST', body: { action: 'retry' } })
const actionsOf = async (build: number, by: Visitor) => (await by.app(`${star()}/build_runs/${build}/context`)).json.ci_actions
const logOf = async (build: number) =>
  (await studio.db.one<{ log: string | null }>(sql`select output_log as log from build_runs where id = ${build}`))!.log

test('a forged report of another job gets no console, is retried by nobody, and waits for a lead', async () => {
  const { report, shown, set } = await connected()
  const build = await report('Secret')
  expect(await logOf(build)).toBe(null)
  for (const by of [helper, lead]) {
    // The job that the report names is not on the list either.
    expect(await actionsOf(build, by)).toEqual([])
    expect(await act(build, by)).toMatchObject({
      status: 422,
      json: { error: 'cannot_act', message: expect.stringContaining('Secret') },
    })
  }
  expect(server.calls).toEqual([])
  expect((await shown()).places).toMatchObject({ named: [], confirmed: [], waiting: [{ place: 'Secret', signed: false }] })
  await set({ remove: ['Secret'] })
  expect((await shown()).places.waiting).toEqual([])
})

test('what waited is fetched once a lead confirms it, and nothing else', async () => {
  const { report, shown, set } = await connected()
  const own = await report('Own')
  const { id } = await shown()
  await studio.db.execute(sql`update build_runs set build_number = '6' where id = ${own}`)
  const secret = await report('Secret')
  expect(await set({ confirm: [' Own '] }, helper)).toMatchObject({ status: 403, json: { error: 'insufficient_role' } })
  expect(await set({ confirm: ['*'] })).toMatchObject({ status: 422 })
  expect((await set({ confirm: [' Own '] })).json).toMatchObject({
    every_place: false,
    places: { confirmed: ['Own'], waiting: [{ place: 'Secret' }] },
  })
  await work()
  expect(await logOf(own)).toBe('the console of Own\n')
  expect(await logOf(secret)).toBe(null)
  expect(server.calls.filter((call) => call.includes('Secret'))).toEqual([])
  expect(await actionsOf(own, helper)).toEqual(['retry', 'start'])
  // The page is of another job: only a new build of the named one may be started.
  expect(await actionsOf(secret, helper)).toEqual(['start'])
  expect((await act(own, helper)).status).toBe(202)
  expect(server.calls).toContain('POST /job/Own/build')
  const [entry] = await studio.db.rows(
    sql`select before, after from audit_log where action = 'setPlaces' and subject = ${`integration/${id}`}`,
  )
  expect(entry).toEqual({ before: { places: null }, after: { places: ['Own'] } })
  await set({ remove: ['Own'] })
  expect((await act(own, helper)).status).toBe(422)
})

test('with all jobs of the server the console is polled, and what no signed report named takes a lead', async () => {
  const { report, made } = await connected({ every_place: true })
  expect(made.every_place).toBe(true)
  const build = await report('Own')
  expect(await logOf(build)).toBe('the console of Own\n')
  expect(await act(build, helper)).toMatchObject({ status: 422, json: { message: expect.stringContaining('only a lead') } })
  expect(server.calls.filter((call) => call.startsWith('POST'))).toEqual([])
  expect(await actionsOf(build, helper)).toEqual([])
  expect(await actionsOf(build, lead)).toEqual(['retry', 'start'])
  expect((await act(build, lead)).status).toBe(202)
})
