import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { until } from '../../../test/support/until.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { type Reservation, reserve, waitsForMemory } from '../../intake/body-memory.ts'
import { openPools, type Pools } from '../../service/pools.ts'

const ACCOUNTS = 5
let own: TestDatabase
let pools: Pools
let tools: Tools
let places: { id: number; account: number; ci: string; github: string }[]
beforeAll(async () => {
  own = await createDatabase()
  pools = openPools(own.url, { statementTimeout: 20_000, onError: () => {} })
  const { db, intake, connections } = pools
  tools = await openTools({ beside: own, service: { db, intake, connections } })
  const each = Array.from({ length: ACCOUNTS }, (_, i) => `studio ${i}`)
  const loaded = await tools.studio.load({
    accounts: each.map((key) => ({ key, name: key })),
    projects: each.map((key) => ({ key, account: key, name: key })),
    integrations: each.flatMap((key) => [
      { key: `ci ${key}`, project: key, provider: 'jenkins' },
      { key: `github ${key}`, project: key, provider: 'github' },
    ]),
  })
  places = each.map((key) => ({
    id: loaded.projects[key]!.id,
    account: loaded.accounts[key]!.id,
    ci: loaded.integrations[`ci ${key}`]!.webhook_token,
    github: loaded.integrations[`github ${key}`]!.webhook_token,
  }))
})
afterAll(async () => {
  await tools.close()
  await pools.close()
  await own.drop()
})
beforeEach(() => own.db.execute(sql`truncate deliveries, build_runs, changes, jobs cascade`))

const LOG = `${'compile a file of the game\n'.repeat(550)}src/part.c:54:3: error: 'part' undeclared\nmake: *** [game] Error 1\n`
const report = ({ ci }: { ci: string }, job: string, number: number, status: string, log = LOG) =>
  tools.post(`ci?token=${ci}`, { job_name: job, build_number: number, status, branch: 'main', log })

/** Takes the lock that reports of a project wait for. */
async function holdTurn({ id }: { id: number }) {
  const session = await own.db.pool.connect()
  await session.query('select pg_advisory_lock($1, $2)', [0x7475726e, id])
  return async () => {
    await session.query('select pg_advisory_unlock_all()')
    session.release()
  }
}

const outcomes = () =>
  own.db.rows<{ outcome: string; status: number; count: number }>(
    sql`select outcome, status, count(*) as count from deliveries group by 1, 2 order by 1, 2`,
  )
const catchUp = async () => {
  while ((await workOff(tools.studio, 'catch_up')) > 0);
}

test.each([
  ['failing', 'FAILURE', 1],
  ['passing', 'SUCCESS', 1],
  ['failing', 'FAILURE', ACCOUNTS],
])(
  '200 %s reports (%s) at once from %i accounts are all recorded once, and lists of others go on',
  async (_, status, accounts) => {
    const reports = Array.from({ length: 200 }, (_, i) => report(places[i % accounts]!, `job ${i % 7}`, i, status))
    const lists = Array.from({ length: 5 }, () => tools.api('tasks'))
    for (const list of await Promise.all(lists)) expect(list.tasks).toHaveLength(1)
    for (const { status, json } of await Promise.all(reports)) {
      expect(status).toBe(200)
      expect(['processed', 'accepted']).toContain(json.status)
    }
    await catchUp()
    expect(await outcomes()).toEqual([{ outcome: 'processed', status: 200, count: 200 }])
    expect(
      await own.db.one(sql`
      select count(*) as builds, count(distinct (ci_job_name, build_number)) as names, min(length(output_log)) as log from build_runs`),
    ).toEqual({ builds: 200, names: 200, log: LOG.length })
  },
)

test('200 pushes at once are all recorded once', async () => {
  const pushes = Array.from({ length: 200 }, (_, i) =>
    tools.post(`github?token=${places[i % ACCOUNTS]!.github}`, push([commit(i.toString(16).padStart(40, 'd'))]), {
      'x-github-event': 'push',
    }),
  )
  for (const { status } of await Promise.all(pushes)) expect(status).toBe(200)
  await catchUp()
  expect(await own.db.one(sql`select count(*) as changes from changes`)).toEqual({ changes: 200 })
  expect(await outcomes()).toEqual([{ outcome: 'processed', status: 200, count: 200 }])
})

