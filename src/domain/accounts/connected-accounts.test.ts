import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import type { AppReply } from '../../contract/app/routes.ts'
import { sql } from '../../db/database.ts'

type MemberName = AppReply<'listMemberNames'>['connected_accounts'][number]

const PASSWORD = 'a long enough password'

let studio: Studio
let lead: Visitor
let ann: Visitor
let bob: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: [
      { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true },
      { key: 'ann', name: 'Ann alone', plan: 'team', payment_method: true },
    ],
    users: [
      { key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } },
      { key: 'ann', email: 'ann@example.com', name: 'Ann', password: PASSWORD, accounts: { owl: 'member', ann: 'owner' } },
      {
        key: 'bob',
        email: 'bob@example.com',
        name: 'Bob',
        password: PASSWORD,
        accounts: { owl: 'member' },
        connected_accounts: [{ provider: 'perforce', uid: 'bob.p4' }],
      },
    ],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner', ann: 'member', bob: 'member' } }],
    tokens: [{ key: 'all', user: 'lead', name: 'all', scopes: ['read:members'] }],
    integrations: [{ key: 'p4', project: 'star', provider: 'github' }],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  ann = await signIn(studio, 'ann@example.com', PASSWORD)
  bob = await signIn(studio, 'bob@example.com', PASSWORD)
})
afterAll(() => studio.close())

const idOf = (key: string) => studio.world.users[key]!.id
const owl = () => studio.world.accounts.owl!.id
const claim = async (visitor: Visitor, provider: string, uid: string) =>
  (await visitor.app('/me/connected_accounts', { method: 'POST', body: { provider, uid } })).json
const confirm = (visitor: Visitor, id: number, account = owl()) =>
  visitor.app(`/accounts/${account}/connected_accounts/confirm`, { method: 'POST', body: { ids: [id] } })
const names = async () => (await lead.app(`/accounts/${owl()}/connected_accounts`)).json.connected_accounts as MemberName[]
const waiting = async () => (await names()).filter(({ state }) => state === 'waiting')
const shown = async (key: string) =>
  (await studio.client(studio.world.tokens.all!.token!).listMembers({ project_id: studio.world.projects.star!.id })).members.find(
    ({ user_id }) => user_id === idOf(key),
  )!.connected_accounts

let pushes = 0
/** A push by somebody with that name, and the user it is attributed to. */
async function pushedBy(username: string): Promise<number | null> {
  const sha = String(++pushes).padStart(40, 'a')
  const commit = { id: sha, message: 'x', timestamp: '2026-01-02T03:04:05Z', author: { name: username, username } }
  const answer = await studio.ask(`/webhooks/github?token=${studio.world.integrations.p4!.webhook_token}`, {
    method: 'POST',
    body: { ref: 'refs/heads/main', after: sha, before: '0'.repeat(40), commits: [commit], repository: {} },
    headers: { 'x-github-event': 'push' },
  })
  expect(answer.status).toBe(200)
  const row = await studio.db.one<{ author_user_id: number | null }>(
    sql`select author_user_id from changes where identifier = ${sha}`,
  )
  return row!.author_user_id
}

test('a name that a member claims counts once an owner of the account has confirmed it', async () => {
  const made = await claim(ann, 'github', 'Victim-Dev')
  expect(made).toMatchObject({ uid: 'Victim-Dev', unconfirmed_in: ['Night Owl'] })
  expect(await pushedBy('victim-dev')).toBe(null)
  expect(await shown('ann')).toEqual([])
  expect(await waiting()).toMatchObject([{ id: made.id, user_id: idOf('ann'), uid: 'Victim-Dev' }])
  expect((await confirm(lead, made.id)).status).toBe(200)
  expect(await waiting()).toEqual([])
  expect(await pushedBy('victim-dev')).toBe(idOf('ann'))
  expect(await shown('ann')).toMatchObject([{ provider: 'github', uid: 'Victim-Dev' }])
  expect((await ann.app('/me/connected_accounts')).json.connected_accounts).toMatchObject([{ unconfirmed_in: [] }])
})

test('nobody can confirm their own claim, not even through an account they own', async () => {
  const { id } = await claim(ann, 'github', 'other-dev')
  expect(await confirm(ann, id)).toMatchObject({ status: 403, json: { error: 'insufficient_role' } })
  expect((await confirm(ann, id, studio.world.accounts.ann!.id)).status).toBe(200)
  expect(await pushedBy('other-dev')).toBe(null)
  expect((await bob.app(`/accounts/${owl()}/connected_accounts`)).status).toBe(403)
})

test('an owner can confirm only members of the account', async () => {
  const { users } = await studio.load({ users: [{ key: 'out', email: 'out@example.com', name: 'Out', password: PASSWORD }] })
  const { id } = await claim(await signIn(studio, 'out@example.com', PASSWORD), 'github', 'outsider')
  expect(users.out!.id).toBeGreaterThan(0)
  expect((await confirm(lead, id)).status).toBe(404)
  expect((await confirm(lead, 2_000_000_000)).status).toBe(404)
})

test('one external name belongs to one person', async () => {
  const { id } = await claim(ann, 'perforce', 'BOB.P4')
  expect(await confirm(lead, id)).toMatchObject({ status: 422, json: { error: 'uid_taken' } })
  expect(await shown('bob')).toMatchObject([{ uid: 'bob.p4' }])
})

test("names from a world file and an owner's own claims count at once", async () => {
  await claim(lead, 'github', 'the-lead')
  expect(await pushedBy('the-lead')).toBe(idOf('lead'))
  await claim(bob, 'perforce', 'bob.p4')
  expect(await shown('bob')).toMatchObject([{ uid: 'bob.p4' }])
})

test('a confirmation ends with the membership', async () => {
  await lead.app(`/accounts/${owl()}/members/${idOf('ann')}`, { method: 'DELETE' })
  await studio.db.execute(sql`insert into account_members (account_id, user_id) values (${owl()}, ${idOf('ann')})`)
  expect(await pushedBy('victim-dev')).toBe(null)
})
