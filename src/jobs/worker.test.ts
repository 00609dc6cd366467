import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { goldmaster } from '../../test/support/callers/command.ts'
import { keepLog } from '../../test/support/log.ts'
import { type FakeJenkins, jenkinsFixture, json, openJenkins, progressive } from '../../test/support/servers/jenkins.ts'
import { openUnsteadyWay } from '../../test/support/servers/unsteady.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { until } from '../../test/support/until.ts'
import { openDatabase, sql } from '../db/database.ts'
import { enqueue, reclaim } from '../db/queue.ts'
import { failingJobs } from '../domain/integrations/health.ts'
import { allowedHosts } from '../net/addresses.ts'
import { startWorker, type Worker, type WorkerContext } from './worker.ts'

const SECRET = 'a secret that only tests know, 32 or more'

let studio: Studio
let jenkins: FakeJenkins
let worker: Worker | undefined
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: [{ key: 'perforce', project: 'star', provider: 'perforce' }],
  })
})
afterAll(() => studio.close())
beforeEach(async () => {
  jenkins = await openJenkins()
})
afterEach(async () => {
  await worker?.stop()
  worker = undefined
  jenkins.close()
  await studio.db.execute(sql`delete from jobs`)
})

const context = (): WorkerContext => {
  const { vault, log } = studio.service
  return { db: studio.db, vault, log, allowed: allowedHosts(['127.0.0.1']) } as WorkerContext
}
const BUILD = '/job/night/1'

/** A build on its own Jenkins; the job that polls it waits. */
async function polled() {
  const config = { server: jenkins.url }
  const made = await studio.load({
    integrations: [{ key: 'ci', project: studio.world.projects!.star!.id, provider: 'jenkins', config }],
  })
  const body = { job_name: 'night', build_number: 1, status: 'STARTED', build_url: `${jenkins.url}${BUILD}/` }
  const { json: delivered } = await studio.ask(`/webhooks/ci?token=${made.integrations!.ci!.webhook_token}`, {
    method: 'POST',
    body,
  })
  return { id: delivered.records[0].id as number, integration: made.integrations!.ci!.id as number }
}
const row = async (id: number) =>
  (await studio.db.one<{ status: string; output_log: string | null }>(
    sql`select status, output_log from build_runs where id = ${id}`,
  ))!
const jobs = () =>
  studio.db.rows<{ attempts: number; last_error: string | null }>(sql`select attempts, last_error from jobs where slot is null`)
/** As if a process had claimed the jobs and died a minute ago. */
const abandon = (more = sql`attempts = 1`) =>
  studio.db.execute(sql`
    update jobs set state = 'running', worker = gen_random_uuid(), lease_until = now() - interval '1 minute', ${more} where slot is null`)

describe('the worker', () => {
  test('does the work after a 202', async () => {
    worker = await startWorker(context())
    const token = studio.world.integrations!.perforce!.webhook_token
    const { json: delivered } = await studio.ask(`/webhooks/perforce?token=${token}`, { method: 'POST', body: { changelist: 7 } })
    await until(async () => {
      const delivery = await studio.db.one<{ outcome: string }>(
        sql`select outcome from deliveries where id = ${Number(delivered.delivery_id)}`,
      )
      return delivery?.outcome === 'processed'
    })
    expect(await studio.db.rows(sql`select identifier from changes`)).toEqual([{ identifier: '7' }])
  })

  test('retries what fails later, logs it, and is done when it succeeds', async () => {
    const build = await polled()
    jenkins.answers[`${BUILD}/api/json`] = (_, reply) => reply.writeHead(503).end()
    const began = Date.now()
    worker = await startWorker(context())
    await until(async () => (await failingJobs(studio.db)).length > 0)
    const [job] = await failingJobs(studio.db)
    expect(job).toMatchObject({
      kind: 'poll_jenkins',
      integration_id: build.integration,
      payload: { build_run_id: build.id },
      given_up: false,
      error: expect.stringContaining('answers 503'),
    })
    expect(Date.parse(job!.next_try_at)).toBeGreaterThan(began + 1000)
    jenkins.answers[`${BUILD}/api/json`] = json(() => jenkinsFixture('build'))
    jenkins.answers[`${BUILD}/logText/progressiveText`] = progressive(() => ({ log: Buffer.from('done\n'), running: false }))
    await until(async () => (await row(build.id)).output_log === 'done\n')
    await until(async () => (await failingJobs(studio.db)).length === 0)
  })

  test('that is stopped abandons a slow server and releases its job', async () => {
    const build = await polled()
    let cutOff = false
    jenkins.answers[`${BUILD}/api/json`] = (_, reply) => reply.on('close', () => (cutOff = true))
    worker = await startWorker(context())
    await until(() => jenkins.calls.length > 0)
    await worker.stop()
    worker = undefined
    await until(() => cutOff)
    const held = await studio.db.rows(sql`select id from jobs where state = 'running'`)
    expect(held).toEqual([])
    // Its work noticed the abort and ended by itself: a queue that gives up on it writes another reason.
    expect((await jobs()).map(({ last_error }) => last_error)).toEqual([expect.stringContaining('took too long')])
    expect(await row(build.id)).toMatchObject({ status: 'building' })
  })
})

