import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FakeJenkins, jenkinsFixture, json, openJenkins, progressive } from '../../../../test/support/servers/jenkins.ts'
import { openStudio, type Studio } from '../../../../test/support/studio.ts'
import { sql } from '../../../db/database.ts'
import type { Jobs } from '../../../db/queue.ts'
import { allowedHosts } from '../../../net/addresses.ts'
import type { JobContext } from '../../job-context.ts'
import { pollJenkins } from './poll.ts'

let studio: Studio
let jenkins: FakeJenkins
let outside: JobContext
let token: string
let number = 0

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
  const config = { server: jenkins.url, user: 'gold', api_token: 'jenkins api token' }
  const project = studio.world.projects!.star!.id
  const made = await studio.load({ integrations: [{ key: 'ci', project, provider: 'jenkins', config }] })
  token = made.integrations!.ci!.webhook_token as string
})
afterEach(() => jenkins.close())

const PATH = '/job/Folder/job/Folder-project'
const answers = (run: number) => ({
  info: `${PATH}/${run}/api/json`,
  console: `${PATH}/${run}/logText/progressiveText`,
})

/** A build that Jenkins reported; the resulting poll is taken from the queue. */
async function reported(status = 'STARTED', url?: string) {
  const run = ++number
  const body = { job_name: 'Folder/Folder-project', build_number: run, status, build_url: url ?? `${jenkins.url}${PATH}/${run}/` }
  const { json: told } = await studio.ask(`/webhooks/ci?token=${token}`, { method: 'POST', body })
  const id: number = told.records[0].id
  return { id, run, ...answers(run), job: (await waiting(id))! }
}

/** The next poll, taken from the queue: one that still waits would keep its time. */
const waiting = async (id: number) =>
  (await studio.db.one<{ payload: Jobs['poll_jenkins']; seconds: number }>(sql`
      delete from jobs where name = ${`poll_jenkins:${id}`} returning payload, extract(epoch from run_at - now())::float8 as seconds`)) ??
  undefined

const row = async (id: number) =>
  (await studio.db.one<Record<string, unknown>>(sql`
    select status, output_log, artifacts, started_at, finished_at, duration_seconds from build_runs where id = ${id}`))!

const finished = (more: object = {}) => ({ ...jenkinsFixture('build'), ...more })
const running = (more: object = {}) => finished({ building: true, inProgress: true, result: null, duration: 0, ...more })

describe('a build on the configured Jenkins', () => {
  test('is polled from its first line to its last, with growing delays', async () => {
    const build = await reported()
    let info = running()
    let log: Buffer | undefined
    jenkins.answers[build.info] = json(() => info)
    jenkins.answers[build.console] = progressive(() => ({ log, running: info.building }))

    await pollJenkins(outside, build.job.payload)
    expect(await row(build.id)).toMatchObject({ status: 'building', output_log: null })
    let next = (await waiting(build.id))!
    expect(next.payload).toEqual({ account_id: build.job.payload.account_id, build_run_id: build.id, offset: 0, looks: 1 })
    expect(next.seconds).toBeGreaterThan(1)

    log = Buffer.from('Started by user Jenkins Admin\nzażółć gęślą\nhalf a li')
    await pollJenkins(outside, next.payload)
    expect(await row(build.id)).toMatchObject({ output_log: 'Started by user Jenkins Admin\nzażółć gęślą\n' })
    next = (await waiting(build.id))!
    expect(next.payload).toMatchObject({ looks: 2 })

    log = Buffer.concat([log, Buffer.from('ne\nFinished: SUCCESS\n')])
    info = finished({ artifacts: [{ fileName: 'Game v1.zip', relativePath: 'out/Game v1.zip' }] })
    await pollJenkins(outside, next.payload)
    expect(await row(build.id)).toEqual({
      status: 'completed',
      output_log: 'Started by user Jenkins Admin\nzażółć gęślą\nhalf a line\nFinished: SUCCESS\n',
      artifacts: [
        { name: 'out/Game v1.zip', size_bytes: null, url: `${jenkins.url}${PATH}/${build.run}/artifact/out/Game%20v1.zip` },
      ],
      started_at: new Date(info.timestamp).toISOString(),
      finished_at: new Date(info.timestamp + 15_358).toISOString(),
      duration_seconds: 15,
    })
    expect(await waiting(build.id)).toBeUndefined()
    expect(jenkins.headers.every(({ authorization }) => authorization === `Basic ${btoa('gold:jenkins api token')}`)).toBe(true)
  })

  test.each([
    ['FAILURE', 'failed'],
    ['UNSTABLE', 'failed'],
    ['ABORTED', 'cancelled'],
    ['NOT_BUILT', 'cancelled'],
  ])('that ends with %s is %s', async (result, status) => {
    const build = await reported()
    jenkins.answers[build.info] = json(() => finished({ result }))
    await pollJenkins(outside, build.job.payload)
    expect(await row(build.id)).toMatchObject({ status })
  })

  test('on a Jenkins of 2014 is read', async () => {
    const build = await reported()
    jenkins.answers[build.info] = json(() => jenkinsFixture('build__2014'))
    await pollJenkins(outside, build.job.payload)
    expect(await row(build.id)).toMatchObject({ status: 'completed', started_at: '2014-07-25T05:15:17.652Z' })
  })

  test('keeps the last 256,000 characters of a console of 60 MB, and reads little more than those', async () => {
    const build = await reported()
    const line = 'LogCook: Display: żółty smok\n'
    const log = Buffer.concat([Buffer.from(line.repeat(2_000_000)), Buffer.from('Finished: FAILURE\n')])
    jenkins.answers[build.info] = json(() => finished({ result: 'FAILURE' }))
    jenkins.answers[build.console] = progressive(() => ({ log, running: false }))
    await pollJenkins(outside, build.job.payload)
    const { output_log } = (await row(build.id)) as { output_log: string }
    expect([...output_log]).toHaveLength(256_000)
    expect(output_log.endsWith(`${line}Finished: FAILURE\n`)).toBe(true)
    expect(output_log).not.toContain('\uFFFD')
    expect(jenkins.calls.filter((call) => call.includes('progressiveText')).length).toBe(2)
  })

  test('reads many thousand lines per poll while it runs', async () => {
    const build = await reported()
    const log = Buffer.from(Array.from({ length: 35_000 }, (_, i) => `line ${i}\n`).join(''))
    jenkins.answers[build.info] = json(() => running())
    jenkins.answers[build.console] = progressive(() => ({ log, running: true }))
    await pollJenkins(outside, build.job.payload)
    const { output_log } = (await row(build.id)) as { output_log: string }
    expect(output_log.endsWith('line 34998\nline 34999\n')).toBe(true)
    expect((await waiting(build.id))!.payload.offset).toBe(log.length)
  })

  test('starts its log over when Jenkins does', async () => {
    const build = await reported()
    let log = Buffer.from('a first try that ran for long\n')
    jenkins.answers[build.info] = json(() => running())
    jenkins.answers[build.console] = progressive(() => ({ log, running: true }))
    await pollJenkins(outside, build.job.payload)
    log = Buffer.from('rotated\n')
    await pollJenkins(outside, (await waiting(build.id))!.payload)
    expect(await row(build.id)).toMatchObject({ output_log: 'rotated\n' })
  })

  test('without a log still ends, and keeps the log of its report', async () => {
    const build = await reported('FAILURE')
    await studio.db.execute(sql`update build_runs set output_log = 'from the report' where id = ${build.id}`)
    jenkins.answers[build.info] = json(() => finished({ result: 'FAILURE' }))
    await pollJenkins(outside, build.job.payload)
    expect(await row(build.id)).toMatchObject({ status: 'failed', output_log: 'from the report' })
    expect(await waiting(build.id)).toBeUndefined()
  })
})

