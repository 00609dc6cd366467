import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { BUILD_KINDS, type BuildKind, SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import * as agents from '../agents/agents.ts'
import { trends } from '../builds/trends.ts'
import { unmatched } from './branch-patterns.ts'
import * as branches from './branches.ts'

/** A passed build of each kind, whose branch, job and agent have the name of the kind. */
let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl' }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    projects: [{ key: 'star', account: 'owl', name: 'Star' }],
    build_runs: BUILD_KINDS.map((kind) => ({
      ...{ key: kind, project: 'star', status: 'completed', kind, branch: kind, ci_job_name: kind, build_number: '1' },
      ...{ commit_hash: 'c1', duration_seconds: 60, finished_at: new Date().toISOString() },
    })),
  })
  await studio.db.execute(sql`update build_runs set agent = kind`)
})
afterAll(() => studio.close())

const project = () => ({
  account_id: Number(studio.world.accounts!.owl!.id),
  project_id: Number(studio.world.projects!.star!.id),
})
const ask = async (path: string) =>
  (await studio.ask(`/api/v1/projects/${project().project_id}/${path}`, { token: studio.world.tokens.kim!.token })).json

/** Which kinds of builds each list shows. */
const LISTS: Record<string, { shows: readonly BuildKind[]; read: () => Promise<string[]> }> = {
  'the list of builds': {
    shows: BUILD_KINDS,
    read: async () => (await ask('build_runs')).build_runs.map(({ ci_job_name }: { ci_job_name: string }) => ci_job_name),
  },
  'the feed': {
    shows: BUILD_KINDS,
    read: async () => {
      const { json } = await studio.ask('/api/v1/workspace/events', { token: studio.world.tokens.kim!.token })
      return BUILD_KINDS.filter((kind) => JSON.stringify(json).includes(kind))
    },
  },
  'the names that branch patterns match': {
    shows: BUILD_KINDS.filter((kind) => kind !== 'preflight'),
    read: async () => {
      const missing = await unmatched(studio.db, project(), BUILD_KINDS)
      return BUILD_KINDS.filter((kind) => !missing.includes(kind))
    },
  },
  'the branches': {
    shows: ['regular'],
    read: async () => (await branches.list(studio.db, project(), { q: undefined, limit: 50 })).branches.map(({ name }) => name),
  },
  'the agents': {
    shows: ['regular'],
    read: async () => (await agents.list(studio.db, project())).agents.map(({ name }) => name),
  },
  'the jobs of the plots': {
    shows: ['regular'],
    read: async () => (await trends(studio.db, project(), 30)).jobs.map(({ name }) => name),
  },
}

test.each(Object.keys(LISTS))('%s shows the kinds of builds that it is about, and no other', async (list) => {
  const { shows, read } = LISTS[list]!
  expect((await read()).sort()).toEqual([...shows].sort())
})

test('the plots count builds that stand for their change', async () => {
  const { builds } = await trends(studio.db, project(), 30)
  expect(builds.reduce((sum, { completed }) => sum + completed, 0)).toBe(1)
})