test('reports that cannot be processed in time are stored and processed in their order, and later ones do not overtake them', async () => {
  const [place, other] = places as [(typeof places)[0], (typeof places)[0]]
  const release = await holdTurn(place)
  const stuck = Array.from({ length: 40 }, (_, i) => report(place, `job ${i % 3}`, i, 'STARTED', ''))
  for (const { status, json } of await Promise.all(stuck)) expect([status, json.status]).toEqual([200, 'accepted'])
  expect((await report(other, 'free', 1, 'SUCCESS')).json).toMatchObject({ status: 'processed' })
  // Nothing holds these up any more but the stored ones before them.
  await release()
  for (let i = 0; i < 40; i++)
    expect((await report(place, `job ${i % 3}`, i, 'FAILURE')).json).toEqual({
      status: 'accepted',
      delivery_id: expect.any(String),
    })
  // A piece of the log of a build whose report is stored waits, and one of a build that nobody reported is refused.
  const piece = ({ ci }: { ci: string }) =>
    tools.post(`ci/log?token=${ci}&job_name=job%200&build_number=0&stream=${'a'.repeat(8)}&offset=0`, 'a line')
  expect(await piece(place)).toMatchObject({ status: 503, json: { error: 'busy' } })
  expect((await piece(other)).status).toBe(404)
  // A repeat of a stored one.
  expect((await report(place, 'job 0', 0, 'FAILURE')).json).toMatchObject({ status: 'duplicate' })
  await catchUp()
  expect(
    await own.db.rows(sql`select status, count(*) as count from build_runs where project_id = ${place.id} group by 1`),
  ).toEqual([{ status: 'failed', count: 40 }])
  expect(
    await own.db.rows(sql`select distinct outcome, deferred, waited > 0 as waited, facts from deliveries
    where deferred`),
  ).toEqual([{ outcome: 'processed', deferred: true, waited: true, facts: null }])
  const numbers = (rows: { number: string }[]) => rows.map(({ number }) => number)
  expect(
    numbers(await own.db.rows(sql`select build_number as number from build_runs where ci_job_name = 'job 1' order by id`)),
  ).toEqual(
    numbers(
      await own.db.rows(sql`
        select json.body ->> 'build_number' as number from deliveries d, lateral (select convert_from(d.body, 'UTF8')::json as body) json
        where d.deferred and json.body ->> 'status' = 'STARTED' and json.body ->> 'job_name' = 'job 1' order by d.id`),
    ),
  )
  expect((await report(place, 'job 1', 99, 'FAILURE')).json).toMatchObject({ status: 'processed' })
})

test('a stored report that cannot be recorded is given up, and those behind it are processed', async () => {
  const [place] = places as [(typeof places)[0]]
  const release = await holdTurn(place)
  const stuck = [1, 2, 3].map((number) => report(place, `job ${number}`, number, 'SUCCESS'))
  for (const { json } of await Promise.all(stuck)) expect(json).toMatchObject({ status: 'accepted' })
  await release()
  await own.db.execute(sql`alter table build_runs add constraint refuse_one check (build_number <> '2') not valid`)
  await catchUp()
  await own.db.execute(sql`alter table build_runs drop constraint refuse_one`)
  expect(await outcomes()).toEqual([
    { outcome: 'failed', status: 500, count: 1 },
    { outcome: 'processed', status: 200, count: 2 },
  ])
  // It may come again.
  expect((await report(place, 'job 2', 2, 'SUCCESS')).json).toMatchObject({ status: 'processed' })
})

test('the times of a stored report are those of its arrival', async () => {
  const [place] = places as [(typeof places)[0]]
  const release = await holdTurn(place)
  expect((await report(place, 'late', 1, 'SUCCESS')).json).toMatchObject({ status: 'accepted' })
  await release()
  await own.db.execute(sql`update deliveries set received_at = received_at - interval '2 minutes'`)
  await catchUp()
  expect(
    await own.db.one(sql`
      select b.finished_at < d.received_at + interval '1 second' as in_time, d.waited >= 120000 as waited
      from build_runs b, deliveries d`),
  ).toEqual({ in_time: true, waited: true })
})

test('reports that find no memory wait unread, and are then stored and processed; another account goes on', async () => {
  const [place, other] = places as [(typeof places)[0], (typeof places)[0]]
  const full: Reservation[] = []
  for (let bytes = 64 * 1024 * 1024; bytes > 1024; )
    await reserve(place.account, bytes, 0).then(
      (one) => full.push(one),
      () => {
        bytes /= 2
      },
    )
  expect((await report(other, 'free', 1, 'SUCCESS')).json).toMatchObject({ status: 'processed' })
  const reports = Array.from({ length: 30 }, (_, i) => report(place, `job ${i}`, i, 'SUCCESS'))
  await until(() => waitsForMemory(place.account))
  for (const { release } of full) release()
  for (const { status } of await Promise.all(reports)) expect(status).toBe(200)
  await catchUp()
  expect(await outcomes()).toEqual([{ outcome: 'processed', status: 200, count: 31 }])
})
