import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { commit, push } from '../../../test/support/tools.ts'
import { EVERY_VERSION } from '../../contract/routes/approval-defaults.ts'
import type { ApprovalRule } from '../../contract/routes/approval-rules.ts'
import { asking, pathFitting } from './approval-rules.ts'

const PASSWORD = 'a long enough password'
const ART = { path: 'Content/Art/T_Sky.png', asset_type: 'texture', size_bytes: 4_000 } as const
const MIA = { author: 'Mia Sol <mia@example.com>', author_role: 'guest' } as const
const rule = (some: Partial<ApprovalRule>): ApprovalRule => ({ ...EVERY_VERSION, ...some })

let studio: Studio
let lead: Visitor
beforeAll(async () => {
  const now = new Date().toISOString()
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    projects: [
      { key: 'star', account: 'owl', name: 'Star', members: { lead: 'owner' } },
      { key: 'none', account: 'owl', name: 'None', members: { lead: 'owner' }, approval_rules: [] },
      { key: 'main', account: 'owl', name: 'Main', members: { lead: 'owner' }, approval_rules: [{ branch: 'main' }] },
      { key: 'large', account: 'owl', name: 'Large', members: { lead: 'owner' } },
      { key: 'past', account: 'owl', name: 'Past', members: { lead: 'owner' }, approval_rules: [] },
    ],
    integrations: ['star', 'none', 'main'].flatMap((project) => [
      { key: project, project, provider: 'github' },
      { key: `${project}-ci`, project, provider: 'jenkins' },
    ]),
    changes: [
      ...[50_000, 1].map((count, i) => ({
        project: 'large',
        identifier: String(9 - i),
        source_type: 'Changelist',
        timestamp: new Date(Date.parse(now) - i * 60_000).toISOString(),
        files: Array.from({ length: count }, (_, at) => ({ path: `//game/main/T_${i}_${at}.png`, action: 'add' })),
      })),
      {
        key: 'art',
        project: 'past',
        identifier: '1'.repeat(40),
        author: 'Mia Sol',
        timestamp: now,
        branches: ['main'],
        files: [
          { path: 'Content/Art/T_Sky.png', action: 'added' },
          { path: 'Content/Art/T_Gone.png', action: 'deleted' },
        ],
      },
      {
        project: 'past',
        identifier: '2'.repeat(40),
        author: 'Kim Doe',
        timestamp: now,
        branches: ['art'],
        files: [
          { path: 'Content/Art/T_Sky.png', action: 'modified' },
          { path: 'Source/main.cpp', action: 'modified' },
        ],
      },
      {
        project: 'past',
        identifier: '3'.repeat(40),
        timestamp: '2026-01-01T00:00:00Z',
        branches: ['main'],
        files: [{ path: 'Content/Art/T_Old.png', action: 'added' }],
      },
    ],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
})
afterAll(() => studio.close())

const placeOf = (key: string) => `/projects/${studio.world.projects[key]!.id}`
const tell = (key: string, commits: object[], more: object = {}) =>
  studio.ask(`/webhooks/github?token=${studio.world.integrations[key]!.webhook_token}`, {
    method: 'POST',
    body: push(commits, more),
    headers: { 'x-github-event': 'push' },
  })
const waiting = async (place: string): Promise<string[]> =>
  (await lead.app(`${place}/approvals?status=pending`)).json.approvals.map((one: { asset_name: string }) => one.asset_name)
const build = async (key: string, commit_sha: string) => {
  await studio.ask(`/webhooks/ci?token=${studio.world.integrations[`${key}-ci`]!.webhook_token}`, {
    method: 'POST',
    body: { job_name: 'Cook', build_number: commit_sha.slice(0, 3), status: 'success', commit: commit_sha },
  })
  return (await lead.app(`${placeOf(key)}/build_runs`)).json.build_runs[0].status
}

