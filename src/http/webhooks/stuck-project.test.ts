import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { lockBreakages } from '../../domain/branches/project-lock.ts'
import { openPools, type Pools } from '../../service/pools.ts'

let own: TestDatabase
let pools: Pools
let tools: Tools
let moon: { id: number; token: string }
beforeAll(async () => {
  own = await createDatabase()
  pools = openPools(own.url, { statementTimeout: 20_000, onError: () => {} })
  const { db, intake, connections } = pools
  tools = await openTools({ beside: own, service: { db, intake, connections } })
  const loaded = await tools.studio.load({
    accounts: [{ key: 'fox', name: 'Red Fox' }],
    projects: [{ key: 'moon', account: 'fox', name: 'Moonrise' }],
    integrations: [{ key: 'moon', project: 'moon', provider: 'jenkins' }],
  })
  moon = { id: loaded.projects.moon!.id, token: loaded.integrations.moon!.webhook_token }
})
afterAll(async () => {
  await tools.close()
  await pools.close()
  await own.drop()
})

const report = (number: string, token: string) =>
  tools.post(`ci?token=${token}`, { job_name: 'night', build_number: number, status: 'SUCCESS', log: 'line\n'.repeat(1_000) })

/** Takes the lock that a project's reports and decisions wait for. */
async function holdTurn(projectId: number) {
  const session = await own.db.pool.connect()
  await session.query('select pg_advisory_lock($1, $2)', [0x7475726e, projectId])
  return async () => {
    await session.query('select pg_advisory_unlock_all()')
    session.release()
  }
}

const waiting = () =>
  own.db.execute(sql`
    select from pg_locks where not granted and locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`)

test('a project whose reports and decisions wait for a lock blocks nobody else, neither readiness nor any list', async () => {
  await tools.studio.load({ assets: [{ project: tools.project, name: 'T_Sky.png', path: 'T_Sky.png', asset_type: 'texture' }] })
  const [{ id }] = (await tools.api('assets')).assets as [{ id: string }]
  const release = await holdTurn(tools.project)
  const reports = Array.from({ length: 40 }, (_, i) => report(`stuck ${i}`, tools.tokenOf('jenkins')))
  const decisions = Array.from({ length: 10 }, () =>
    tools.studio.ask(`/api/v1/projects/${tools.project}/assets/${id}/approvals`, {
      method: 'POST',
      body: { status: 'approved' },
      token: tools.studio.world.tokens.all!.token,
    }),
  )
  // A transaction with reports, and decisions.
  await until(async () => (await waiting()) >= 2)
  expect(await report('free', moon.token)).toMatchObject({ status: 200, json: { status: 'processed' } })
  expect((await tools.studio.ask('/readyz')).status).toBe(200)
  for (const list of ['tasks', 'build_runs', 'assets']) expect((await tools.api(list))[list]).toBeDefined()
  await release()
  for (const { status } of await Promise.all([...reports, ...decisions])) expect([200, 201, 503]).toContain(status)
  await until(async () => (await report('again', tools.tokenOf('jenkins'))).status === 200)
})

test('several blocked projects of one account leave connections for other accounts', async () => {
  const keys = ['one', 'two', 'three']
  const loaded = await tools.studio.load({
    projects: keys.map((key) => ({ key, account: tools.studio.world.accounts.owl!.id, name: key })),
    integrations: keys.flatMap((key) => [
      { key: `ci ${key}`, project: key, provider: 'jenkins' },
      { key: `git ${key}`, project: key, provider: 'github' },
    ]),
  })
  const releases = await Promise.all(keys.map((key) => holdTurn(loaded.projects[key]!.id)))
  const tokenOf = (key: string) => loaded.integrations[key]!.webhook_token
  const stuck = keys.flatMap((key) => [
    ...Array.from({ length: 4 }, (_, i) => report(`stuck ${i}`, tokenOf(`ci ${key}`))),
    ...Array.from({ length: 4 }, (_, i) =>
      tools.post(`github?token=${tokenOf(`git ${key}`)}`, push([commit(`${keys.indexOf(key)}${i}`.padEnd(40, 'e'))]), {
        'x-github-event': 'push',
      }),
    ),
  ])
  await until(async () => (await waiting()) >= 3)
  expect(await report('meanwhile', moon.token)).toMatchObject({ status: 200, json: { status: 'processed' } })
  for (const release of releases) await release()
  for (const { status } of await Promise.all(stuck)) expect([200, 503]).toContain(status)
})

test('while breakages of a project are computed, its pushes and approvals continue, and build reports wait', async () => {
  const pushed = (name: string) =>
    tools.post(
      `github?token=${tools.tokenOf('github')}`,
      push([commit(name.padEnd(40, 'f'), { added: ['Art/T_Harbour.png'], modified: [], removed: [] })]),
      { 'x-github-event': 'push' },
    )
  const pending = async () =>
    (await tools.api('approvals?status=pending')).approvals.map(({ commit_sha }: { commit_sha: string }) => commit_sha)
  expect((await pushed('1')).status).toBe(200)
  let late: ReturnType<typeof report> | undefined
  await own.db.transaction(async (db) => {
    await lockBreakages(db, tools.project)
    late = report('late', tools.tokenOf('jenkins'))
    await until(async () => (await waiting()) >= 1)
    expect((await pushed('2')).status).toBe(200)
    expect(await pending()).toContain('2'.padEnd(40, 'f'))
    expect(
      (await tools.api('build_runs')).build_runs.map(({ build_number }: { build_number: string }) => build_number),
    ).not.toContain('late')
  })
  expect(await late).toMatchObject({ status: 200, json: { status: 'processed' } })
})
