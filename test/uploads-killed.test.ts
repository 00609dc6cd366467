import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../src/db/database.ts'
import { openNode } from './support/killing.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { until } from './support/until.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
  })
})
afterAll(() => studio.close())

const CASES = 5_000
const FAILING = 10

const file = (suite: string) => {
  const cases = Array.from(
    { length: CASES },
    (_, at) =>
      `<testcase classname="${suite}" name="keeps rule ${at}">${at < FAILING ? '<failure message="broken"/>' : ''}</testcase>`,
  )
  return new Blob([`<testsuite name="${suite}">${cases.join('')}</testsuite>`])
}

const stored = () =>
  studio.db.one<Record<string, number>>(sql`
    select (select count(*) from test_builds) as builds, (select coalesce(sum(cardinality(digests)), 0) from test_builds)::integer as files,
      (select count(*) from test_reports) as reports, (select count(*) from test_cases) as cases, (select count(*) from test_runs) as runs,
      (select coalesce(sum(passed + failed), 0) from test_runs)::integer as outcomes, (select count(*) from test_failures) as failures,
      (select count(*) from jobs where kind = 'judge_tests') as jobs`)

/** Whether a statement of the node waits for the lock that is held here. */
const isWaiting = async () =>
  (await studio.db.one<{ waits: boolean }>(sql`
    select exists (select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()
      and l.relation = 'test_failures'::regclass) as waits`))!.waits

test('kill -9 in the middle of an upload: nothing of it is stored, and sending it again stores it once', async () => {
  const node = await openNode(studio)
  const upload = async () => {
    const body = new FormData()
    for (const suite of ['Ai', 'Net']) body.append('file', file(suite), `${suite}.xml`)
    const answer = await fetch(`${node.site}/webhooks/tests?job_name=Tests&build_number=7`, {
      method: 'POST',
      headers: { 'x-webhook-token': studio.world.integrations.ci!.webhook_token },
      body,
    })
    return (await answer.json()) as { status: string }
  }
  // The upload waits before it writes its failures: builds, cases and outcomes are written by then.
  await studio.db.transaction(async (db) => {
    await db.execute(sql`lock table test_failures in share mode`)
    const cut = upload().catch(() => 'cut')
    await until(isWaiting)
    expect(await node.kill()).toBe('SIGKILL')
    expect(await cut).toBe('cut')
  })
  await until(async () => !(await isWaiting()))
  await node.start()
  const nothing = { builds: 0, files: 0, reports: 0, cases: 0, runs: 0, outcomes: 0, failures: 0, jobs: 0 }
  expect(await stored()).toEqual(nothing)

  expect(await upload()).toMatchObject({ status: 'recorded' })
  const { jobs: _, ...once } = (await stored())!
  expect(once).toEqual({ builds: 1, files: 2, reports: 1, cases: 2 * CASES, runs: 1, outcomes: 2 * CASES, failures: 2 * FAILING })
  expect(await upload()).toMatchObject({ status: 'duplicate' })
  expect(await stored()).toMatchObject(once)
  expect(await node.kill('SIGTERM')).toBe(0)
})
