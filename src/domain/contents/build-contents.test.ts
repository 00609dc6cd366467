import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'

/** Changes 1 to 6 arrive on main in this order; their timestamps are in reverse. */
const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 10, minute)).toISOString()
const change = (identifier: string, branch: string | undefined, minute: number, description = identifier) => ({
  key: identifier,
  project: 'star',
  identifier,
  source_type: 'Changelist',
  author: 'kim',
  description,
  timestamp: at(minute),
  ...(branch && { branches: [branch] }),
})
const build = (key: string, changelist: string, status: string, more: object = {}) => ({
  key,
  project: 'star',
  status,
  ci_job_name: 'night',
  branch: '//game/main',
  changelist,
  build_number: key,
  created_at: at(50),
  started_at: at(50),
  ...more,
})

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team' }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall' },
      { key: 'moon', account: 'owl', name: 'Moonrise' },
    ],
    tokens: [
      { key: 'changes', user: 'kim', name: 'changes', scopes: ['read:changes'] },
      { key: 'builds', user: 'kim', name: 'builds', scopes: ['read:builds'] },
    ],
    changes: [
      change('101', '//game/main', 30),
      change('102', '//game/dev', 29),
      change('103', '//game/main', 28),
      change('104', '//game/main', 27, 'Undo changelist 103'),
      change('105', '//game/main', 26),
      change('106', '//game/main', 25, 'New jump, (cherry picked from changelist 103)'),
      change('107', '//game/main', 24),
      { ...change('newer', 'trunk', 48), source_type: 'GitCommit' },
      { ...change('undoing', 'trunk', 47, 'This reverts commit abcdef12.'), source_type: 'GitCommit' },
      { ...change('abcdef12', undefined, 46), source_type: 'GitCommit' },
      { ...change('older', 'trunk', 45), source_type: 'GitCommit' },
      change('loose-1', undefined, 40),
      change('loose-2', undefined, 42),
    ],
    build_runs: [
      build('dawn', '', 'completed', { branch: '', ci_job_name: 'dawn', created_at: at(1), started_at: at(1) }),
      build('trunk-before', '', 'completed', { branch: 'trunk', commit_hash: 'older' }),
      build('trunk', '', 'failed', { branch: 'trunk', commit_hash: 'newer' }),
      build('loose-before', 'loose-1', 'completed', { branch: '', ci_job_name: 'loose', started_at: at(41) }),
      build('loose', 'loose-2', 'completed', { branch: '', ci_job_name: 'loose', started_at: at(43) }),
      build('first', '101', 'completed'),
      build('other-job', '105', 'completed', { ci_job_name: 'editor' }),
      build('editor-before', '101', 'completed', { ci_job_name: 'editor' }),
      build('editor-red', '107', 'failed', { ci_job_name: 'editor' }),
      build('red', '106', 'failed'),
      // Reported before all others, but for a later change: no build before it passed there.
      build('late', '107', 'completed', { created_at: at(1), started_at: at(1) }),
      build('nameless', '', 'failed', { branch: '' }),
      build('strange', 'unheard-of', 'failed', { branch: '', ci_job_name: 'strange' }),
    ],
  })
})
afterAll(() => studio.close())

const id = (kind: string, key: string) => String(studio.world[kind as 'users']![key]!.id)
const ask = (key: string, { query = '', token = 'changes', project = 'star' } = {}) =>
  studio.ask(`/api/v1/projects/${id('projects', project)}/build_runs/${id('build_runs', key)}/changes${query}`, {
    token: studio.world.tokens![token]!.token as string,
  })
const identifiers = ({ changes }: { changes: { identifier: string }[] }) => changes.map(({ identifier }) => identifier)

test('a build contains the changes of its stream since the job last passed there, whatever the clocks say', async () => {
  const { status, json } = await ask('red')
  expect(status).toBe(200)
  expect(json).toMatchObject({
    basis: 'branch',
    branch: '//game/main',
    has_more: false,
    since: { id: id('build_runs', 'first') },
  })
  // 104 reverts 103; 106 restores it and stays.
  expect(identifiers(json)).toEqual(['106', '105'])
})

test('a pass that was reported earlier counts by its position', async () => {
  expect((await ask('late')).json.since.id).toBe(id('build_runs', 'first'))
  expect(identifiers((await ask('first')).json)).toEqual(['101'])
  expect((await ask('first')).json.since).toBeNull()
})

test('the nearest lower pass counts among several', async () => {
  const { json } = await ask('editor-red')
  expect(json.since.id).toBe(id('build_runs', 'other-job'))
  expect(identifiers(json)).toEqual(['107', '106'])
})

test('a build can be compared with any other', async () => {
  const since = (key: string) => ({ query: `?since_id=${id('build_runs', key)}` })
  expect(identifiers((await ask('red', since('other-job'))).json)).toEqual(['106'])
  expect(identifiers((await ask('late', since('red'))).json)).toEqual(['107'])
  expect(identifiers((await ask('first', since('red'))).json)).toEqual([])
})

test('changes of a world file in any order are on their branch by time', async () => {
  const { json } = await ask('trunk')
  expect(json.since.id).toBe(id('build_runs', 'trunk-before'))
  // A change on no known branch arrived in that time and was reverted.
  expect(identifiers(json)).toEqual(['newer'])
})

test('without a known branch time decides, and a build is not compared with itself', async () => {
  const { json } = await ask('loose')
  expect(json).toMatchObject({ basis: 'time', branch: '', since: { id: id('build_runs', 'loose-before') } })
  expect(identifiers(json)).toEqual(['loose-2'])
})

test('time decides if the other build is before everything known of the branch', async () => {
  const { json } = await ask('red', { query: `?since_id=${id('build_runs', 'dawn')}` })
  expect(json.basis).toBe('time')
  expect(identifiers(json)).toEqual(['106', '107'])
})

test('without a known change the contents are empty', async () => {
  for (const key of ['nameless', 'strange'])
    expect((await ask(key)).json).toMatchObject({ basis: 'unknown', changes: [], branch: '' })
})

test('builds of another project are not found, and read:changes is needed', async () => {
  expect((await ask('red', { project: 'moon' })).status).toBe(404)
  for (const other of ['999999', 'x', '']) expect((await ask('red', { query: `?since_id=${other}` })).status).toBe(404)
  expect((await ask('red', { token: 'builds' })).status).toBe(403)
  expect((await ask('red', { query: '?limit=5' })).status).toBe(422)
})
