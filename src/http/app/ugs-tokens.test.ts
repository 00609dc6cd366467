import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'

const PASSWORD = 'a long enough password'
const person = (key: string, accounts: object) => ({ key, email: `${key}@example.com`, name: key, password: PASSWORD, accounts })

let studio: Studio
let lead: Visitor
let member: Visitor
let rival: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: [person('lead', { owl: 'owner' }), person('member', { owl: 'member' }), person('rival', { fox: 'owner' })],
    projects: ['star', 'moon'].map((key) => ({ key, account: 'owl', name: key })),
  })
  ;[lead, member, rival] = (await Promise.all(
    ['lead', 'member', 'rival'].map((key) => signIn(studio, `${key}@example.com`, PASSWORD)),
  )) as [Visitor, Visitor, Visitor]
})
afterAll(() => studio.close())

const at = (key: string) => `/projects/${studio.world.projects[key]!.id}/ugs_tokens`
const make = (who: Visitor, key = 'star') => who.app(at(key), { method: 'POST', body: { name: ' Everybody ' } })

test('an owner creates a token, sees its prefix and revokes it', async () => {
  const { status, json: made } = await make(lead)
  expect([status, made.name, made.token.slice(0, made.prefix.length)]).toEqual([201, 'Everybody', made.prefix])
  const ask = async () => (await studio.ask(`/ugs/${made.token}/api/latest`)).status
  expect(await ask()).toBe(200)
  const { token, ...listed } = made
  expect((await lead.app(at('star'))).json).toEqual({ ugs_tokens: [listed] })
  expect((await lead.app(`${at('moon')}/${made.id}`, { method: 'DELETE' })).status).toBe(404)
  expect(await ask()).toBe(200)
  expect((await lead.app(`${at('star')}/${made.id}`, { method: 'DELETE' })).status).toBe(200)
  expect(await ask()).toBe(401)
  expect((await lead.app(at('star'))).json.ugs_tokens).toMatchObject([{ id: made.id, revoked_at: expect.any(String) }])
})

test('members cannot, and for other accounts the project does not exist', async () => {
  for (const [who, status] of [
    [member, 403],
    [rival, 404],
  ] as const) {
    expect((await make(who)).status).toBe(status)
    expect((await who.app(at('star'))).status).toBe(status)
  }
})