test('a worker that cannot record the end of a job, because the database is down, does so when it is back', async () => {
  await polled()
  let answer: (() => void) | undefined
  jenkins.answers[`${BUILD}/api/json`] = (_, reply) => {
    answer = () => reply.writeHead(503).end()
  }
  const way = await openUnsteadyWay(studio.url)
  const db = openDatabase(way.url, { max: 8 })
  const { log, lines } = keepLog()
  try {
    worker = await startWorker({ ...context(), db, log })
    await until(() => answer !== undefined)
    way.become('hangs up')
    answer!()
    await until(() => lines.some(({ msg }) => msg === 'saving the result of a job: waiting for the database'))
    expect(await jobs()).toEqual([{ attempts: 1, last_error: null }])
    way.become('good')
    await until(async () => (await jobs())[0]?.last_error?.includes('answers 503') === true)
    const token = studio.world.integrations!.perforce!.webhook_token
    await studio.ask(`/webhooks/perforce?token=${token}`, { method: 'POST', body: { changelist: 8 } })
    await until(async () => (await studio.db.rows(sql`select id from changes where identifier = '8'`)).length > 0)
  } finally {
    await worker?.stop()
    worker = undefined
    way.close()
    await db.close()
  }
})

test('a job that another worker took over is aborted, and what it still does changes nothing in the queue', async () => {
  await polled()
  let cutOff = false
  jenkins.answers[`${BUILD}/api/json`] = (_, reply) => reply.on('close', () => (cutOff = true))
  worker = await startWorker(context())
  await until(() => jenkins.calls.length > 0)
  const other = sql`select gen_random_uuid()`
  await studio.db.execute(sql`update jobs set worker = (${other}) where slot is null`)
  await until(() => cutOff)
  await worker.stop()
  worker = undefined
  const [held] = await studio.db.rows(sql`select state, attempts, last_error from jobs where slot is null`)
  expect(held).toEqual({ state: 'running', attempts: 1, last_error: null })
})

const account = () => studio.world.accounts!.owl!.id as number

test('a job that was claimed without a response is claimed again', async () => {
  const build = await polled()
  jenkins.answers[`${BUILD}/api/json`] = () => {}
  worker = await startWorker(context())
  await until(() => jenkins.calls.length === 1)
  // As the response would have said: a second job of the same worker, which renews only the leases it knows of.
  await enqueue(
    studio.db,
    'poll_jenkins',
    { account_id: account(), build_run_id: build.id, offset: 0, looks: 9 },
    { server: 'b', delay: 3600 },
  )
  await studio.db.execute(sql`
    update jobs j set state = 'running', worker = o.worker, lease_until = now() + interval '1 second', attempts = 1
    from jobs o where o.state = 'running' and o.id <> j.id and j.slot is null`)
  await until(() => jenkins.calls.length === 2)
})

test('a job that a dead worker claimed before the clock was set back is claimed again', async () => {
  await polled()
  jenkins.answers[`${BUILD}/api/json`] = () => {}
  await abandon()
  await studio.db.execute(sql`update jobs set lease_until = now() + interval '1 hour' where slot is null`)
  worker = await startWorker(context())
  await until(() => jenkins.calls.length > 0)
})

