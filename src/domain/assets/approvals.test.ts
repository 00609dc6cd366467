import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { sql } from '../../db/database.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const asset = (key: string, approvals: object[] = [], more: object = {}) => ({
  key,
  project: 'star',
  name: `${key}.png`,
  path: `Content/${key}.png`,
  asset_type: 'texture',
  approvals,
  ...more,
})

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    changes: [{ key: 'cl', project: 'star', identifier: '4711', source_type: 'Changelist' }],
    assets: [
      asset('new', [], { version: 3, last_change: 'cl' }),
      asset('bare'),
      asset('asked', [
        { key: 'old', status: 'denied', stage: 'review', commit_sha: 'aaa', created_at: '2026-01-01', decided_at: '2026-01-02' },
        { key: 'open', status: 'pending', stage: 'content_review', commit_sha: 'bbb', created_at: '2026-02-01' },
      ]),
      asset('settled', [{ key: 'settled', status: 'denied', approver: 'artist', comments: 'no', decided_at: '2026-01-02' }]),
      ...Array.from({ length: 6 }, (_, i) =>
        asset(`listed${i}`, [
          {
            key: `listed${i}`,
            status: ['pending', 'approved', 'denied', 'ignored'][i % 4],
            stage: i % 2 ? 'bulk_approval' : 'List stage',
            commit_sha: i < 3 ? 'listed-a' : 'listed-b',
            created_at: `2025-01-0${i + 1}`,
            updated_at: '2025-06-01',
            ...(i % 4 ? { decided_at: '2025-05-01' } : {}),
          },
        ]),
      ),
      {
        key: 'moon',
        project: 'moon',
        name: 'm',
        path: 'm',
        asset_type: 'model',
        approvals: [{ key: 'moon', stage: 'List stage' }],
      },
    ],
  })
})
afterAll(() => studio.close())

const { id, inside } = visitor(() => studio)
const decide = (key: string, body: unknown, as = 'lead') =>
  inside(`/assets/${id('assets', key)}/approvals`, { method: 'POST', body, as })
const show = async (approvalId: string) => (await inside(`/approvals/${approvalId}`)).json
const assetOf = async (key: string) => (await inside(`/assets/${id('assets', key)}`)).json

describe('a decision', () => {
  test('creates the first record of an asset without an approval request', async () => {
    const answer = await decide('new', { status: 'approved', comments: 'Fine' })
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      asset_id: id('assets', 'new'),
      asset_name: 'new.png',
      commit_sha: '4711',
      approval_stage: 'art_review',
      approval_type: 'manual',
      status: 'approved',
      approver_user_id: Number(id('users', 'lead')),
      comments: 'Fine',
      asset_version: 3,
      approved_at: expect.stringMatching(TIME),
      denied_at: null,
      ignored_at: null,
      decided_at: answer.json.approved_at,
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
      next_stage: null,
    })
    const { next_stage, ...approval } = answer.json
    expect(await show(answer.json.id)).toEqual(approval)
    expect((await assetOf('new')).approval_status).toBe('approved')
  })

  test('updates that record afterwards and creates no other', async () => {
    const first = await decide('bare', { status: 'ignored', stage: 'My stage' })
    expect(first).toMatchObject({ status: 201, json: { commit_sha: '', asset_version: 1, approval_stage: 'My stage' } })
    const second = await decide('bare', { status: 'denied' }, 'artist')
    expect(second).toMatchObject({
      status: 200,
      json: { id: first.json.id, status: 'denied', approval_stage: 'My stage', ignored_at: null, approved_at: null },
    })
    expect(second.json.denied_at).toBe(second.json.decided_at)
    expect(second.json.approver_user_id).toBe(Number(id('users', 'artist')))
    expect((await assetOf('bare')).approvals_history).toHaveLength(1)
  })

  test('settles the newest record and leaves older ones unchanged', async () => {
    const older = await show(id('approvals', 'old'))
    const { status, json } = await decide('asked', { status: 'ignored' })
    expect(status).toBe(200)
    expect(json).toMatchObject({ id: id('approvals', 'open'), approval_stage: 'content_review', commit_sha: 'bbb' })
    expect(json.ignored_at).toBe(json.decided_at)
    expect(await show(id('approvals', 'old'))).toEqual(older)
  })

  test('reverses a settled record, with another stage if given', async () => {
    const { status, json } = await decide('settled', { status: 'approved', stage: 'content_review', comments: 'after all' })
    expect(status).toBe(200)
    expect(json).toMatchObject({ id: id('approvals', 'settled'), denied_at: null, comments: 'after all' })
    expect(json.approval_stage).toBe('content_review')
    expect((await assetOf('settled')).approval_status).toBe('approved')
  })

  test('by two people at once creates one record', async () => {
    const loaded = await studio.load({ assets: [{ ...asset('twice'), project: id('projects', 'star') }] })
    const path = `/assets/${loaded.assets!.twice!.id}/approvals`
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        inside(path, { method: 'POST', body: { status: i % 2 ? 'approved' : 'denied' }, as: i % 2 ? 'artist' : 'lead' }),
      ),
    )
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
    expect(new Set(answers.map((answer) => answer.json.id)).size).toBe(1)
  })

  test('shows no email address from its comments', async () => {
    const { json } = await decide('asked', { status: 'approved', comments: 'ok for Kim <kim@example.com>, max@example.com' })
    expect(json.comments).toBe('ok for Kim <kim>, max')
  })

  test.each<[what: string, body: unknown, error: string]>([
    ['without a status', {}, 'invalid_status'],
    ['that is pending', { status: 'pending' }, 'invalid_status'],
    ['with an unknown status', { status: 'maybe' }, 'invalid_status'],
    ['that is null', { status: null }, 'invalid_status'],
    ['with a stage that is empty', { status: 'approved', stage: '' }, 'invalid_parameter'],
    ['with a stage too long', { status: 'approved', stage: 'x'.repeat(101) }, 'invalid_parameter'],
    ['with comments that are a list', { status: 'approved', comments: [] }, 'invalid_parameter'],
    ['with comments over 64 KiB', { status: 'approved', comments: 'x'.repeat(65_537) }, 'invalid_parameter'],
    ['with NUL in its comments', { status: 'approved', comments: '\0' }, 'invalid_parameter'],
    ['with an unknown field', { status: 'approved', approver: 7 }, 'unknown_parameter'],
    ['wrapped', { approval: { status: 'approved' } }, 'unknown_parameter'],
    ['that is a list', [], 'invalid_parameter'],
  ])('%s is refused and changes nothing', async (_, body, error) => {
    const before = await assetOf('settled')
    const answer = await decide('settled', body)
    expect(answer).toMatchObject({ status: 422, json: { error, message: expect.any(String) } })
    if (error === 'invalid_status') expect(answer.json.valid_statuses).toEqual(['approved', 'denied', 'ignored'])
    expect(await assetOf('settled')).toEqual(before)
  })

  test('releases builds that waited for nothing else', async () => {
    const project = id('projects', 'star')
    const { assets, build_runs } = await studio.load({
      assets: [
        { ...asset('gate1', [{ status: 'pending', commit_sha: 'gated' }]), project },
        { ...asset('gate2', [{ status: 'pending', commit_sha: 'gated' }]), project },
      ],
      build_runs: [{ key: 'b', project, status: 'passed_pending_approval', commit_hash: 'gated' }],
    })
    const build = async () => (await inside(`/build_runs/${build_runs!.b!.id}`)).json.status
    const settle = (key: string, status: string) =>
      inside(`/assets/${assets![key]!.id}/approvals`, { method: 'POST', body: { status } })
    await settle('gate1', 'approved')
    expect(await build()).toBe('passed_pending_approval')
    await settle('gate2', 'denied')
    expect(await build()).toBe('passed_pending_approval')
    await settle('gate2', 'ignored')
    expect(await build()).toBe('completed')
  })
})

