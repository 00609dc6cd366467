import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { branchWorld, type MadeWorld, rangeOf } from '../../../test/support/studios/branch-worlds.ts'
import { BRANCH_MAX } from '../../contract/limits.ts'
import { sql } from '../../db/database.ts'
import { BRANCH, inferBranchesOf, placed } from '../branches/positions.ts'
import * as builds from '../builds/report.ts'
import * as changes from '../changes/submit.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import { type Case, suspectsOf } from '../investigations/suspects.ts'
import { changesOf } from './deployment-contents.ts'

let base: TestDatabase
beforeAll(async () => {
  base = await createDatabase()
  await base.db.execute(sql`insert into accounts (id, name) values (1, 'Owl')`)
})
afterAll(() => base.drop())

let projects = 0
/** A new project for every world. */
async function project(provider: 'github' | 'perforce'): Promise<IntegrationContext> {
  const id = ++projects
  await base.db.execute(sql`insert into projects (id, account_id, name) values (${id}, 1, ${`Project ${id}`})`)
  await base.db.execute(sql`
    insert into integrations (id, account_id, project_id, provider, token_hash, token_sealed)
    values (${id}, 1, ${id}, ${provider}, sha256(${String(id)}::bytea), '')`)
  return { account_id: 1, project_id: id, integration_id: id, provider, engine: 'custom', approval_rules: [], config: {} }
}

/** Plays the world; returns the ids of the builds in their order. */
async function happen(context: IntegrationContext, { deliveries, builds: made, after }: MadeWorld): Promise<number[]> {
  const ids: number[] = []
  const report = async (upTo: number) => {
    for (; ids.length < made.length && after[ids.length]! <= upTo; ) {
      const { job, number, status, commit_hash, changelist, branch } = made[ids.length]!
      const told = { build: { job, number }, status, branch, ...(commit_hash ? { commit_hash } : { changelist: changelist! }) }
      ids.push((await base.db.transaction((db) => builds.report(db, context, told)))!.id)
    }
  }
  await report(0)
  for (const [at, delivery] of deliveries.entries()) {
    await base.db.transaction((db) => changes.submit(db, context, delivery))
    await report(at + 1)
  }
  return ids
}

const identifiersOf = async (context: IntegrationContext, ids: readonly string[]) =>
  (
    await base.db.rows<{ identifier: string }>(
      sql`select identifier from changes where project_id = ${context.project_id} and id = any (${ids}::integer[])`,
    )
  )
    .map(({ identifier }) => identifier)
    .sort()

async function suspected(context: IntegrationContext, buildId: number): Promise<string[]> {
  const it = (await base.db.one<Case>(sql`
    select b.id as build_run_id, b.project_id, b.account_id, b.ci_job_name, ${BRANCH} as branch, b.branch as told_branch, b.commit_hash, b.changelist, '' as output_log,
      coalesce(b.started_at, b.created_at) as began_at
    from build_runs b where b.id = ${buildId}`))!
  const { candidates } = await suspectsOf(base.db, it)
  return identifiersOf(
    context,
    candidates.map(({ id }) => id),
  )
}

async function deployed(context: IntegrationContext, buildId: number, version: string): Promise<string> {
  const row = await base.db.one<{ number: number }>(sql`
    insert into deployments (account_id, project_id, platform, version, status, build_run_id, live_at)
    values (1, ${context.project_id}, 'steam', ${version}, 'live', ${buildId}, now()) returning number`)
  return String(row!.number)
}

const WORLDS = Number(process.env.WORLDS ?? 40)

