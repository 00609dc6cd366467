import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'

const SHA = '0123456789abcdef0123456789abcdef01234567'
const change = (key: string, source_type: string, more: object = {}) => ({
  key,
  project: 'star',
  identifier: key,
  source_type,
  timestamp: '2026-01-01',
  ...more,
})
const build = (key: string, more: object) => ({ key, project: 'star', ci_job_name: key, status: 'completed', ...more })
const approvals = (project: string, key: string, statuses: string[], commit_sha: string) => ({
  key,
  project,
  name: key,
  path: key,
  asset_type: 'texture',
  approvals: statuses.map((status) => ({ status, commit_sha })),
})

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    changes: [
      change('full', 'GitCommit', {
        identifier: SHA,
        author: 'Kim Doe <kim@example.com>',
        description: 'Fix it, asked by max@example.com\n\nSigned-off-by: Kim Doe <kim@example.com>',
        timestamp: '2026-02-01T10:00:00.5Z',
        created_at: '2026-02-02',
        updated_at: '2026-02-03',
        files: [
          { path: 'a.cpp', action: 'edit' },
          { path: 'b.cpp', action: 'add' },
        ],
      }),
      change('git-unknown', 'GitCommit'),
      change('git-none', 'GitCommit', { files: [] }),
      change('cl-unknown', 'Changelist'),
      change('lore-unknown', 'AssetCommit'),
      change('lore', 'AssetCommit', { files: [{ path: 'x', action: 'delete' }] }),
      change('4711', 'Changelist'),
      change('bare', 'GitCommit', { author: 'kim@example.com' }),
      change('ghost', 'GitCommit', { orphaned_at: '2026-01-05', timestamp: '2026-03-01' }),
      change('same', 'GitCommit', { identifier: 'same' }),
      change('same-cl', 'Changelist', { identifier: 'same' }),
      { ...change('moon', 'GitCommit', { identifier: SHA }), project: 'moon' },
    ],
    build_runs: [
      build('first', { commit_hash: SHA, status: 'failed', created_at: '2026-02-01' }),
      build('second', { commit_hash: SHA, created_at: '2026-02-02' }),
      build('by-changelist', { changelist: '4711' }),
      build('both', { changelist: '4711', commit_hash: '4711' }),
      build('short', { commit_hash: SHA.slice(0, 12) }),
      build('none', {}),
      { ...build('moons', { commit_hash: SHA }), project: 'moon' },
    ],
    assets: [
      approvals('star', 'a', ['pending', 'approved'], SHA),
      approvals('star', 'b', ['denied', 'ignored', 'pending'], SHA),
      approvals('star', 'c', ['pending'], 'other'),
      approvals('moon', 'm', ['pending', 'pending'], SHA),
    ],
    tasks: [
      { key: 't1', project: 'star', title: 'One', links: { changes: ['full'] } },
      { key: 't2', project: 'star', title: 'Two', links: { changes: ['full', '4711'] } },
    ],
  })
})
afterAll(() => studio.close())

const { id, inside } = visitor(() => studio)
const show = async (key: string) => (await inside(`/changes/${id('changes', key)}`)).json
const list = async (query: Record<string, string>) => {
  const { status, json, text } = await inside(`/changes?${new URLSearchParams({ limit: '50', ...query })}`)
  expect(status, text).toBe(200)
  return json.changes
}
const identifiers = async (query: Record<string, string>) =>
  (await list(query)).map((one: { identifier: string }) => one.identifier)

