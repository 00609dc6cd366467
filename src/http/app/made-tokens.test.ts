import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'

const PASSWORD = 'a long enough password'

let studio: Studio
let owner: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: ['owner', 'maker', 'second'].map((key) => ({
      key,
      email: `${key}@example.com`,
      name: key,
      password: PASSWORD,
      accounts: key === 'owner' ? { owl: 'owner' } : { owl: 'admin', fox: 'owner' },
    })),
    projects: ['owl', 'fox'].map((account) => ({ key: account, account, name: account })),
  })
  owner = await signIn(studio, 'owner@example.com', PASSWORD)
})
afterAll(() => studio.close())

const account = () => `/accounts/${studio.world.accounts.owl!.id}`
const project = (key = 'owl') => `/projects/${studio.world.projects[key]!.id}`
const idOf = (key: string) => studio.world.users[key]!.id
const made = async (query = '') => (await owner.app(`${account()}/made_tokens${query}`)).json.tokens

/** Creates one token of each kind, in both accounts. */
async function makeTokens(who: string) {
  const visitor = await signIn(studio, `${who}@example.com`, PASSWORD)
  const post = async (path: string, body: object) => {
    const { status, json } = await visitor.app(path, { method: 'POST', body })
    expect(status).toBe(201)
    return json
  }
  const [ugs] = [
    await post(`${project()}/ugs_tokens`, { name: 'everybody' }),
    await post(`${project('fox')}/ugs_tokens`, { name: 'foxes' }),
  ]
  const integration = await post(`${project()}/integrations`, { provider: 'jenkins' })
  const build = () => ({ job_name: 'mid', build_number: String(Math.random()), status: 'SUCCESS' })
  return {
    visitor,
    ugs,
    integration,
    syncs: async () => (await studio.ask(`/ugs/${ugs.token}/api/latest?project=//x`)).status,
    delivers: async () =>
      (await studio.ask(`/webhooks/jenkins?token=${integration.webhook_token}`, { method: 'POST', body: build() })).status,
  }
}

test('tokens that a removed person created are listed, and revoking them ends them', async () => {
  const maker = await makeTokens('maker')
  const theirs = [
    { kind: 'integration', id: maker.integration.id, name: 'jenkins', user_id: idOf('maker') },
    { kind: 'ugs_token', id: maker.ugs.id, name: 'everybody', user_id: idOf('maker') },
  ]
  expect(await made(`?user_id=${idOf('maker')}`)).toMatchObject(theirs)
  expect(await made(`?user_id=${idOf('owner')}`)).toEqual([])
  expect(await made()).toEqual([])
  expect((await owner.app(`${account()}/members/${idOf('maker')}`, { method: 'DELETE' })).status).toBe(200)
  // The person is removed, but the tokens they created work until somebody revokes them.
  expect((await maker.visitor.app(project())).status).toBe(404)
  expect([await maker.syncs(), await maker.delivers()]).toEqual([200, 200])
  expect(await made()).toMatchObject(theirs)
  expect((await maker.visitor.app(`${account()}/made_tokens`)).status).toBe(404)

  expect((await owner.app(`${project()}/ugs_tokens/${maker.ugs.id}`, { method: 'DELETE' })).status).toBe(200)
  const rotated = await owner.app(`${project()}/integrations/${maker.integration.id}/token`, { method: 'POST' })
  expect(rotated.status).toBe(200)
  expect([await maker.syncs(), await maker.delivers()]).toEqual([401, 404])
  expect(await made()).toEqual([])
  // The token is listed for the person who has the new value.
  expect(await made(`?user_id=${idOf('owner')}`)).toMatchObject([{ kind: 'integration', id: maker.integration.id }])
})

test('an operator who deletes a user sees the tokens they created and revokes them in every account', async () => {
  const second = await makeTokens('second')
  const store = { db: studio.db, vault: studio.service.vault }
  const kept = await admin(store, 'user', 'delete', 'second@example.com', '--yes', '--revoke-made-tokens')
  expect(kept).toContain('deleted')
  expect([await second.syncs(), await second.delivers()]).toEqual([401, 404])
  expect(await made()).toEqual([])
})