describe('a failing Jenkins', () => {
  test.each([
    ['returns 503', (_: unknown, reply: { writeHead(n: number): { end(): void } }) => reply.writeHead(503).end()],
    ['returns 403', (_: unknown, reply: { writeHead(n: number): { end(): void } }) => reply.writeHead(403).end()],
    ['returns a login page', (_: unknown, reply: { end(text: string): void }) => reply.end('<html>')],
  ])('that %s fails the job and changes nothing', async (_, answer) => {
    const build = await reported()
    jenkins.answers[build.info] = answer as never
    await expect(pollJenkins(outside, build.job.payload)).rejects.toThrow(/answers|HTTP 403/)
    expect(await row(build.id)).toMatchObject({ status: 'building', output_log: null })
  })

  test('that is slow is abandoned when the worker stops', async () => {
    const build = await reported()
    jenkins.answers[build.info] = () => {}
    await expect(pollJenkins(outside, build.job.payload, AbortSignal.timeout(200))).rejects.toThrow('took too long')
  })

  test('whose console never ends still has its result; the job fails without using up memory', async () => {
    const build = await reported()
    jenkins.answers[build.info] = json(() => finished({ result: 'FAILURE' }))
    jenkins.answers[build.console] = (_, reply) => {
      reply.writeHead(200, { 'x-text-size': '10' })
      const more = () => {
        while (reply.writable && reply.write(Buffer.alloc(65_536, 'x'))) {}
      }
      reply.on('drain', more)
      more()
    }
    await expect(pollJenkins(outside, build.job.payload)).rejects.toThrow('more than')
    expect(await row(build.id)).toMatchObject({ status: 'failed', output_log: null })
  })
})

describe('another server', () => {
  test.each([
    ['another host', () => 'http://localhost:1/job/x/1/'],
    ['another port', () => 'http://127.0.0.1:1/job/x/1/'],
    ['another scheme', () => `${jenkins.url.replace('http:', 'https:')}/job/x/1/`],
    ['a name with the same prefix', () => `${jenkins.url}.evil.example/job/x/1/`],
    ['a page that is not a build', () => `${jenkins.url}/script`],
    ['a path outside of the job', () => `${jenkins.url}/job/x/1/../../../script`],
  ])('is never called: %s', async (_, url) => {
    const build = await reported('STARTED', url())
    await pollJenkins(outside, build.job.payload)
    expect(jenkins.calls).toEqual([])
    expect(await row(build.id)).toMatchObject({ status: 'building', output_log: null })
  })

  test('is not reached through a redirect', async () => {
    const other = await openJenkins()
    const build = await reported()
    jenkins.answers[build.info] = (_, reply) => reply.writeHead(302, { location: `${other.url}${build.info}` }).end()
    await expect(pollJenkins(outside, build.job.payload)).rejects.toThrow('redirects elsewhere')
    expect(other.calls).toEqual([])
    other.close()
  })

  test('on a private address is not called unless the operator allows it', async () => {
    const build = await reported()
    for (const entries of [[], ['webhooks:127.0.0.1', 'jenkins:127.0.0.1:9']])
      await expect(
        pollJenkins({ ...outside, allowed: allowedHosts(entries, ['webhooks', 'jenkins']) }, build.job.payload),
      ).rejects.toThrow('ALLOW_PRIVATE_HOSTS')
    expect(jenkins.calls).toEqual([])
  })
})
