import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { advanceClock, resetClock } from '../../../test/support/clock.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { commit, push } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const PEOPLE = { lead: 'owner', ann: 'member', ben: 'member', kim: 'member', guest: 'guest' } as const
const STAGES = [
  { name: 'look', project_role: 'approver', approvals: 2 },
  { name: 'tech', project_role: 'lead', users: ['kim'] },
]
const project = (key: string, more: object) => ({
  key,
  account: 'owl',
  name: key,
  members: { lead: 'owner', ann: 'approver', ben: 'approver', kim: 'approver', guest: 'contributor' },
  ...more,
})

let studio: Studio
const who = {} as Record<keyof typeof PEOPLE | 'stranger', Visitor>
beforeAll(async () => {
  const person = (key: string, account: string, role: string) => ({
    key,
    email: `${key}@example.com`,
    name: key,
    password: PASSWORD,
    accounts: { [account]: role },
    connected_accounts: [{ provider: 'github', uid: key }],
  })
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: [...Object.entries(PEOPLE).map(([key, role]) => person(key, 'owl', role)), person('stranger', 'fox', 'owner')],
    projects: [
      project('star', { approval_rules: [{ path: '*.png', stages: STAGES }] }),
      project('free', { approval_rules: [{ path: 'Loose/*', gate: false }, { path: 'Content/*' }] }),
      project('roles', { approval_rules: [{ author_roles: ['guest'], larger_than: 10 }, { author_roles: ['member'] }] }),
    ],
    integrations: ['star', 'free', 'roles'].flatMap((key) => [
      { key, project: key, provider: 'github' },
      { key: `${key}-ci`, project: key, provider: 'jenkins' },
    ]),
  })
  for (const key of [...Object.keys(PEOPLE), 'stranger'] as (keyof typeof who)[])
    who[key] = await signIn(studio, `${key}@example.com`, PASSWORD)
})
// On a slow machine too, a decision made now is only a moment old.
beforeEach(() => advanceClock(studio.db, '-1 hour'))
afterEach(() => resetClock(studio.db))
afterAll(() => studio?.close())

const placeOf = (key: string) => `/projects/${studio.world.projects[key]!.id}`
const userId = (key: string) => Number(studio.world.users[key]!.id)
const tell = (path: string, key: string, body: object, headers = {}) =>
  studio.ask(`/webhooks/${path}?token=${studio.world.integrations[key]!.webhook_token}`, { method: 'POST', body, headers })

let made = 0
/** Files that one commit changed, with the build that passed with them. */
async function change(files: string[], { key = 'star', by = 'mia', modified = [] as string[] } = {}) {
  const sha = String(++made).padStart(40, 'd')
  const author = { name: by, email: `${by}@elsewhere.example`, username: by }
  await tell('github', key, push([commit(sha, { added: files, modified, author })]), { 'x-github-event': 'push' })
  await tell('ci', `${key}-ci`, { job_name: 'Cook', build_number: String(made), status: 'success', commit: sha })
  const { approvals } = (await who.lead.app(`${placeOf(key)}/approvals?commit_sha=${sha}`)).json
  const { build_runs } = (await who.lead.app(`${placeOf(key)}/build_runs`)).json
  return {
    sha,
    ids: approvals.map((one: { asset_id: string }) => one.asset_id) as string[],
    build: build_runs[0].status as string,
  }
}
let files = 0
const one = async () => (await change([`Content/T_${++files}.png`])).ids[0]!
const decide = (by: keyof typeof who, id: string, status = 'approved', more: object = {}) =>
  who[by].app(`${placeOf('star')}/assets/${id}/approvals`, { method: 'POST', body: { status, ...more } })
const bulk = (by: keyof typeof who, asset_ids: string[], status = 'approved') =>
  who[by].app(`${placeOf('star')}/approvals/bulk`, { method: 'POST', body: { asset_ids, status } })
const undo = (by: keyof typeof who, asset_ids: string[]) =>
  who[by].app(`${placeOf('star')}/approvals/undo`, { method: 'POST', body: { asset_ids } })
const assetOf = async (id: string) => (await who.lead.app(`${placeOf('star')}/assets/${id}`)).json
const recordsOf = (id: string) =>
  studio.db.rows<{ approval_stage: string; status: string; approver: number | null; signed: number[] }>(sql`
    select approval_stage, status, approver_user_id as approver, array(select (s ->> 'user_id')::integer from jsonb_array_elements(sign_offs) s) as signed
    from approvals where asset_id = ${id} order by created_at, id`)