describe('a worker that dies', () => {
  const settle = (name: string) =>
    enqueue(
      studio.db,
      'recompute_breakages',
      { account_id: account(), project_id: studio.world.projects!.star!.id as number, job: name },
      { name },
    )
  const left = () => studio.db.rows(sql`select name, state, attempts, last_error from jobs where slot is null order by id`)

  test('leaves no failed job behind if its job was replaced while it ran', async () => {
    await settle('night')
    await abandon()
    await settle('night')
    expect(await left()).toMatchObject([{ state: 'canceled' }, { state: 'waiting', attempts: 0 }])
    await reclaim(studio.db)
    expect(await left()).toMatchObject([{ state: 'waiting', attempts: 0 }])
  })

  test('does not use up an attempt of its job, unless that has been dying for more than a day', async () => {
    await settle('young')
    await abandon(sql`attempts = 25`)
    await reclaim(studio.db)
    expect(await left()).toEqual([{ name: 'young', state: 'waiting', attempts: 24, last_error: null }])
    await abandon(sql`attempts = 25, created_at = now() - interval '25 hours'`)
    await reclaim(studio.db)
    expect(await left()).toEqual([
      { name: 'young', state: 'failed', attempts: 25, last_error: 'The node that worked on it ended.' },
    ])
  })
})

test('a worker whose database vanishes silently continues with the next one, and still renews its leases', async () => {
  const way = await openUnsteadyWay(studio.url)
  const db = openDatabase(way.url, { max: 8, statementTimeout: 2_000 })
  await polled()
  jenkins.answers[`${BUILD}/api/json`] = () => {}
  const leaseEnd = async () =>
    (await studio.db.one<{ lease_until: string }>(sql`select lease_until from jobs where state = 'running'`))?.lease_until ?? ''
  const token = studio.world.integrations!.perforce!.webhook_token
  try {
    worker = await startWorker({ ...context(), db })
    await until(() => jenkins.calls.length > 0)
    way.vanish()
    await studio.ask(`/webhooks/perforce?token=${token}`, { method: 'POST', body: { changelist: 9 } })
    await until(async () => (await studio.db.rows(sql`select id from changes where identifier = '9'`)).length > 0)
    const before = await leaseEnd()
    await until(async () => (await leaseEnd()) > before)
  } finally {
    await worker?.stop()
    worker = undefined
    way.close()
    await db.close()
  }
})

describe('a worker killed in the middle', () => {
  const work = () =>
    goldmaster(['work'], { DATABASE_URL: studio.url, SECRET_KEY: SECRET, ALLOW_PRIVATE_HOSTS: '127.0.0.1', LOG_LEVEL: 'warn' })

  test('leaves its job to the next, and every line of the log is there once', async () => {
    const build = await polled()
    let log = Buffer.from('first line\n')
    let info = { ...jenkinsFixture('build'), building: true, result: null }
    jenkins.answers[`${BUILD}/api/json`] = json(() => info)
    jenkins.answers[`${BUILD}/logText/progressiveText`] = progressive(() => ({ log, running: info.building }))
    const first = work()
    await until(async () => (await row(build.id)).output_log === 'first line\n')

    // The second poll finds more to read, but the response never comes: killed while it waits.
    log = Buffer.from('first line\nsecond line\n')
    const answer = jenkins.answers[`${BUILD}/logText/progressiveText`]!
    const calls = jenkins.calls.length
    jenkins.answers[`${BUILD}/logText/progressiveText`] = () => {}
    await until(() => jenkins.calls.slice(calls).some((call) => call.includes('progressiveText')))
    first.child.kill('SIGKILL')
    expect(await first.ended).toBe('SIGKILL')
    expect((await jobs()).length).toBe(1)
    // Its lease would expire by itself.
    await abandon()

    jenkins.answers[`${BUILD}/logText/progressiveText`] = answer
    info = jenkinsFixture('build')
    worker = await startWorker(context())
    await until(async () => (await row(build.id)).output_log === 'first line\nsecond line\n')
    expect(await row(build.id)).toMatchObject({ status: 'completed' })
    await until(async () => (await jobs()).length === 0)
  })

  test('after its work was written but before the queue was updated does it once', async () => {
    const build = await polled()
    jenkins.answers[`${BUILD}/api/json`] = json(() => ({ ...jenkinsFixture('build'), building: true, result: null }))
    jenkins.answers[`${BUILD}/logText/progressiveText`] = progressive(() => ({ log: Buffer.from('one line\n'), running: true }))
    // A job that was started and never ended, as a dead worker leaves it.
    await abandon()
    const { pollJenkins } = await import('../intake/providers/jenkins/poll.ts')
    await pollJenkins(context(), { account_id: account(), build_run_id: build.id, offset: 0, looks: 0 })
    await reclaim(studio.db)
    expect(await studio.db.rows(sql`select payload ->> 'offset' as offset from jobs order by id`)).toEqual([{ offset: '9' }])
  })
})
