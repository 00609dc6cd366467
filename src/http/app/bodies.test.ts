import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { ownRoutes } from '../../contract/app/routes.ts'
import { sql } from '../../db/database.ts'

/** How the web app's own routes handle bodies that no page of ours would send. */

const PASSWORD = 'a long enough password'
let studio: Studio
let lead: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Star', members: { lead: 'owner' } }],
    integrations: [{ key: 'tracker', project: 'star', provider: 'jira' }],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
})
afterAll(() => studio.close())

const integrations = () => `/projects/${studio.world.projects!.star!.id}/integrations`

test('ids beyond the maximum are refused', async () => {
  const webhooks = `/accounts/${studio.world.accounts!.owl!.id}/webhooks`
  for (const id of [2_147_483_648, Number.MAX_SAFE_INTEGER, 0, -1]) {
    const refused = { status: 422, json: { error: 'invalid_parameter' } }
    expect(await lead.app('/me', { method: 'PATCH', body: { default_account_id: id } })).toMatchObject(refused)
    const body = { url: 'https://example.com/told', project_id: id }
    expect(await lead.app(webhooks, { method: 'POST', body })).toMatchObject(refused)
  }
})

test('NUL and lone surrogates are refused anywhere', async () => {
  for (const config of [{ a: 'x\0' }, { 'x\0': 1 }, { a: '\ud800' }, { '\udc00': 1 }, { a: [{ b: '\\\ud83c' }] }])
    expect(await lead.app(integrations(), { method: 'POST', body: { provider: 'linear', config } })).toMatchObject({
      status: 422,
      json: { error: 'invalid_parameter' },
    })
})

test('text that only looks like them is stored as written', async () => {
  const name = 'C:\\ud83c \\u0000 🎮'
  expect(await lead.app('/me', { method: 'PATCH', body: { name } })).toMatchObject({ status: 200, json: { user: { name } } })
})

test('an unreadable delivery cannot be replayed, and the reply says so', async () => {
  const { json } = await studio.ask(`/webhooks/jira?token=${studio.world.integrations!.tracker!.webhook_token}`, {
    method: 'POST',
    raw: 'no JSON',
    headers: { 'content-type': 'application/json' },
  })
  const path = `/projects/${studio.world.projects!.star!.id}/deliveries/${json.delivery_id}`
  const again = await lead.app(`${path}/replay`, { method: 'POST' })
  expect(again).toMatchObject({ status: 422, json: { error: 'unreadable_body', delivery_id: expect.any(String) } })
  expect(again.json.delivery_id).not.toBe(json.delivery_id)
})

test('an undeclared field is refused and never becomes a column', async () => {
  const account = `/accounts/${studio.world.accounts!.owl!.id}`
  const before = await studio.db.rows(sql`select * from accounts`)
  const names = ['credits', 'demo', "name = 'taken', plan", 'updated_at = now() --', 'ĆǼ\u000f']
  for (const path of [`${account}/billing`, account, '/me', `/projects/${studio.world.projects!.star!.id}/settings`])
    for (const name of names)
      expect(await lead.app(path, { method: 'PATCH', body: { [name]: 1 } }), `${path} ${name}`).toMatchObject({
        status: 422,
        json: { error: 'unknown_parameter' },
      })
  expect(await studio.db.rows(sql`select * from accounts`)).toEqual(before)
})

test.each(Object.entries(ownRoutes).filter(([, route]) => 'body' in route))(
  '%s declares whether it accepts further fields',
  (_, route) => {
    const { body } = route as unknown as { body: { type?: string; additionalProperties?: boolean } }
    if (body.type === 'object') expect(body.additionalProperties).toBeDefined()
  },
)
