import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../src/db/database.ts'
import { effects, openNode, reportWhile, sendWhile } from './support/killing.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { until } from './support/until.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: ['github', 'perforce', 'jenkins'].map((provider) => ({ key: provider, project: 'star', provider })),
  })
})
afterAll(() => studio.close())

test('kill -9 in the middle of retried deliveries: each is recorded exactly once', async () => {
  const COUNT = 400
  const node = await openNode(studio)
  const answers = await sendWhile(studio, node.site, COUNT, async (sent) => {
    await until(() => sent() > COUNT / 4)
    expect(await node.kill()).toBe('SIGKILL')
    await node.start()
  })
  expect(answers).toHaveLength(COUNT)
  expect(answers.some(({ tries }) => tries > 1)).toBe(true)
  // The work after a 202 is done too, by any node.
  await until(async () => ((await effects(studio)) as { waiting: number }).waiting === 0)
  expect(await effects(studio)).toEqual({ changes: COUNT, assets: COUNT, version: 1, approvals: COUNT, taken: COUNT, waiting: 0 })
  // It stops before its timeout.
  expect(await node.kill('SIGTERM')).toBe(0)
})

test('kill -9 in the middle of a burst whose reports are stored: each is recorded exactly once, and those of a job in their order', async () => {
  const [jobs, builds] = [20, 6]
  const node = await openNode(studio)
  const turn = await studio.db.pool.connect()
  // What reports of a project wait for: all of these are stored.
  await turn.query('select pg_advisory_lock($1, $2)', [0x7475726e, studio.world.projects!.star!.id])
  const answers = await reportWhile(studio, node.site, { jobs, builds }, async (sent) => {
    await until(() => sent() > (jobs * builds) / 3)
    expect(await node.kill()).toBe('SIGKILL')
    await node.start()
  })
  expect(answers.some(({ tries }) => tries > 1)).toBe(true)
  for (const { status } of answers) expect(['accepted', 'duplicate']).toContain(status)
  expect(await studio.db.one(sql`select count(*) as builds from build_runs`)).toEqual({ builds: 0 })
  await turn.query('select pg_advisory_unlock_all()')
  turn.release()
  await until(async () => !(await studio.db.one(sql`select from deliveries where outcome = 'accepted' limit 1`)))
  expect(
    await studio.db.rows(sql`
      select outcome, status, count(*) as count from deliveries where path = 'ci' and counts and deferred group by 1, 2`),
  ).toEqual([{ outcome: 'processed', status: 200, count: jobs * builds }])
  const ids = answers.map(({ delivery_id }) => delivery_id)
  expect(await studio.db.one(sql`select count(*) as kept from deliveries where id = any (${ids}::bigint[])`)).toEqual({
    kept: jobs * builds,
  })
  const inOrder = Array.from({ length: builds }, (_, i) => i + 1)
  expect(
    await studio.db.rows(sql`
      select ci_job_name as job, json_agg(build_number::integer order by id) as numbers from build_runs group by 1 order by length(ci_job_name), 1`),
  ).toEqual(
    Array.from({ length: jobs }, (_, job) => ({ job: `job ${job}`, numbers: inOrder.map((number) => job * builds + number) })),
  )
  expect(await node.kill('SIGTERM')).toBe(0)
})

test('when stopping, it also responds to connections in the accept queue', async () => {
  const node = await openNode(studio)
  const { hostname, port } = new URL(node.site)
  // A stopped process accepts nothing: the system queues the connections.
  void node.kill('SIGSTOP')
  const answers: Promise<string>[] = []
  for (let i = 0; i < 40; i++)
    await new Promise<void>((stands) => {
      const caller = connect(Number(port), hostname, () =>
        caller.write('GET /healthz HTTP/1.1\r\nhost: gold\r\n\r\n', () => stands()),
      )
      let said = ''
      caller.on('data', (bytes) => (said += bytes)).on('error', () => {})
      answers.push(new Promise((done) => caller.on('close', () => done(said))))
    })
  const ended = node.kill('SIGTERM')
  void node.kill('SIGCONT')
  expect(await ended).toBe(0)
  for (const said of await Promise.all(answers)) expect(said).toMatch(/^HTTP\/1.1 200 /)
})