describe(`in ${WORLDS} studios with two to five streams, merges and cherry-picks`, () => {
  const worlds = fc.sample(branchWorld, { numRuns: WORLDS, seed: 20_261_115 })

  test('suspects are exactly the changes of the build since its job last passed on its stream', async () => {
    let looked = 0
    for (const world of worlds) {
      const context = await project(world.numbered ? 'perforce' : 'github')
      const ids = await happen(context, world)
      for (const [at, build] of world.builds.entries())
        if (build.status === 'failed') {
          looked++
          expect(await suspected(context, ids[at]!), JSON.stringify(build)).toEqual(rangeOf(world, build).sort())
        }
    }
    expect(looked).toBeGreaterThan(WORLDS)
  })

  test('the changes between two releases are the changes of the stream between their builds', async () => {
    let looked = 0
    for (const world of worlds.slice(0, 60)) {
      const [older, newer] = world.builds.flatMap((build, at) => (build.stream === 0 ? [at] : []))
      if (older === undefined || newer === undefined) continue
      looked++
      const context = await project(world.numbered ? 'perforce' : 'github')
      const ids = await happen(context, world)
      await deployed(context, ids[older]!, '1.0')
      const { basis, changes } = await changesOf(base.db, context, await deployed(context, ids[newer]!, '1.1'))
      const truth = world.truth[0]!.slice(world.builds[older]!.holds, world.builds[newer]!.holds)
      expect({ basis, changes: changes.map(({ identifier }) => identifier) }).toEqual({
        basis: 'branch',
        changes: truth.toReversed(),
      })
    }
    expect(looked).toBeGreaterThan(10)
  })
})

const commit = (identifier: string, branch: string, more: object = {}) => ({
  source_type: 'GitCommit' as const,
  identifier,
  author: 'kim',
  author_uids: [],
  description: '',
  timestamp: null,
  branch,
  files: [],
  ...more,
})
const order = async (context: IntegrationContext, branch: string) =>
  (
    await base.db.rows<{ identifier: string }>(sql`
      select c.identifier from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
      where p.account_id = 1 and p.project_id = ${context.project_id} and p.branch = ${branch} order by p.position`)
  ).map(({ identifier }) => identifier)

test('pushes that arrive in any order are stored in the order of their chain', async () => {
  const pushes = [
    [commit('a1', 'main'), commit('a2', 'main', { follows: 'a1' })],
    [commit('b1', 'main', { follows: 'a2' }), commit('b2', 'main', { follows: 'b1' })],
    [commit('c1', 'main', { follows: 'b2' })],
    [commit('d1', 'main', { follows: 'c1' })],
  ]
  const orders = fc.sample(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), { numRuns: 24, seed: 5 })
  for (const sequence of orders) {
    const context = await project('github')
    for (const at of sequence) await base.db.transaction((db) => changes.submit(db, context, pushes[at]!))
    expect(await order(context, 'main'), sequence.join(' ')).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'd1'])
  }
  const context = await project('github')
  await base.db.transaction((db) => changes.submit(db, context, [...pushes[2]!, ...pushes[0]!, ...pushes[1]!]))
  expect(await order(context, 'main')).toEqual(['a1', 'a2', 'b1', 'b2', 'c1'])
})

test('a changelist whose files arrive later is on its streams then, and so is a build that named no branch', async () => {
  const context = await project('perforce')
  const told = { ...commit('101', ''), source_type: 'Changelist' as const, files: null }
  await base.db.transaction((db) => changes.submit(db, context, [told]))
  const { id } = (await base.db.transaction((db) =>
    builds.report(db, context, { build: { job: 'night', number: '1' }, status: 'failed', changelist: '101' }),
  ))!
  expect(await order(context, '//game/main')).toEqual([])
  await base.db.transaction((db) =>
    changes.submit(db, context, [{ ...told, files: [{ path: '//Game/Main/a.cpp', action: 'edit' }] }]),
  )
  expect(await order(context, '//game/main')).toEqual(['101'])
  const change = await base.db.one<{ id: number }>(sql`select id from changes where project_id = ${context.project_id}`)
  await inferBranchesOf(base.db, context, [change!.id])
  expect(await suspected(context, id)).toEqual(['101'])
  const row = await base.db.one<{ branch: string; key: string }>(
    sql`select b.branch, ${BRANCH} as key from build_runs b where b.id = ${id}`,
  )
  expect(row).toEqual({ branch: '', key: '//game/main' })
})

