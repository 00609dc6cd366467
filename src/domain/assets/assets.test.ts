import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { ASSET_TYPES } from '../../contract/sets.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    changes: [{ key: 'c', project: 'star', identifier: 'abc', source_type: 'GitCommit' }],
    assets: [
      {
        key: 'full',
        project: 'star',
        name: 'T_Moon@2x.png',
        path: 'Content/T_Moon@2x.png',
        asset_type: 'texture',
        version: 4,
        size_bytes: 5_000_000_000,
        last_change: 'c',
        created_at: '2026-03-01',
        updated_at: '2026-03-02',
        approvals: [
          {
            key: 'p2',
            status: 'approved',
            approver: 'artist',
            comments: 'ok by kim@example.com',
            created_at: '2026-02-01',
            decided_at: '2026-02-03',
          },
          { key: 'p3', status: 'pending', created_at: '2026-02-02' },
          { key: 'p1', status: 'denied', approver: 'lead', created_at: '2026-01-01', decided_at: '2026-01-02' },
        ],
      },
      ...ASSET_TYPES.map((asset_type, i) => ({
        key: asset_type,
        project: 'star',
        name: asset_type,
        path: asset_type,
        asset_type,
        created_at: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(),
        approvals: i % 2 ? [{ status: 'pending' }] : i % 4 ? [{ status: 'approved', decided_at: '2026-01-01' }] : [],
      })),
      { key: 'moon', project: 'moon', name: 'moon', path: 'x', asset_type: 'texture', approvals: [{ status: 'pending' }] },
    ],
  })
})
afterAll(() => studio.close())

const { id, inside } = visitor(() => studio)
const list = async (query: string) => {
  const { status, json, text } = await inside(`/assets?limit=50&${query}`)
  expect(status, text).toBe(200)
  return json.assets.map((asset: { name: string }) => asset.name)
}
const newestFirst = [...ASSET_TYPES].reverse()
const pending = newestFirst.filter((type) => ASSET_TYPES.indexOf(type) % 2 === 1)

test('an asset has its fields and the history of its approvals, newest first', async () => {
  const { json } = await inside(`/assets/${id('assets', 'full')}`)
  expect(json).toEqual({
    id: id('assets', 'full'),
    project_id: id('projects', 'star'),
    name: 'T_Moon@2x.png',
    path: 'Content/T_Moon@2x.png',
    asset_type: 'texture',
    approval_status: 'pending',
    next_stage: 'art_review',
    version: 4,
    size_bytes: 5_000_000_000,
    last_change_id: Number(id('changes', 'c')),
    created_at: '2026-03-01T00:00:00.000Z',
    updated_at: '2026-03-02T00:00:00.000Z',
    approvals_history: [
      { id: id('approvals', 'p3'), status: 'pending', approver_user_id: null, comments: '', decided_at: null },
      {
        id: id('approvals', 'p2'),
        status: 'approved',
        approver_user_id: Number(id('users', 'artist')),
        comments: 'ok by kim',
        decided_at: '2026-02-03T00:00:00.000Z',
      },
      {
        id: id('approvals', 'p1'),
        status: 'denied',
        approver_user_id: Number(id('users', 'lead')),
        comments: '',
        decided_at: '2026-01-02T00:00:00.000Z',
      },
    ],
  })
})

test('an asset without an approval request has no approvals', async () => {
  const { json } = await inside(`/assets/${id('assets', 'texture')}`)
  expect(json).toMatchObject({ approval_status: 'none', approvals_history: [], size_bytes: null, last_change_id: null })
})

test('an entry of the list is the asset without its history', async () => {
  const { json } = await inside('/assets?limit=1')
  const { approvals_history, ...entry } = (await inside(`/assets/${id('assets', 'full')}`)).json
  expect(json).toEqual({ assets: [entry], pagination: { limit: 1, has_more: true } })
  expect(approvals_history).toHaveLength(3)
})

test('the list is filtered by type', async () => {
  for (const type of ASSET_TYPES)
    expect(await list(`asset_type=${type}`)).toEqual(type === 'texture' ? ['T_Moon@2x.png', type] : [type])
})

test('pending_approval=true keeps only pending assets; false keeps all', async () => {
  for (const yes of ['true', '1', 'TRUE', 'True'])
    expect(await list(`pending_approval=${yes}`)).toEqual(['T_Moon@2x.png', ...pending])
  for (const no of ['false', '0', 'FALSE'])
    expect(await list(`pending_approval=${no}`)).toEqual(['T_Moon@2x.png', ...newestFirst])
  expect(await list('pending_approval=1&asset_type=model')).toEqual(['model'])
  expect(await list('pending_approval=1&asset_type=audio')).toEqual([])
})

test('pending_approval accepts true, false, 1 and 0', async () => {
  for (const value of ['', 'yes', '2', 'on', 'null', ' true'])
    expect(await inside(`/assets?pending_approval=${encodeURIComponent(value)}`), value).toMatchObject({
      status: 422,
      json: { error: 'invalid_parameter' },
    })
})

test('the list accepts no cursor', async () => {
  expect(await inside('/assets?cursor=x')).toMatchObject({ status: 422, json: { error: 'unknown_parameter' } })
})

test('an id in upper case is the same asset', async () => {
  expect((await inside(`/assets/${id('assets', 'full').toUpperCase()}`)).json.id).toBe(id('assets', 'full'))
})
