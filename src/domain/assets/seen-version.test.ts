import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { commit, push } from '../../../test/support/tools.ts'

const PASSWORD = 'a long enough password'
let studio: Studio
let lead: Visitor
let place: string
let auditPlace: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    projects: [
      {
        key: 'star',
        account: 'owl',
        name: 'Star',
        members: { lead: 'owner' },
        approval_rules: [
          {
            path: 'Staged/*',
            stages: [
              { name: 'look', project_role: 'approver' },
              { name: 'tech', project_role: 'lead' },
            ],
          },
          { path: 'Content/*', author: 'mia' },
        ],
      },
    ],
    integrations: [
      { key: 'github', project: 'star', provider: 'github' },
      { key: 'ci', project: 'star', provider: 'jenkins' },
    ],
    tokens: [{ key: 'lead', user: 'lead', name: 'lead', scopes: ['read:assets', 'write:assets'] }],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  place = `/projects/${studio.world.projects.star!.id}`
  auditPlace = `/accounts/${studio.world.accounts.owl!.id}/audit_log`
})
afterAll(() => studio?.close())

let made = 0
const shaOf = (n: number) => String(n).padStart(40, 'a')
/** One commit of these files; the new ones are added, the others changed. */
async function submit(added: string[], modified: string[] = [], by = 'mia') {
  const author = { name: by, email: `${by}@elsewhere.example`, username: by }
  const query = `token=${studio.world.integrations.github!.webhook_token}`
  const body = push([commit(shaOf(++made), { added, modified, author })])
  await studio.ask(`/webhooks/github?${query}`, { method: 'POST', body, headers: { 'x-github-event': 'push' } })
  return shaOf(made)
}
const build = (sha: string) =>
  studio.ask(`/webhooks/ci?token=${studio.world.integrations.ci!.webhook_token}`, {
    method: 'POST',
    body: { job_name: 'Cook', build_number: sha.slice(-5), status: 'success', commit: sha },
  })
const buildOf = async (sha: string) =>
  (await lead.app(`${place}/build_runs`)).json.build_runs.find((one: { commit_hash: string }) => one.commit_hash === sha)
    .status as string
const requestOf = async (sha: string) => (await lead.app(`${place}/approvals?commit_sha=${sha}`)).json.approvals[0]
const token = () => studio.world.tokens!.lead!.token as string
const decide = (id: string, version?: string, status = 'approved') =>
  studio.ask(`/api/v1${place}/assets/${id}/approvals`, {
    method: 'POST',
    token: token(),
    body: { status },
    headers: version === undefined ? {} : { 'if-match': version },
  })
const bulk = (asset_ids: string[], versions?: number[]) =>
  lead.app(`${place}/approvals/bulk`, { method: 'POST', body: { asset_ids, versions, status: 'approved' } })
const statusOf = async (id: string) => (await lead.app(`${place}/assets/${id}`)).json.approval_status

let path: string
beforeEach(() => {
  path = `Content/T_${made}.png`
})

describe('a decision that names the version somebody saw', () => {
  test('is refused once a newer version waits, which it shows; the build of that version waits on', async () => {
    const { asset_id, asset_version } = await requestOf(await submit([path]))
    const newer = await submit([], [path])
    await build(newer)
    expect(await buildOf(newer)).toBe('passed_pending_approval')
    const refused = await decide(asset_id, `"${asset_version}"`)
    expect(refused).toMatchObject({
      status: 412,
      json: { error: 'precondition_failed', newer: [{ asset_id, version: 2, name: path.slice('Content/'.length) }] },
    })
    expect(refused.headers.get('etag')).toBe('"2"')
    expect(await requestOf(newer)).toMatchObject({ status: 'pending', decided_at: null, asset_version: 2 })
    expect(await buildOf(newer)).toBe('passed_pending_approval')
    expect(await decide(asset_id, '"2"')).toMatchObject({ status: 200, json: { status: 'approved', asset_version: 2 } })
    expect(await buildOf(newer)).toBe('completed')
  })

  test('is about any version without If-Match, or with a star', async () => {
    const { asset_id } = await requestOf(await submit([path]))
    await submit([], [path])
    expect((await decide(asset_id)).status).toBe(200)
    await submit([], [path])
    expect((await decide(asset_id, '*')).status).toBe(200)
  })

  test('is refused if it names something else', async () => {
    const { asset_id } = await requestOf(await submit([path]))
    for (const tag of ['"x"', '', '"0"']) expect((await decide(asset_id, tag)).status).toBe(412)
    expect(await statusOf(asset_id)).toBe('pending')
    expect((await decide(asset_id, '"7", "1"')).status).toBe(200)
  })

  test('decides a waiting request whose asset has a later version that needs no approval', async () => {
    const { asset_id } = await requestOf(await submit([path]))
    await submit([], [path], 'bot')
    expect((await lead.app(`${place}/assets/${asset_id}`)).json).toMatchObject({ version: 2, approval_status: 'pending' })
    expect(await decide(asset_id, '"1"')).toMatchObject({ status: 200, json: { asset_version: 1 } })
  })

  test('of several assets leaves only those alone that have a newer version, and names them', async () => {
    const stays = `Content/S_${made}.png`
    const sha = await submit([path, stays])
    const ids = (await lead.app(`${place}/approvals?commit_sha=${sha}`)).json.approvals.map(
      (one: { asset_id: string }) => one.asset_id,
    )
    await submit([], [path])
    const isStale = await Promise.all(ids.map(async (id: string) => (await lead.app(`${place}/assets/${id}`)).json.path === path))
    const [stale, other] = isStale[0] ? ids : [ids[1], ids[0]]
    expect((await bulk([stale, other], [1])).status).toBe(422)
    expect(await bulk([stale, other], [1, 1])).toMatchObject({
      status: 200,
      json: { decided: 1, approvals: [{ asset_id: other }], newer: [{ asset_id: stale, version: 2 }] },
    })
    expect([await statusOf(stale), await statusOf(other)]).toEqual(['pending', 'approved'])
    const { entries } = (await lead.app(`${auditPlace}?limit=5`)).json
    expect(entries.find((one: { action: string }) => one.action === 'decideAssets')).toMatchObject({ after: { ids: [other] } })
    expect(await bulk([stale], [1])).toMatchObject({ status: 412, json: { newer: [{ asset_id: stale }] } })
    expect((await bulk([stale], [2])).json).toMatchObject({ decided: 1, newer: [] })
  })

  test('says which stage the asset waits for now', async () => {
    path = `Staged/T_${made}.png`
    const { asset_id } = await requestOf(await submit([path]))
    expect((await decide(asset_id, '"1"')).json).toMatchObject({
      status: 'approved',
      approval_stage: 'look',
      next_stage: 'tech',
    })
    expect((await decide(asset_id, '"1"')).json).toMatchObject({
      approval_stage: 'tech',
      next_stage: null,
    })
  })
})