describe('a stage', () => {
  test('is approved by as many people as its rule says, each counted once; then the next stage is requested', async () => {
    const id = await one()
    expect(await assetOf(id)).toMatchObject({ approval_status: 'pending', next_stage: 'look' })
    expect((await decide('ann', id, 'approved', { comments: 'Nice' })).json).toMatchObject({
      status: 'pending',
      approver_user_id: null,
    })
    expect((await decide('ann', id)).json).toMatchObject({ status: 'pending', approval_stage: 'look' })
    expect((await decide('ben', id)).json).toMatchObject({
      status: 'approved',
      approval_stage: 'look',
      approver_user_id: userId('ben'),
    })
    expect(await assetOf(id)).toMatchObject({ approval_status: 'pending', next_stage: 'tech' })
    expect(await recordsOf(id)).toEqual([
      { approval_stage: 'look', status: 'approved', approver: userId('ben'), signed: [userId('ann'), userId('ben')] },
      { approval_stage: 'tech', status: 'pending', approver: null, signed: [] },
    ])
    expect((await decide('kim', id)).json).toMatchObject({ status: 'approved', approval_stage: 'tech' })
    expect(await assetOf(id)).toMatchObject({ approval_status: 'approved', next_stage: null })
  })

  test('is decided by its role, by the people it names and by leads; others get 403 with the role', async () => {
    const id = await one()
    await decide('ann', id)
    await decide('lead', id)
    const refused = {
      status: 403,
      json: { error: 'insufficient_role', required_role: 'lead', message: expect.stringContaining('tech') },
    }
    expect(await decide('ann', id)).toMatchObject(refused)
    expect(await decide('ann', id, 'denied')).toMatchObject(refused)
    expect(await decide('guest', id)).toMatchObject({ status: 403, json: { required_role: 'approver' } })
    expect(await decide('stranger', id)).toMatchObject({ status: 404 })
    expect(await assetOf(id)).toMatchObject({ next_stage: 'tech' })
    expect((await decide('lead', id)).json).toMatchObject({ status: 'approved' })
  })

  test('that denies or ignores the asset ends the review', async () => {
    for (const status of ['denied', 'ignored']) {
      const id = await one()
      expect((await decide('ann', id, status)).json).toMatchObject({ status })
      expect(await assetOf(id)).toMatchObject({ approval_status: status, next_stage: null })
      expect(await recordsOf(id)).toHaveLength(1)
    }
  })

  test('keeps its name in a bulk decision, takes free text, and refuses the name of another stage', async () => {
    const [first, second] = [await one(), await one()]
    await bulk('ann', [first, second])
    expect((await bulk('ben', [first])).json).toMatchObject({
      decided: 1,
      approvals: [{ approval_stage: 'look', status: 'approved' }],
    })
    expect(await decide('ben', second, 'approved', { stage: 'tech' })).toMatchObject({
      status: 422,
      json: { error: 'invalid_parameter' },
    })
    expect((await decide('ben', second, 'approved', { stage: 'art_review' })).json).toMatchObject({
      approval_stage: 'art_review',
    })
    expect(await assetOf(second)).toMatchObject({ next_stage: 'tech' })
  })

  test('starts again with a new version', async () => {
    const id = await one()
    const path = (await assetOf(id)).path
    await decide('ann', id)
    await decide('ben', id)
    await change([], { modified: [path] })
    expect(await assetOf(id)).toMatchObject({ next_stage: 'look', version: 2 })
    expect((await decide('ann', id)).json).toMatchObject({ status: 'pending', asset_version: 2 })
  })

  test('of an asset that two people approve at the same moment counts both', async () => {
    const id = await one()
    await Promise.all([decide('ann', id), decide('ben', id)])
    expect((await recordsOf(id)).map(({ status }) => status)).toEqual(['approved', 'pending'])
  })
})

describe('a bulk decision over several stages', () => {
  test('decides every asset at its own stage, or none if one of them is not yours', async () => {
    const { ids } = await change(Array.from({ length: 200 }, (_, i) => `Content/Many/T_${i}.png`))
    expect(ids.length).toBe(20)
    const all = (await studio.db.rows<{ id: string }>(sql`select id from assets where path like 'Content/Many/%'`)).map(
      ({ id }) => id,
    )
    await bulk('ann', all)
    await bulk('ben', all.slice(0, 1))
    const mixed = await bulk('ben', all)
    expect(mixed).toMatchObject({ status: 403, json: { error: 'insufficient_role', required_role: 'lead' } })
    expect((await recordsOf(all[1]!)).at(-1)).toMatchObject({ status: 'pending', signed: [userId('ann')] })
    expect((await bulk('lead', all)).json).toMatchObject({ decided: 200 })
    expect((await recordsOf(all[0]!)).map(({ status }) => status)).toEqual(['approved', 'approved'])
    expect((await recordsOf(all[1]!)).map(({ status }) => status)).toEqual(['approved', 'pending'])
  })

  test('decides none if an asset belongs to another account', async () => {
    const id = await one()
    const foreign = await studio.load({
      projects: [{ key: 'den', account: Number(studio.world.accounts.fox!.id), name: 'Den' }],
      assets: [{ key: 'theirs', project: 'den', name: 'T.png', path: 'T.png', approvals: [{ status: 'pending' }] }],
    })
    expect(await bulk('ann', [id, String(foreign.assets!.theirs!.id)])).toMatchObject({ status: 404 })
    expect(await recordsOf(id)).toMatchObject([{ status: 'pending', signed: [] }])
  })
})

