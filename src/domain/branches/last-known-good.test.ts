import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moveTimes } from '../../../test/support/aging.ts'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { sql } from '../../db/database.ts'
import * as builds from '../builds/report.ts'
import * as changes from '../changes/submit.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import { scrub } from '../privacy/scrub.ts'
import * as branches from './branches.ts'
import { coveredByAll, type Job, type Verdict } from './last-known-good.ts'

const HISTORIES = 500

/** Jobs of a branch with positions 1 to `length`, each with verdicts at some of them, occasionally several at one. */
const history = fc.record({
  length: fc.integer({ min: 1, max: 12 }),
  jobs: fc.array(fc.array(fc.record({ position: fc.integer({ min: 1, max: 12 }), passed: fc.boolean() }), { maxLength: 14 }), {
    minLength: 1,
    maxLength: 4,
  }),
})

/** The definition: the last verdict at or before, the first at or after; of several at one position the newest. */
function covers(verdicts: readonly Verdict[], position: number): boolean {
  const newest = (at: number) =>
    verdicts
      .filter((one) => one.position === at)
      .toSorted((a, b) => a.rank - b.rank)
      .at(-1)!.passed
  const before = verdicts.map((one) => one.position).filter((at) => at <= position)
  const after = verdicts.map((one) => one.position).filter((at) => at >= position)
  return before.length > 0 && after.length > 0 && newest(Math.max(...before)) && newest(Math.min(...after))
}

const ranked = (jobs: readonly { position: number; passed: boolean }[][]): Job[] =>
  jobs.map((verdicts) => ({ verdicts: verdicts.map((one, rank) => ({ ...one, rank })) }))

test(`the last known good change equals a check of every change and job, in ${HISTORIES} histories`, () => {
  fc.assert(
    fc.property(history, ({ length, jobs }) => {
      const known = ranked(jobs)
      const places = Array.from({ length }, (_, at) => at + 1)
      const expected = places.findLast((position) => known.every((job) => covers(job.verdicts, position)))
      const spans = coveredByAll(known)
      const found = spans.flatMap(({ from, to }) => places.findLast((at) => from <= at && at <= to) ?? []).at(0)
      expect(found).toBe(expected)
    }),
    { numRuns: HISTORIES, seed: 2_026 },
  )
})

test(`a new job leaves the good changes before its first verdict good, in ${HISTORIES} histories`, () => {
  fc.assert(
    fc.property(history, ({ length, jobs }) => {
      const known = ranked(jobs).map((job) => ({ ...job, fromFirst: true }))
      const places = Array.from({ length }, (_, at) => at + 1)
      const isBefore = ({ verdicts }: Job, place: number) => verdicts.every(({ position }) => position > place)
      const isGood = (place: number) =>
        known.every((job) => isBefore(job, place) || covers(job.verdicts, place)) &&
        known.some((job) => covers(job.verdicts, place))
      const found = coveredByAll(known).flatMap(({ from, to }) => places.findLast((at) => from <= at && at <= to) ?? [])
      expect(found.at(0)).toBe(places.findLast(isGood))
    }),
    { numRuns: HISTORIES, seed: 2_027 },
  )
})

test('the verdict with the highest rank counts among several at one position', () => {
  const verdicts = [
    { position: 1, passed: true, rank: 2 },
    { position: 1, passed: false, rank: 1 },
  ]
  expect(coveredByAll([{ verdicts }])).toEqual([{ from: 1, to: 1 }])
})

