import { afterAll, beforeAll, expect, test } from 'vitest'
import { runInvestigation } from '../../../test/support/run-investigation.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { type Database, sql } from '../../db/database.ts'
import { BRANCH, inferBranchesOf } from '../branches/positions.ts'
import * as builds from '../builds/report.ts'
import * as changes from '../changes/submit.ts'
import type { IntegrationContext } from '../integrations/context.ts'

const LOG = `$ make game
src/combat.c:54:3: error: 'damage' undeclared
make: *** [game] Error 1
`

let studio: Studio
beforeAll(async () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 10, minute)).toISOString()
  const build = (key: string, minute: number, branch: string, status: string, more: object = {}) => ({
    key,
    project: 'star',
    status,
    ci_job_name: 'night',
    branch,
    build_number: key,
    created_at: at(minute),
    started_at: at(minute),
    finished_at: at(minute + 1),
    ...more,
  })
  const change = (key: string, minute: number, branch: string) => ({
    key,
    project: 'star',
    identifier: key,
    source_type: 'GitCommit',
    author: key,
    description: `Work on combat, ${key}`,
    timestamp: at(minute),
    files: [{ path: 'src/combat.c', action: 'edit' }],
    branches: [branch],
  })
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', credits: 50, daily_limit: 40 }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: ['write:builds', 'read:builds'] }],
    changes: [
      change('on-main', 3, 'main'),
      change('on-feature', 4, 'feature'),
      change('m1', 20, 'main'),
      change('m2', 21, 'main'),
      change('f1', 20, 'feature'),
      change('f2', 21, 'feature'),
      change('f3', 22, 'feature'),
    ],
    build_runs: [
      build('green', 1, 'main', 'completed', { output_log: 'quiet\n' }),
      // Another branch passes later with the same log line that main fails with.
      build('feature-green', 4, 'feature', 'completed', { output_log: LOG }),
      build('red', 5, 'main', 'failed', { output_log: LOG }),
      build('feature-red', 7, 'feature', 'failed', { output_log: LOG }),
      build('31', 31, 'main', 'completed', { ci_job_name: 'day', commit_hash: 'm1', output_log: 'quiet\n' }),
      build('32', 32, 'feature', 'completed', { ci_job_name: 'day', commit_hash: 'f1', output_log: 'quiet\n' }),
      build('33', 33, 'main', 'failed', { ci_job_name: 'day', commit_hash: 'm2', output_log: LOG }),
      build('34', 34, 'feature', 'failed', { ci_job_name: 'day', commit_hash: 'f3', output_log: LOG }),
    ],
  })
})
afterAll(() => studio.close())

const id = (kind: string, key: string) => Number(studio.world[kind as 'users']![key]!.id)

const investigated = (build: string) => investigatedBuild(id('build_runs', build))

async function investigatedBuild(buildId: number) {
  const path = `/api/v1/projects/${id('projects', 'star')}/build_runs/${buildId}`
  const token = studio.world.tokens!.kim!.token as string
  const { json } = await studio.ask(`${path}/investigate`, { method: 'POST', token })
  await runInvestigation(studio.db, json.investigation_id)
  return (await studio.ask(path, { token })).json.investigation
}
const changesOf = ({ suspects }: { suspects: { change_id: number }[] }) => suspects.map(({ change_id }) => change_id)

test('a change on another branch is not a suspect', async () => {
  expect(changesOf(await investigated('red'))).toEqual([id('changes', 'on-main')])
})

test('log lines of a passed build on another branch excuse nothing', async () => {
  const { confidence, evidence } = await investigated('red')
  expect({ confidence, line: evidence[0].line }).toEqual({ confidence: 'high', line: 2 })
})

test('the same failure on another branch is separate', async () => {
  await investigated('red')
  const { steps, suspects } = await investigated('feature-red')
  expect(steps.map(({ name }: { name: string }) => name)).not.toContain('inherit')
  expect(changesOf({ suspects })).not.toContain(id('changes', 'on-main'))
})

test('a failure inherits no suspect from a build of the same job on another branch', async () => {
  expect(changesOf(await investigated('33'))).toEqual([id('changes', 'm2')])
  const found = await investigated('34')
  expect(found.steps.map(({ name }: { name: string }) => name)).not.toContain('inherit')
  expect(changesOf(found).sort()).toEqual([id('changes', 'f2'), id('changes', 'f3')].sort())
})

const contextOf = (): IntegrationContext => ({
  account_id: id('accounts', 'owl'),
  project_id: id('projects', 'star'),
  integration_id: null as never,
  provider: 'github',
  config: {},
  engine: 'custom',
  approval_rules: [],
})
const told = (identifier: string, branch: string): changes.Submitted => ({
  source_type: 'GitCommit',
  identifier,
  author: 'Kim',
  author_uids: [],
  description: 'Merge',
  timestamp: null,
  branch,
  files: null,
})

test('a change that is reported again from another branch keeps its first one', async () => {
  for (const branch of ['', 'feature', 'main']) await changes.submit(studio.db, contextOf(), [told('merged', branch)])
  expect(await studio.db.one(sql`select branch from changes where identifier = 'merged'`)).toEqual({ branch: 'feature' })
})

test('a build and its change that were reported at the same moment are linked by the next report about the build', async () => {
  const context = contextOf()
  const report = (db: Database, number: string) =>
    builds.report(db, context, { build: { job: 'night', number }, status: 'failed', commit_hash: number, log: LOG })
  /** Neither transaction sees the other's writes. */
  const overlap = async (name: string) =>
    (await studio.db.transaction(async (db) => {
      const reported = await report(db, name)
      await studio.db.transaction(async (db) => {
        const { rows } = await changes.submit(db, context, [told(name, 'release')])
        await inferBranchesOf(db, context, [rows[0]!.id])
      })
      return reported
    }))!.id
  const branchOf = async (id: number) =>
    (await studio.db.one<{ branch: string }>(sql`select ${BRANCH} as branch from build_runs b where b.id = ${id}`))!.branch

  const again = await overlap('told-again')
  expect(await branchOf(again)).toBe('')
  await studio.db.transaction((db) =>
    builds.report(db, context, { build: { build_run_id: again }, status: 'failed', commit_hash: 'told-again' }),
  )
  expect(await branchOf(again)).toBe('release')

  const asked = await overlap('asked')
  expect(await branchOf(asked)).toBe('')
  const { suspects, steps } = await investigatedBuild(asked)
  expect(await branchOf(asked)).toBe('release')
  expect(changesOf({ suspects }).length).toBeGreaterThan(0)
  expect(steps.map(({ name }: { name: string }) => name)).not.toContain('range')
})