test('a change of another stream is neither a suspect nor in a release, whatever name the CI uses for the stream', async () => {
  const context = await project('perforce')
  const submit = (identifier: string, stream: string) =>
    base.db.transaction((db) =>
      changes.submit(db, context, [
        {
          ...commit(identifier, ''),
          source_type: 'Changelist',
          files: [{ path: `//game/${stream}/Source/Combat.cpp`, action: 'edit' }],
        },
      ]),
    )
  const build = async (number: string, status: 'completed' | 'failed', changelist: string, branch: string) =>
    (await base.db.transaction((db) =>
      builds.report(db, context, { build: { job: branch, number }, status, changelist, branch }),
    ))!.id
  await submit('100', 'main')
  const passed = [await build('1', 'completed', '100', '//game/main'), await build('1', 'completed', '100', 'Main')]
  await submit('101', 'main')
  await submit('102', 'dev')
  const failed = [await build('2', 'failed', '102', '//game/main'), await build('2', 'failed', '102', 'Main')]
  for (const [at, id] of failed.entries()) {
    expect(await suspected(context, id)).toEqual(['101'])
    await deployed(context, passed[at]!, `${at}.0`)
    const { changes: between } = await changesOf(base.db, context, await deployed(context, id, `${at}.1`))
    expect(between.map(({ identifier }) => identifier)).toEqual(['101'])
  }
})

test('a build that names no change has the position of its branch when it started', async () => {
  const context = await project('github')
  await base.db.transaction((db) => changes.submit(db, context, [commit('e1', 'main'), commit('e2', 'main', { follows: 'e1' })]))
  for (const [identifier, minutes] of [
    ['e1', 10],
    ['e2', 2],
  ] as const)
    await base.db.execute(sql`
      update change_branches p set arrived_at = now() - make_interval(mins => ${minutes}) from changes c
      where p.account_id = 1 and c.account_id = 1 and c.id = p.change_id and c.project_id = ${context.project_id}
        and c.identifier = ${identifier}`)
  /** Reported only at its end, by a clock that is years behind: only the duration can be trusted. */
  const report = async (number: string, minutes: number) => {
    const end = Date.UTC(2020, 0, 1)
    const [started_at, finished_at] = [end - minutes * 60_000, end].map((time) => new Date(time).toISOString())
    const told = { build: { job: 'night', number }, status: 'failed', branch: 'main', started_at, finished_at } as const
    return (await base.db.transaction((db) => builds.report(db, context, told)))!.id
  }
  expect(await suspected(context, await report('1', 5))).toEqual(['e1'])
  expect(await suspected(context, await report('2', 1))).toEqual(['e1', 'e2'])
  expect((await placed(base.db, { ...context, id: await report('3', 20) }))!.position).toBeNull()
})

test('a push that is reported again moves nothing that arrived after it', async () => {
  const context = await project('github')
  for (const push of [commit('g1', 'main'), commit('g2', 'main', { follows: 'g1' }), commit('h1', 'main'), commit('g1', 'main')])
    await base.db.transaction((db) => changes.submit(db, context, [push]))
  expect(await order(context, 'main')).toEqual(['g1', 'g2', 'h1'])
})

test('a branch name that does not fit into the index is ignored, and its change is stored', async () => {
  const context = await project('github')
  const branch = 'x'.repeat(BRANCH_MAX + 1)
  const { rows } = await base.db.transaction((db) => changes.submit(db, context, [commit('i1', branch)]))
  expect(rows).toMatchObject([{ identifier: 'i1' }])
  expect(await order(context, branch)).toEqual([])
})

test('a circular chain of pushes ends', async () => {
  const context = await project('github')
  await base.db.transaction((db) => changes.submit(db, context, [commit('f1', 'main', { follows: 'f2' })]))
  await base.db.transaction((db) => changes.submit(db, context, [commit('f2', 'main', { follows: 'f1' })]))
  expect((await order(context, 'main')).toSorted()).toEqual(['f1', 'f2'])
})

test('the event of a finished build contains its duration', async () => {
  const context = await project('github')
  const report = { build: { job: 'night', number: '1' }, status: 'completed' as const, duration_seconds: 90 }
  const { id } = (await base.db.transaction((db) => builds.report(db, context, report)))!
  const rows = await base.db.rows(
    sql`select facts ->> 'seconds' as seconds from outbox where kind = 'build' and row_id = ${String(id)}`,
  )
  expect(rows).toEqual([{ seconds: '90' }])
})