describe('a branch', () => {
  let base: TestDatabase
  const context: IntegrationContext = {
    account_id: 1,
    project_id: 1,
    integration_id: 1,
    provider: 'perforce',
    engine: 'unreal',
    approval_rules: [],
    config: {},
  }
  beforeAll(async () => {
    base = await createDatabase()
    for (const statement of [
      sql`insert into accounts (id, name) values (1, 'Owl')`,
      sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall')`,
      sql`insert into integrations (id, account_id, project_id, provider, token_hash, token_sealed) values (1, 1, 1, 'perforce', sha256('a'), '')`,
    ])
      await base.db.execute(statement)
    for (const number of [100, 101, 103, 104, 106]) await submit(number)
    await submit(105, '//game/dev')
  })
  afterAll(() => base.drop())

  const submit = (number: number, stream = '//game/main') =>
    base.db.transaction((db) =>
      changes.submit(db, context, [
        {
          source_type: 'Changelist',
          identifier: String(number),
          author: 'kim',
          author_uids: [],
          description: '',
          timestamp: null,
          branch: '',
          files: [{ path: `${stream}/a.cpp`, action: 'edit' }],
        },
      ]),
    )
  let numbers = 0
  const build = (
    job: string,
    changelist: number,
    status: 'completed' | 'failed' | 'cancelled' | 'building',
    branch = '//Game/Main',
  ) =>
    base.db.transaction((db) =>
      builds.report(db, context, {
        build: { job, number: String(++numbers) },
        status,
        changelist: String(changelist),
        branch,
      }),
    )
  const health = (branch = '//game/main') => branches.health(base.db, context, { branch })

  test('is good where every job passed on both sides, and shows how far behind that is', async () => {
    await build('Editor', 100, 'completed')
    await build('Cook', 101, 'completed')
    // A depot-wide number that belongs to another stream's change.
    await build('Editor', 105, 'completed')
    await build('Cook', 103, 'completed')
    await build('Cook', 104, 'failed')
    const { state, red_since, last_known_good, head, changes_behind, jobs } = await health()
    expect(last_known_good?.identifier).toBe('103')
    expect(head?.identifier).toBe('106')
    expect({ state, changes_behind }).toEqual({ state: 'red', changes_behind: 2 })
    expect(jobs.map(({ name, state }) => [name, state])).toEqual([
      ['Cook', 'red'],
      ['Editor', 'green'],
    ])
    expect(red_since).toBe(jobs[0]!.red_since)
  })

  test('is red since the first failure after the last pass, and a canceled or running build does not count', async () => {
    const before = await health()
    await build('Cook', 106, 'failed')
    await build('Cook', 106, 'cancelled')
    await build('Cook', 106, 'building')
    const { jobs, red_since, last_known_good } = await health()
    expect(red_since).toBe(before.red_since)
    expect(last_known_good).toEqual(before.last_known_good)
    expect(jobs[0]).toMatchObject({ name: 'Cook', state: 'red', building: true })
    expect(jobs[0]!.runs.map(({ status }) => status)).toEqual([
      'building',
      'cancelled',
      'failed',
      'failed',
      'completed',
      'completed',
    ])
  })

  test('is good again where a job passes later', async () => {
    await build('Cook', 106, 'completed')
    await build('Editor', 106, 'completed')
    expect(await health()).toMatchObject({
      state: 'green',
      red_since: null,
      changes_behind: 0,
      last_known_good: { identifier: '106' },
    })
  })

  test('skips a change that a forced push has dropped', async () => {
    const orphan = (at: string | null) => base.db.execute(sql`update changes set orphaned_at = ${at} where identifier = '106'`)
    await orphan(new Date().toISOString())
    expect(await health()).toMatchObject({ head: { identifier: '104' }, last_known_good: { identifier: '103' } })
    await orphan(null)
    const leave = (at: string | null) =>
      base.db.execute(sql`
        update change_branches p set orphaned_at = ${at} from changes c
        where c.account_id = p.account_id and c.id = p.change_id and c.identifier = '106' and p.branch = '//game/main'`)
    await leave(new Date().toISOString())
    expect(await health()).toMatchObject({ head: { identifier: '104' }, last_known_good: { identifier: '103' } })
    await leave(null)
  })

  test('without a known change has the state of its last run', async () => {
    await build('Lone', 1, 'completed', 'nowhere')
    await build('Lone', 1, 'failed', 'nowhere')
    expect(await health('nowhere')).toMatchObject({ state: 'red', last_known_good: null })
  })

  test("requires only the jobs that the project's settings name for it", async () => {
    await build('Nightly', 106, 'failed')
    expect(await health()).toMatchObject({ state: 'red' })
    const required = [{ branch: '//game/m*n', jobs: ['Editor', 'Cook'] }]
    await base.db.execute(sql`update projects set required_jobs = ${JSON.stringify(required)}::jsonb`)
    expect(await health()).toMatchObject({ state: 'green', last_known_good: { identifier: '106' } })
    await base.db.execute(sql`update projects set required_jobs = '[{"branch": "*", "jobs": ["Never"]}]'`)
    expect(await health()).toMatchObject({ state: 'unknown', last_known_good: null, changes_behind: null })
    await base.db.execute(sql`update projects set required_jobs = '[]'`)
  })

  test('drops a job that has not reported for thirty days', async () => {
    await moveTimes(base.db, 'build_runs', ['created_at'], sql`interval '-31 days'`, sql`t.ci_job_name = 'Nightly'`)
    expect((await health()).jobs.map(({ name }) => name)).toEqual(['Cook', 'Editor'])
  })

  test('is listed with the others, the most recently built first, and found by a part of its name', async () => {
    await build('Editor', 105, 'failed', '//game/dev')
    const names = async (q?: string, limit = 20) => {
      const { branches: rows, pagination } = await branches.list(base.db, context, { q, limit })
      return { names: rows.map(({ name, state }) => [name, state]), has_more: pagination.has_more }
    }
    expect(await names()).toEqual({
      names: [
        ['//game/dev', 'red'],
        ['nowhere', 'red'],
        ['//game/main', 'green'],
      ],
      has_more: false,
    })
    expect(await names(undefined, 1)).toEqual({ names: [['//game/dev', 'red']], has_more: true })
    expect(await names('MAIN')).toEqual({ names: [['//game/main', 'green']], has_more: false })
    expect((await health('Main')).name).toBe('//game/main')
    await expect(health('away')).rejects.toMatchObject({ status: 404 })
    await expect(health('//game/away')).rejects.toMatchObject({ status: 404 })
  })

  test('is found by its own name or the shown one if it contains an address', async () => {
    await build('Lone', 1, 'completed', scrub('fix/kim@example.com'))
    expect((await health('fix/kim')).name).toBe('fix/kim')
    expect((await health('fix/kim@example.com')).name).toBe('fix/kim')
  })

  test('is found by a part of its name among more than are listed', async () => {
    await base.db.execute(sql`
      insert into build_runs (account_id, project_id, status, build_type, target_type, ci_job_name, branch, created_at)
      select account_id, id, 'completed', 'custom', 'development', 'Lone', 'many/' || n || '/end', timestamptz '2020-01-01' + n * interval '1 hour'
      from projects, generate_series(1, 2100) n where id = ${context.project_id}`)
    const { branches: rows } = await branches.list(base.db, context, { q: 'y/7/E', limit: 20 })
    expect(rows.map(({ name }) => name)).toEqual(['many/7/end'])
  })

  test('is good where its jobs last passed, however often they failed since', async () => {
    await submit(200, '//game/long')
    await submit(201, '//game/long')
    await build('Cook', 200, 'completed', '//game/long')
    await base.db.execute(sql`
      insert into build_runs (account_id, project_id, status, build_type, target_type, ci_job_name, branch, changelist)
      select 1, 1, 'failed', 'custom', 'development', 'Cook', '//game/long', '201' from generate_series(1, 100)`)
    expect(await health('//game/long')).toMatchObject({ state: 'red', last_known_good: { identifier: '200' } })
  })

  test('is red while another job is still building for the first time', async () => {
    await build('Cook', 200, 'failed', '//game/half')
    await build('Editor', 200, 'building', '//game/half')
    expect((await health('//game/half')).state).toBe('red')
  })

  test('is not guessed if two streams end alike', async () => {
    await build('Cook', 200, 'completed', '//game/twin')
    expect((await health('twin')).name).toBe('//game/twin')
    await build('Cook', 200, 'completed', '//tools/twin')
    await expect(health('twin')).rejects.toMatchObject({ status: 404 })
  })

  test('does not match a pattern whose parts would have to overlap in its name', async () => {
    await base.db.execute(sql`update projects set required_jobs = '[{"branch": "//game/twin*win", "jobs": ["Never"]}]'`)
    expect((await health('//game/twin')).jobs.map(({ name }) => name)).toEqual(['Cook'])
  })
})
