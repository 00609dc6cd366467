import { expect, test } from 'vitest'
import { Remap } from './remap.ts'

const RANGES = {
  accounts: { range: [1, 1] },
  projects: { range: [5, 9] },
  build_runs: { range: [10, 20] },
  changes: { range: [1, 4] },
  users: { range: [1, 3] },
} as unknown as ConstructorParameters<typeof Remap>[0]
const remap = () =>
  new Remap(
    RANGES,
    new Map([
      ['accounts', 100],
      ['projects', 200],
      ['build_runs', 300],
      ['changes', 400],
      ['users', 500],
    ]),
  )

test('a saved view leads to the project and the record in this service', () => {
  expect(remap().row('saved_views', { path: '/projects/7/builds/12?status=failed' })).toEqual({
    path: '/projects/207/builds/312?status=failed',
  })
  expect(remap().row('saved_views', { path: '/projects/77/builds' })).toEqual({ path: '/projects/77/builds' })
})

test('a suspect keeps its change and its person, and loses those of another account', () => {
  const { suspects } = remap().row('investigations', {
    suspects: [
      { change_id: '2', user_id: 3 },
      { change_id: '9', user_id: 9 },
    ],
  })
  expect(suspects).toEqual([
    { change_id: 402, user_id: 503 },
    { change_id: null, user_id: null },
  ])
})

test('lists of numbers lead to the records in this service, and lose those of another account', () => {
  expect(remap().row('corrections', { cleared_change_ids: [1, 4, 9] })).toEqual({ cleared_change_ids: [401, 404] })
  expect(remap().row('api_tokens', { project_ids: [7, 77] })).toEqual({ project_ids: [207] })
})

test('an approval rule and the people who signed or undid lead to people in this service, and lose those of another account', () => {
  const rule = { path: 'Content/*', stages: [{ name: 'art', project_role: 'lead', user_ids: [1, 3, 9] }] }
  const here = { path: 'Content/*', stages: [{ name: 'art', project_role: 'lead', user_ids: [501, 503] }] }
  expect(remap().row('projects', { approval_rules: [rule, { path: 'Maps/*' }] })).toEqual({
    approval_rules: [here, { path: 'Maps/*' }],
  })
  const sign_offs = [1, 9].map((user_id) => ({ user_id, comments: 'Good', decided_at: '2026-11-01T10:00:00.000Z' }))
  const undone = [{ user_id: 1, asset_version: 2, undone_at: '2026-11-01T10:00:05.000Z' }]
  expect(remap().row('approvals', { rule, sign_offs, undone })).toEqual({
    rule: here,
    undone: [{ ...undone[0], user_id: 501 }],
    sign_offs: [
      { ...sign_offs[0], user_id: 501 },
      { ...sign_offs[1], user_id: null },
    ],
  })
})
