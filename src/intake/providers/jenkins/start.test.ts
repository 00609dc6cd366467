import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeJenkins, jenkinsFixture, json, openJenkins } from '../../../../test/support/servers/jenkins.ts'
import { openStudio, type Studio } from '../../../../test/support/studio.ts'
import { sql } from '../../../db/database.ts'
import { allowedHosts } from '../../../net/addresses.ts'
import type { JobContext } from '../../job-context.ts'
import { followJenkins, startJenkins } from './start.ts'

let studio: Studio
let jenkins: FakeJenkins
let outside: JobContext

beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
  })
})
afterAll(() => studio.close())
beforeEach(async () => {
  jenkins = await openJenkins()
  const { db, vault, log } = studio.service
  outside = { db, vault, log, allowed: allowedHosts(['127.0.0.1']) }
})
afterEach(() => jenkins.close())

const JOB = '/job/Folder/job/feature%252Fx%20y'
const asked = { job_name: 'Folder/feature%2Fx y', commit: 'abc123', branch: 'main' }
const job = (more: object = {}) => ({ ...jenkinsFixture('job_in_folder'), ...more })
const parameters = (...names: string[]) => [{ parameterDefinitions: names.map((name) => ({ name })) }]

async function trigger(login: object = { api_token: 'secret' }) {
  const config = { server: jenkins.url, user: 'gold', ...login }
  const made = await studio.load({
    integrations: [{ key: 'ci', project: studio.world.projects!.star!.id, provider: 'jenkins', config }],
  })
  const token = made.integrations!.ci!.webhook_token as string
  const { json: told } = await studio.ask(`/webhooks/ci/commit_trigger?token=${token}`, { method: 'POST', body: asked })
  return { account_id: studio.world.accounts!.owl!.id as number, build_run_id: told.records[0].id as number }
}

const queued = (kind: string) =>
  studio.db.rows<{ payload: never }>(sql`select payload from jobs where kind = ${kind} order by id desc`)
const row = (id: number) => studio.db.one(sql`select status, phase, build_number, url from build_runs where id = ${id}`)

const accepts = (path: string, item = 21) => {
  jenkins.answers[path] = (_, reply) => reply.writeHead(201, { location: `${jenkins.url}/queue/item/${item}/` }).end()
}

describe('a commit trigger', () => {
  test('starts the job it names, folders and odd names included', async () => {
    const payload = await trigger()
    expect((await queued('start_jenkins'))[0]).toEqual({ payload })
    jenkins.answers[`${JOB}/api/json`] = json(() => job())
    accepts(`${JOB}/build`)
    await startJenkins(outside, payload)
    expect(jenkins.calls.at(-1)).toBe(`POST ${JOB}/build`)
    expect(jenkins.calls).not.toContain('GET /crumbIssuer/api/json')
    expect((await queued('follow_jenkins'))[0]).toEqual({ payload: { ...payload, queue_item: 21, looks: 0 } })
  })

  test('passes the parameters that the job declares by its own names', async () => {
    const payload = await trigger()
    jenkins.answers[`${JOB}/api/json`] = json(() =>
      job({ property: [{}, ...parameters('GIT_COMMIT', 'Branch', 'PLATFORM', 'CL')] }),
    )
    accepts(`${JOB}/buildWithParameters`)
    await startJenkins(outside, payload)
    expect(jenkins.bodies.at(-1)).toBe('GIT_COMMIT=abc123&Branch=main')
  })

  test('sends a crumb and its session with a password', async () => {
    const payload = await trigger({ password: 'secret' })
    jenkins.answers['/crumbIssuer/api/json'] = (_, reply) =>
      reply
        .writeHead(200, { 'set-cookie': 'JSESSIONID.1=node0abc; Path=/; HttpOnly' })
        .end(JSON.stringify({ crumb: 'c0ffee', crumbRequestField: 'Jenkins-Crumb' }))
    jenkins.answers[`${JOB}/api/json`] = json(() => job())
    accepts(`${JOB}/build`)
    await startJenkins(outside, payload)
    expect(jenkins.headers.at(-1)).toMatchObject({ 'jenkins-crumb': 'c0ffee', cookie: 'JSESSIONID.1=node0abc' })
  })

  test('that fails is retried; one that broke off after it was received does not start a second build', async () => {
    const payload = await trigger()
    let state = job()
    jenkins.answers[`${JOB}/api/json`] = json(() => state)
    jenkins.answers[`${JOB}/build`] = (_, reply) => reply.writeHead(503, { 'retry-after': '40' }).end()
    await expect(startJenkins(outside, payload)).rejects.toMatchObject({
      retryAfter: 40,
      message: expect.stringContaining('503'),
    })
    // Received, but the response is lost.
    jenkins.answers[`${JOB}/build`] = (_, reply) => reply.destroy()
    await expect(startJenkins(outside, payload)).rejects.toThrow('is away')
    const [begun, older] = [
      { number: 4, url: `${jenkins.url}${JOB}/4/`, timestamp: Date.now() },
      { number: 3, timestamp: 0 },
    ]
    state = job({ builds: [begun, older] })
    await startJenkins(outside, payload)
    expect(jenkins.calls.filter((call) => call.startsWith('POST'))).toHaveLength(2)
    expect(await row(payload.build_run_id)).toMatchObject({ status: 'building', build_number: '4', url: begun.url })
    expect((await queued('poll_jenkins'))[0]).toEqual({ payload: { ...payload, offset: 0, looks: 0 } })
  })

  test('is not repeated for a build that has already reported', async () => {
    const payload = await trigger()
    await studio.db.execute(sql`update build_runs set status = 'building', build_number = '5' where id = ${payload.build_run_id}`)
    await startJenkins(outside, payload)
    expect(jenkins.calls).toEqual([])
  })
})

describe('an item in the Jenkins queue', () => {
  test('gets its number and is polled from then on', async () => {
    const { account_id, build_run_id } = await trigger()
    const item = jenkinsFixture('queue_item')
    const { executable, ...waiting } = item
    let told: object = waiting
    jenkins.answers['/queue/item/21/api/json'] = json(() => told)
    await followJenkins(outside, { account_id, build_run_id, queue_item: 21, looks: 3 })
    expect((await queued('follow_jenkins'))[0]).toEqual({ payload: { account_id, build_run_id, queue_item: 21, looks: 4 } })
    told = { ...item, executable: { ...executable, url: `${jenkins.url}/job/my-job/9/` } }
    await followJenkins(outside, { account_id, build_run_id, queue_item: 21, looks: 4 })
    expect(await row(build_run_id)).toMatchObject({ status: 'building', build_number: '9', url: `${jenkins.url}/job/my-job/9/` })
    expect((await queued('poll_jenkins'))[0]).toEqual({ payload: { account_id, build_run_id, offset: 0, looks: 0 } })
  })

  test('that is canceled cancels its build; one that Jenkins forgot changes nothing', async () => {
    const { account_id, build_run_id } = await trigger()
    await followJenkins(outside, { account_id, build_run_id, queue_item: 7, looks: 0 })
    expect(await row(build_run_id)).toMatchObject({ status: 'queued' })
    jenkins.answers['/queue/item/7/api/json'] = json(() => ({ cancelled: true }))
    await followJenkins(outside, { account_id, build_run_id, queue_item: 7, looks: 0 })
    expect(await row(build_run_id)).toMatchObject({ status: 'cancelled' })
  })
})