describe('undo', () => {
  test('takes back one approval of several, and leaves those of others', async () => {
    const id = await one()
    await decide('ann', id)
    expect((await undo('ben', [id])).status).toBe(409)
    await decide('ben', id)
    expect((await undo('ben', [id])).status).toBe(200)
    expect(await recordsOf(id)).toEqual([{ approval_stage: 'look', status: 'pending', approver: null, signed: [userId('ann')] }])
    expect((await undo('ann', [id])).status).toBe(200)
    expect(await recordsOf(id)).toMatchObject([{ status: 'pending', signed: [] }])
    expect((await undo('ann', [id])).status).toBe(409)
  })

  test('withdraws the request of the next stage, unless somebody answered it', async () => {
    const id = await one()
    await decide('ann', id)
    await decide('ben', id)
    await undo('ben', [id])
    expect(await assetOf(id)).toMatchObject({ next_stage: 'look', approvals_history: [expect.anything()] })
    await decide('ben', id)
    await decide('kim', id)
    expect((await undo('ben', [id])).status).toBe(409)
    expect((await undo('kim', [id])).status).toBe(200)
    expect(await assetOf(id)).toMatchObject({ approval_status: 'pending', next_stage: 'tech' })
  })
})

describe('a build', () => {
  test('waits only for approvals of rules that are a gate', async () => {
    expect((await change(['Loose/T_A.png'], { key: 'free' })).build).toBe('completed')
    const { build, ids } = await change(['Loose/T_B.png', 'Content/T_B.png'], { key: 'free' })
    expect(build).toBe('passed_pending_approval')
    expect(ids).toHaveLength(2)
    const gating = (await studio.db.one<{ asset_id: string }>(
      sql`select asset_id from approvals where asset_id = any (${ids}::uuid[]) and gates`,
    ))!
    await who.lead.app(`${placeOf('free')}/assets/${gating.asset_id}/approvals`, { method: 'POST', body: { status: 'approved' } })
    expect((await who.lead.app(`${placeOf('free')}/build_runs`)).json.build_runs[0].status).toBe('completed')
  })

  test('waits until the last stage is decided', async () => {
    const { ids, build } = await change([`Content/T_${++files}.png`])
    expect(build).toBe('passed_pending_approval')
    const status = async () => (await who.lead.app(`${placeOf('star')}/build_runs`)).json.build_runs[0].status
    await decide('ann', ids[0]!)
    await decide('ben', ids[0]!)
    expect(await status()).toBe('passed_pending_approval')
    await decide('lead', ids[0]!)
    expect(await status()).toBe('completed')
    await undo('lead', [ids[0]!])
    expect(await status()).toBe('passed_pending_approval')
  })
})

test('a rule for roles asks about the changes of members with such a role, and of nobody else', async () => {
  const asked = async (by: string) => (await change([`${by}/T_${++files}.png`], { key: 'roles', by })).ids.length
  expect(await asked('ann')).toBe(1)
  // The push does not say how large the guest's file is.
  expect(await asked('guest')).toBe(0)
  expect(await asked('lead')).toBe(0)
  expect(await asked('somebody')).toBe(0)
})

test('people and names of stages are checked when rules are saved', async () => {
  const save = (...stages: object[]) =>
    who.lead.app(`${placeOf('roles')}/settings`, {
      method: 'PATCH',
      body: { approval_rules: [{ path: '', asset_types: [], branch: '', author: '', stages }] },
    })
  const stage = { name: 'look', project_role: 'approver', user_ids: [], approvals: 1 }
  const refused = { status: 422, json: { error: 'invalid_parameter' } }
  expect(await save(stage, stage)).toMatchObject(refused)
  for (const key of ['guest', 'stranger']) expect(await save({ ...stage, user_ids: [userId(key)] })).toMatchObject(refused)
  expect(await save({ ...stage, approvals: 0 })).toMatchObject({ status: 422 })
  expect(await save({ ...stage, user_ids: [userId('kim')] })).toMatchObject({ status: 200 })
})