describe('a rule', () => {
  test.each<[Partial<ApprovalRule>, branches?: string[]]>([
    [{}],
    [{ asset_types: ['audio', 'texture'] }],
    [{ path: 'content/art/*', branch: 'ma*', author: 'mia *' }],
    [{ path: '*.png' }],
    [{ branch: '//game/rel-*' }, ['//Game/rel-2']],
    [{ branch: 'main' }, ['art', 'refs/heads/main']],
    [{ author: 'MIA SOL' }],
    [{ larger_than: 3_999 }],
    [{ author_roles: ['member', 'guest'] }],
  ])('for %j asks for approval', (some, branches = ['main']) => {
    expect(asking([rule({ branch: 'elsewhere' }), rule(some)], MIA)({ ...ART, branches: () => branches })).toBe(1)
  })

  test.each<[Partial<ApprovalRule>, branches?: string[]]>([
    [{ asset_types: ['audio'] }],
    [{ path: 'Content/Art/*', asset_types: ['audio'] }],
    [{ path: 'Content/Audio/*' }],
    [{ branch: 'main' }, []],
    [{ branch: 'Main' }],
    [{ author: 'Mia' }],
    [{ author: '*@example.com' }],
    [{ larger_than: 4_000 }],
    [{ author_roles: ['member'] }],
  ])('for %j does not ask for approval', (some, branches = ['main']) => {
    expect(asking([rule(some)], MIA)({ ...ART, branches: () => branches })).toBeUndefined()
  })

  test('whose size or author is unknown does not match a rule about sizes or roles', () => {
    const unknown = { ...ART, size_bytes: null, branches: () => [] }
    expect(asking([rule({ larger_than: 0 })], MIA)(unknown)).toBeUndefined()
    expect(asking([rule({ author_roles: ['guest'] })], { author: 'Mia Sol' })(unknown)).toBeUndefined()
  })

  test('is required by the first rule that it matches', () => {
    const rules = [rule({ branch: 'elsewhere' }), rule({ path: '*.png' }), rule({})]
    expect(asking(rules, MIA)({ ...ART, branches: () => ['main'] })).toBe(1)
  })

  test.each([
    ['Art/*', 'Content/Art/a.png', true],
    ['Art/', 'Content/Art/Deep/a.png', true],
    ['/Art/*', 'Content/Art/a.png', false],
    ['art/*', 'Content/SmArt/a.png', false],
    ['Content\\Art\\*', 'Content/Art/a.png', true],
    ['//game/.../Audio/...', '//Game/main/Audio/a.wav', true],
    ['//game/main/...', '//game/rel/a.wav', false],
    ['Art/T_Sky.png', 'Content/Art/T_Sky.png', true],
    ['T_Sky', 'Content/Art/T_Sky.png', false],
  ])('with the path %s and the file %s matches: %s', (pattern, path, matches) => {
    expect(pathFitting(pattern)(path)).toBe(matches)
  })
})

describe('a changed file', () => {
  test('is matched by the default rule in a project without settings', async () => {
    await tell('star', [commit('a'.repeat(40), { added: ['Content/T_Sky.png', 'Source/main.cpp'], modified: [] })])
    expect(await waiting(placeOf('star'))).toEqual(['T_Sky.png'])
    expect(await build('star', 'a'.repeat(40))).toBe('passed_pending_approval')
    expect((await lead.app(`${placeOf('star')}/settings`)).json).toMatchObject({ approval_rules: null, approval_types: null })
  })

  test('needs no approval in a project with an empty list of rules, and its build does not wait', async () => {
    await tell('none', [commit('b'.repeat(40), { added: ['Content/T_Sky.png'], modified: [] })])
    expect(await waiting(placeOf('none'))).toEqual([])
    expect(await build('none', 'b'.repeat(40))).toBe('completed')
    expect((await lead.app(`${placeOf('none')}/assets`)).json.assets).toMatchObject([{ approval_status: 'none' }])
  })

  test('stays pending when its rule is deleted', async () => {
    const place = placeOf('none')
    await lead.app(`${place}/settings`, { method: 'PATCH', body: { approval_rules: [rule({ path: 'Content/Art/*' })] } })
    const files = { added: ['Content/Art/T_Tree.png', 'Content/T_Moon.png'], modified: [] }
    await tell('none', [commit('c'.repeat(40), files)])
    expect(await waiting(place)).toEqual(['T_Tree.png'])
    await lead.app(`${place}/settings`, { method: 'PATCH', body: { approval_rules: [] } })
    expect(await waiting(place)).toEqual(['T_Tree.png'])
    expect(await build('none', 'c'.repeat(40))).toBe('passed_pending_approval')
  })

  test('needs approval once its change arrives on the branch of the rule, and only once', async () => {
    const place = placeOf('main')
    const one = commit('d'.repeat(40), { added: ['Content/T_Sky.png'], modified: [] })
    await tell('main', [one], { ref: 'refs/heads/art' })
    expect(await waiting(place)).toEqual([])
    await tell('main', [one], { ref: 'refs/heads/main' })
    expect(await waiting(place)).toEqual(['T_Sky.png'])
    const [asset] = (await lead.app(`${place}/assets`)).json.assets
    expect(asset).toMatchObject({ approval_status: 'pending', version: 1 })
    await lead.app(`${place}/assets/${asset.id}/approvals`, { method: 'POST', body: { status: 'approved' } })
    await tell('main', [one], { ref: 'refs/heads/main' })
    await tell('main', [one], { ref: 'refs/heads/main-2' })
    expect(await waiting(place)).toEqual([])
  })
})

