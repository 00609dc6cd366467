import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeJenkins, jenkinsFixture, json, openJenkins, progressive } from '../../test/support/servers/jenkins.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { workshop } from '../../test/support/studios/workshop.ts'
import { until } from '../../test/support/until.ts'
import { openDatabase, sql } from '../db/database.ts'
import * as investigations from '../domain/investigations/investigations.ts'
import { allowedHosts } from '../net/addresses.ts'
import { explainer } from './explainer.ts'
import { startWorker, type Worker, type WorkerContext } from './worker.ts'

let studio: Studio
let jenkins: FakeJenkins
let worker: Worker | undefined
beforeAll(async () => {
  studio = await openStudio(workshop)
  await studio.db.execute(sql`update accounts set credits = 10000, daily_limit = 10000`)
})
afterAll(() => studio.close())
beforeEach(async () => {
  jenkins = await openJenkins()
})
afterEach(async () => {
  jenkins.close()
  await worker?.stop()
  worker = undefined
  await studio.db.execute(sql`delete from jobs`)
  await studio.db.execute(sql`delete from build_runs`)
})

const context = (): WorkerContext => {
  const { vault, log } = studio.service
  return { db: studio.db, vault, log, allowed: allowedHosts(['127.0.0.1']), site: 'https://gold.example' }
}
const idOf = (kind: string, key: string) => Number(studio.world[kind as 'projects']![key]!.id)

/** Build reports for a Jenkins of a separate account. */
async function report(project: string, server: string, numbers: number[]) {
  const made = await studio.load({
    integrations: [{ key: 'ci', project: idOf('projects', project), provider: 'jenkins', config: { server } }],
  })
  const token = made.integrations!.ci!.webhook_token
  for (const build_number of numbers) {
    const body = { job_name: 'night', build_number, status: 'STARTED', build_url: `${server}/job/night/${build_number}/` }
    await studio.ask(`/webhooks/ci?token=${token}`, { method: 'POST', body })
  }
}

/** Requests investigations of failed builds. */
async function investigate(account: string, project: string, count: number): Promise<number[]> {
  const [accountId, projectId] = [idOf('accounts', account), idOf('projects', project)]
  const ids: number[] = []
  for (let i = 0; i < count; i++) {
    const build = await studio.db.one<{ id: number }>(sql`
      insert into build_runs (account_id, project_id, status, ci_job_name, build_type, target_type, output_log, finished_at)
      values (${accountId}, ${projectId}, 'failed', 'night', 'custom', 'development', 'Combat.cpp(540): error C2065: undeclared', now())
      returning id`)
    const { investigation } = await investigations.start(studio.db, { account_id: accountId, project_id: projectId }, build!.id)
    ids.push(Number(investigation.investigation_id))
  }
  return ids
}
const finished = async (ids: number[]) =>
  (await studio.db.rows(sql`select from investigations where id = any (${ids}::integer[]) and status = 'completed'`)).length

interface Job {
  kind: string
  attempts: number
  held: boolean
  error: string | null
}
const jobs = (kind: string) =>
  studio.db.rows<Job>(sql`
    select kind, attempts, state = 'running' as held, last_error as error from jobs where kind = ${kind}`)

test('forty builds on a Jenkins that never responds block nobody else', async () => {
  let hung = 0
  for (let i = 1; i <= 40; i++) jenkins.answers[`/job/night/${i}/api/json`] = () => void hung++
  const well = await openJenkins()
  well.answers['/job/night/1/api/json'] = json(() => jenkinsFixture('build'))
  well.answers['/job/night/1/logText/progressiveText'] = progressive(() => ({ log: Buffer.from('done\n'), running: false }))
  await report(
    'star',
    jenkins.url,
    Array.from({ length: 40 }, (_, i) => i + 1),
  )
  worker = await startWorker(context())
  await until(() => hung > 0)
  const ids = await investigate('fox', 'den', 3)
  await report('den', well.url, [1])
  await until(async () => (await finished(ids)) === 3)
  await until(async () => (await studio.db.rows(sql`select from build_runs where output_log = ${'done\n'}`)).length === 1)
  // Nobody had to wait for the silent server's timeout.
  const polls = await jobs('poll_jenkins')
  expect(polls.filter(({ error }) => error !== null)).toEqual([])
  // Two that call the silent server, and possibly one that is done but not recorded yet.
  expect(polls.filter(({ held }) => held).length).toBeLessThanOrEqual(3)
  well.close()
})

test('an unreachable server is not called for a while, its jobs wait without a slot, and all of them are done once it is back', async () => {
  const { url } = jenkins
  await report('star', url, [1, 2, 3, 4, 5, 6, 7, 8])
  jenkins.close()
  worker = await startWorker(context())
  await until(async () => (await jobs('poll_jenkins')).every(({ error }) => error !== null))
  const tried = (await jobs('poll_jenkins')).filter(({ attempts }) => attempts > 0)
  expect(tried.length).toBeLessThan(8)
  expect((await jobs('poll_jenkins')).find(({ attempts }) => attempts === 0)!.error).toContain('does not answer')
  jenkins = await openJenkins(Number(new URL(url).port))
  for (let i = 1; i <= 8; i++) {
    jenkins.answers[`/job/night/${i}/api/json`] = json(() => jenkinsFixture('build'))
    jenkins.answers[`/job/night/${i}/logText/progressiveText`] = progressive(() => ({ log: Buffer.from('x\n'), running: false }))
  }
  await until(async () => (await jobs('poll_jenkins')).length === 0)
})

test.each([1, 2])(
  "accounts take turns at investigations with %i worker(s): one request does not wait for another account's many",
  async (nodes) => {
    const crowd = await investigate('owl', 'star', 60)
    const second = await investigate('owl', 'moon', 60)
    const [one] = await investigate('fox', 'den', 1)
    const pools = Array.from({ length: nodes }, () => openDatabase(studio.url, { max: 8 }))
    const workers = await Promise.all(pools.map((db) => startWorker({ ...context(), db })))
    await until(async () => (await finished([one!])) === 1)
    const before = await studio.db.one<{ count: number }>(sql`
    select count(*) as count from investigations where id = any (${[...crowd, ...second]}::integer[])
      and finished_at <= (select finished_at from investigations where id = ${one!})`)
    expect(before!.count).toBeLessThanOrEqual(10 * nodes)
    await until(async () => (await finished([...crowd, ...second])) === 120)
    await Promise.all(workers.map((worker) => worker.stop()))
    await Promise.all(pools.map((pool) => pool.close()))
  },
)

test('a language model that never responds blocks neither investigations nor other work', async () => {
  let hung = 0
  jenkins.answers['/v1/messages'] = () => void hung++
  const model = { url: `${jenkins.url}/v1/messages`, key: undefined, model: 'm' }
  // Calls to the model never end.
  const timeout = new AbortController()
  const explain = explainer(model, studio.service.log, { timeout: () => timeout.signal })
  worker = await startWorker({ ...context(), explain })
  await investigate('owl', 'star', 3)
  await until(() => hung === 3)
  const ids = await investigate('fox', 'den', 5)
  // Another account has a place, too, and its other investigations get the built-in text.
  await until(async () => (await finished(ids)) === 4)
  expect(hung).toBe(4)
  timeout.abort()
  await until(async () => (await finished(ids)) === 5)
})