describe('a change', () => {
  test('has all its related records', async () => {
    const reference = (key: string, status: string) => ({
      id: id('build_runs', key),
      status,
      commit_hash: SHA,
      ci_job_name: key,
    })
    expect(await show('full')).toEqual({
      id: Number(id('changes', 'full')),
      branches: [],
      identifier: SHA,
      display_identifier: SHA.slice(0, 8),
      source_type: 'GitCommit',
      author: 'Kim Doe',
      description: 'Fix it, asked by max\n\nSigned-off-by: Kim Doe <kim>',
      timestamp: '2026-02-01T10:00:00.500Z',
      orphaned_at: null,
      created_at: '2026-02-02T00:00:00.000Z',
      updated_at: '2026-02-03T00:00:00.000Z',
      file_count: 2,
      approval_count: 5,
      files: [
        { path: 'a.cpp', action: 'edit' },
        { path: 'b.cpp', action: 'add' },
      ],
      files_available: true,
      approvals: { pending: 2, approved: 1, denied: 1, ignored: 1 },
      build_runs: [reference('second', 'completed'), reference('first', 'failed')],
      latest_build: reference('second', 'completed'),
      task_ids: [Number(id('tasks', 't1')), Number(id('tasks', 't2'))],
    })
  })

  test('without file data has unknown files for git and none for the others', async () => {
    const of = async (key: string) => {
      const { file_count, files, files_available } = await show(key)
      return { file_count, files, files_available }
    }
    expect(await of('git-unknown')).toEqual({ file_count: null, files: [], files_available: false })
    for (const key of ['git-none', 'cl-unknown', 'lore-unknown'])
      expect(await of(key), key).toEqual({ file_count: 0, files: [], files_available: true })
    expect(await of('lore')).toEqual({ file_count: 1, files: [{ path: 'x', action: 'delete' }], files_available: true })
  })

  test('has the same files in the list', async () => {
    const counts = Object.fromEntries(
      (await list({})).map((one: { identifier: string; file_count: number }) => [one.identifier, one.file_count]),
    )
    expect(counts).toMatchObject({ 'git-unknown': null, 'git-none': 0, 'cl-unknown': 0, 'lore-unknown': 0, [SHA]: 2 })
  })

  test('without related records has empty lists', async () => {
    expect(await show('bare')).toMatchObject({
      author: 'kim',
      approval_count: 0,
      approvals: { pending: 0, approved: 0, denied: 0, ignored: 0 },
      build_runs: [],
      latest_build: null,
      task_ids: [],
    })
  })

  test('finds its builds by changelist as well, each once', async () => {
    const { build_runs, display_identifier } = await show('4711')
    expect(display_identifier).toBe('CL 4711')
    expect(build_runs.map((one: { ci_job_name: string }) => one.ci_job_name).sort()).toEqual(['both', 'by-changelist'])
  })

  test('counts only approvals of its own project', async () => {
    const { json } = await inside(`/changes/${id('changes', 'moon')}`, { project: 'moon' })
    expect(json).toMatchObject({ approval_count: 2, approvals: { pending: 2 }, build_runs: [{ id: id('build_runs', 'moons') }] })
  })

  test('that was dropped by a forced push is found by its id and marked', async () => {
    expect(await show('ghost')).toMatchObject({ orphaned_at: '2026-01-05T00:00:00.000Z' })
  })
})

describe('the list of changes', () => {
  test('omits orphaned rows unless requested', async () => {
    for (const orphaned of ['true', '1', 'TRUE']) expect((await identifiers({ orphaned }))[0]).toBe('ghost')
    for (const orphaned of ['false', '0', 'False']) expect(await identifiers({ orphaned })).not.toContain('ghost')
    expect(await identifiers({})).not.toContain('ghost')
    expect(await identifiers({ identifier: 'ghost' })).toEqual([])
    expect(await identifiers({ identifier: 'ghost', orphaned: '1' })).toEqual(['ghost'])
  })

  test('finds an identifier exactly', async () => {
    expect(await identifiers({ identifier: SHA })).toEqual([SHA])
    for (const identifier of [SHA.slice(0, 8), SHA.toUpperCase(), '', 'CL 4711', '%'])
      expect(await identifiers({ identifier })).toEqual([])
  })

  test('is filtered by source, and by source and identifier', async () => {
    expect((await identifiers({ source_type: 'Changelist' })).sort()).toEqual(['4711', 'cl-unknown', 'same'])
    expect((await identifiers({ source_type: 'AssetCommit' })).sort()).toEqual(['lore', 'lore-unknown'])
    expect(await identifiers({ identifier: 'same' })).toHaveLength(2)
    expect(await list({ identifier: 'same', source_type: 'GitCommit' })).toMatchObject([{ id: Number(id('changes', 'same')) }])
  })

  test('is sorted by when changes were made, not by when they arrived', async () => {
    const times = (await list({ orphaned: '1' })).map((one: { timestamp: string }) => one.timestamp)
    expect(times).toEqual([...times].sort().reverse())
    expect(times[0]).toBe('2026-03-01T00:00:00.000Z')
  })

  test('shows no addresses in authors and texts', async () => {
    const [one] = await list({ identifier: SHA })
    expect(one).toMatchObject({ author: 'Kim Doe', description: 'Fix it, asked by max\n\nSigned-off-by: Kim Doe <kim>' })
    expect(one).not.toHaveProperty('files')
  })
})