describe('the rules of a project', () => {
  test('are empty in a project that a person creates', async () => {
    const { json } = await lead.app(`/accounts/${studio.world.accounts.owl!.id}/projects`, {
      method: 'POST',
      body: { name: 'Moon', engine: 'unity' },
    })
    expect(json).toMatchObject({ approval_rules: [], approval_types: [] })
  })

  test('can be set as a list of asset types', async () => {
    const edit = async (body: object) => (await lead.app(`${placeOf('past')}/settings`, { method: 'PATCH', body })).json
    expect(await edit({ approval_types: ['texture'] })).toMatchObject({
      approval_rules: [rule({ asset_types: ['texture'] })],
      approval_types: ['texture'],
    })
    expect(await edit({ name: 'Past' })).toMatchObject({ approval_types: ['texture'] })
    expect(await edit({ approval_types: null })).toMatchObject({ approval_rules: null, approval_types: null })
    expect(await edit({ approval_types: [] })).toMatchObject({ approval_rules: [] })
  })

  test('are returned with the branch patterns that match nothing', async () => {
    const body = { approval_rules: [rule({ branch: 'main' }), rule({ branch: 'trunk' })] }
    const { json } = await lead.app(`${placeOf('past')}/settings`, { method: 'PATCH', body })
    expect(json.unmatched_patterns).toEqual(['trunk'])
  })
})

describe('the preview', () => {
  const preview = async (approval_rules: ApprovalRule[] | null, key = 'past') =>
    (await lead.app(`${placeOf(key)}/approval_rules/preview`, { method: 'POST', body: { approval_rules } })).json

  test('counts the approvals that the default rule would have requested in the last 30 days', async () => {
    expect(await preview(null)).toEqual({
      days: 30,
      changes: 2,
      assets: 1,
      first: [
        { path: 'Content/Art/T_Sky.png', change: { id: expect.any(Number), display_identifier: '22222222' } },
        { path: 'Content/Art/T_Sky.png', change: { id: studio.world.changes.art!.id, display_identifier: '11111111' } },
      ],
      looked_at: 2,
      complete: true,
      sizes_unknown: 0,
    })
  })

  test('reports that it stopped after 50,000 files', async () => {
    expect(await preview(null, 'large')).toMatchObject({ assets: 50_000, changes: 1, looked_at: 1, complete: false })
  })

  test('applies path, type, branch and author', async () => {
    expect(await preview([])).toMatchObject({ changes: 0, assets: 0, first: [] })
    expect(await preview([rule({ branch: 'main' })])).toMatchObject({ changes: 1, assets: 1 })
    expect(await preview([rule({ author: 'kim*' })])).toMatchObject({ changes: 1, assets: 2 })
    expect(await preview([rule({ asset_types: ['script'] })])).toMatchObject({ first: [{ path: 'Source/main.cpp' }] })
    expect(await preview([rule({ path: 'Content/Audio/*' })])).toMatchObject({ assets: 0 })
    expect(await preview([rule({ larger_than: 1 })])).toMatchObject({ assets: 0, sizes_unknown: 3 })
    expect(await preview([rule({ author_roles: ['guest'] })])).toMatchObject({ assets: 0 })
  })
})
