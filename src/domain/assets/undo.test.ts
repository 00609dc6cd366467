import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { advanceClock, resetClock } from '../../../test/support/clock.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { commit, push } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const person = (key: string, role: string) => ({
  key,
  email: `${key}@example.com`,
  name: key,
  password: PASSWORD,
  accounts: { owl: role },
})

let studio: Studio
let lead: Visitor
let ann: Visitor
let place: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [person('lead', 'owner'), person('ann', 'member')],
    projects: [{ key: 'star', account: 'owl', name: 'Star', members: { lead: 'owner', ann: 'approver' } }],
    integrations: ['github', 'jenkins', 'deployment'].map((provider) => ({ key: provider, project: 'star', provider })),
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  ann = await signIn(studio, 'ann@example.com', PASSWORD)
  place = `/projects/${studio.world.projects.star!.id}`
})
// On a slow machine too, a decision made now is only a moment old.
beforeEach(() => advanceClock(studio.db, '-1 hour'))
afterEach(() => resetClock(studio.db))
afterAll(() => studio.close())

const tell = (path: string, key: string, body: object, headers = {}) =>
  studio.ask(`/webhooks/${path}?token=${studio.world.integrations[key]!.webhook_token}`, { method: 'POST', body, headers })

let made = 0
/** Textures that one commit changed and that are waiting for approval, with the build that waits for them. */
async function waiting(count = 1) {
  const sha = String(++made).padStart(40, 'c')
  const files = Array.from({ length: count }, (_, i) => `Content/T_${made}_${i}.png`)
  await tell('github', 'github', push([commit(sha, { added: files, modified: [] })]), { 'x-github-event': 'push' })
  const build = { job_name: 'Cook', build_number: String(made), status: 'success', commit: sha }
  await tell('ci', 'jenkins', build)
  const { approvals } = (await lead.app(`${place}/approvals?commit_sha=${sha}`)).json
  return { build, ids: approvals.map((one: { asset_id: string }) => one.asset_id) as string[] }
}

const decide = (ids: string[], status: string, comments?: string) =>
  lead.app(`${place}/approvals/bulk`, { method: 'POST', body: { asset_ids: ids, status, ...(comments && { comments }) } })
const undo = (ids: string[], who = lead) => who.app(`${place}/approvals/undo`, { method: 'POST', body: { asset_ids: ids } })
const statusOf = async (id: string) => (await lead.app(`${place}/assets/${id}`)).json.approval_status
const buildStatus = async ({ build_number }: { build_number: string }) =>
  (await lead.app(`${place}/build_runs`)).json.build_runs.find(
    (one: { build_number: string }) => one.build_number === build_number,
  ).status
const refused = { status: 409, json: { error: 'undo_too_late' } }

test('an undone decision restores the request, and its build waits again', async () => {
  const { ids, build } = await waiting(2)
  await decide(ids, 'approved', 'Fine')
  expect(await buildStatus(build)).toBe('completed')
  const { status, json } = await undo(ids)
  expect(status).toBe(200)
  const request = { status: 'pending', approval_stage: 'review', approver_user_id: null, comments: '', decided_at: null }
  expect(json.approvals).toEqual([expect.objectContaining(request), expect.objectContaining(request)])
  expect(await statusOf(ids[0]!)).toBe('pending')
  expect(await buildStatus(build)).toBe('passed_pending_approval')
})

test('a decision that replaces another one cannot be undone', async () => {
  const { ids, build } = await waiting()
  await decide(ids, 'denied', 'Blurry')
  await decide(ids, 'approved')
  expect(await undo(ids)).toMatchObject(refused)
  expect(await buildStatus(build)).toBe('completed')
})

test('clients receive the request again after the decision is undone', async () => {
  const { ids } = await waiting()
  await decide(ids, 'approved')
  await undo(ids)
  const told = await studio.db.rows<{ event_type: string }>(sql`
    select o.event_type from outbox o join approvals p on p.account_id = o.account_id and p.id::text = o.row_id where p.asset_id = ${ids[0]!} order by o.id`)
  expect(told.map(({ event_type }) => event_type)).toEqual(['approval.requested', 'approval.granted', 'approval.requested'])
})

test('the audit log records the undo', async () => {
  const { ids } = await waiting()
  await decide(ids, 'approved')
  await undo(ids)
  const [entry] = (await lead.app(`/accounts/${studio.world.accounts.owl!.id}/audit_log`)).json.entries
  expect(entry).toMatchObject({ action: 'undoDecisions', subject: 'assets', after: { ids } })
})

test('only the person who decided can undo it, and all or none', async () => {
  const { ids } = await waiting(2)
  await decide([ids[0]!], 'approved')
  expect(await undo(ids)).toMatchObject(refused)
  expect(await undo([ids[0]!], ann)).toMatchObject(refused)
  expect(await undo([ids[0]!, 'nothing'])).toMatchObject(refused)
  expect(await statusOf(ids[0]!)).toBe('approved')
  expect((await undo([ids[0]!])).status).toBe(200)
  expect(await undo([ids[0]!])).toMatchObject(refused)
})

test('a decision cannot be undone after the time limit', async () => {
  const { ids } = await waiting()
  await decide(ids, 'approved')
  await resetClock(studio.db)
  await advanceClock(studio.db, '13 seconds')
  expect(await undo(ids)).toMatchObject(refused)
  expect(await statusOf(ids[0]!)).toBe('approved')
})

test('a decision cannot be undone once its build is deployed', async () => {
  const { ids, build } = await waiting()
  await decide(ids, 'approved')
  const sent = { platform: 'steam', event: 'uploaded', job_name: 'Cook', build_number: build.build_number }
  expect((await tell('deployment', 'deployment', sent)).status).toBe(200)
  expect(await undo(ids)).toMatchObject(refused)
  expect(await buildStatus(build)).toBe('completed')
})

test('a decision about an asset without a request cannot be undone', async () => {
  const { ids } = await waiting()
  await studio.db.execute(sql`delete from approvals where asset_id = ${ids[0]!}`)
  await decide(ids, 'approved')
  expect(await undo(ids)).toMatchObject(refused)
})