describe('the list of approvals', () => {
  const list = async (query: Record<string, string>) => {
    const { status, json, text } = await inside(`/approvals?${new URLSearchParams({ limit: '50', ...query })}`)
    expect(status, text).toBe(200)
    return json.approvals.map((approval: { asset_name: string }) => approval.asset_name.replace('.png', ''))
  }

  test('is filtered by stage, exactly, inside its project', async () => {
    expect(await list({ stage: 'List stage' })).toEqual(['listed4', 'listed2', 'listed0'])
    expect(await list({ stage: 'list stage' })).toEqual([])
    expect(await list({ stage: '' })).toEqual([])
  })

  test('is filtered by commit_sha, exactly', async () => {
    expect(await list({ commit_sha: 'listed-a' })).toEqual(['listed2', 'listed1', 'listed0'])
    expect(await list({ commit_sha: 'listed' })).toEqual([])
    expect(await list({ commit_sha: '' })).toEqual([])
  })

  test('is filtered by one status or several, with the rest', async () => {
    expect(await list({ commit_sha: 'listed-b', status: 'approved,ignored,approved' })).toEqual(['listed5', 'listed3'])
    expect(await list({ stage: 'List stage', status: 'pending' })).toEqual(['listed4', 'listed0'])
    expect(await list({ stage: 'bulk_approval', status: 'pending' })).toEqual([])
  })

  test('is filtered by the time of the last change', async () => {
    const found = await list({ stage: 'List stage', updated_since: '2025-06-01' })
    expect(found).toHaveLength(3)
    expect(await list({ stage: 'List stage', updated_since: '2025-06-01T00:00:00.001Z' })).toEqual([])
  })

  test('has the time of each decision in the right field', async () => {
    const { approvals } = (await inside('/approvals?commit_sha=listed-a')).json
    for (const approval of approvals) {
      const at = approval.status === 'pending' ? null : '2025-05-01T00:00:00.000Z'
      expect(approval.decided_at).toBe(at)
      for (const status of ['approved', 'denied', 'ignored'])
        expect(approval[`${status}_at`]).toBe(approval.status === status ? at : null)
    }
  })
})

test('a decision writes nothing into another project', async () => {
  const before = await studio.db.rows(sql`select * from approvals where project_id = ${Number(id('projects', 'moon'))}`)
  const answer = await inside(`/assets/${id('assets', 'moon')}/approvals`, { method: 'POST', body: { status: 'approved' } })
  expect(answer.status).toBe(404)
  expect(await studio.db.rows(sql`select * from approvals where project_id = ${Number(id('projects', 'moon'))}`)).toEqual(before)
})
