import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import type { AppReply } from '../../contract/app/routes.ts'
import { sql } from '../../db/database.ts'
import { matchPeople } from './match-people.ts'
import { ssoProviderId } from './users.ts'

type MemberName = AppReply<'listMemberNames'>['connected_accounts'][number]

const PASSWORD = 'a long enough password'
const member = (key: string, name: string, email = `${key}@owl.example`) => ({
  key,
  email,
  name,
  password: PASSWORD,
  accounts: { owl: 'member', fox: 'member' },
})

let studio: Studio
let lead: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: [
      { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true },
      { key: 'fox', name: 'Fox', plan: 'team', payment_method: true },
    ],
    users: [
      { key: 'lead', email: 'lead@owl.example', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner', fox: 'owner' } },
      member('kim', 'Kim Doe'),
      member('lee', 'Lee Ro'),
      member('twin1', 'Sam Twin'),
      member('twin2', 'Sam Twin'),
    ],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner', kim: 'member' } }],
    integrations: [
      { key: 'git', project: 'star', provider: 'github' },
      { key: 'p4', project: 'star', provider: 'perforce' },
    ],
  })
  lead = await signIn(studio, 'lead@owl.example', PASSWORD)
})
afterAll(() => studio.close())
beforeEach(() => studio.db.execute(sql`delete from connected_accounts`))

const idOf = (key: string) => studio.world.users[key]!.id as number
const post = (account: string, action: string, body: unknown) =>
  lead.app(`/accounts/${studio.world.accounts[account]!.id}/connected_accounts/${action}`, { method: 'POST', body })
const match = async (list: string, provider = 'perforce') => (await post('owl', 'match', { provider, list })).json
const names = async (account = 'owl') =>
  (await lead.app(`/accounts/${studio.world.accounts[account]!.id}/connected_accounts`)).json.connected_accounts as MemberName[]
const p4 = (uid: string, email: string, name = 'Somebody Else') => `${uid} <${email}> (${name}) accessed 2026/11/01\n`

describe('a list of users', () => {
  test('connects a name by the verified address of a member, in this account alone', async () => {
    expect(await match(p4('kdoe', 'Kim@Owl.example'))).toMatchObject({ connected: 1, proposed: 0, unknown: 0 })
    expect(await names()).toMatchObject([
      { user_id: idOf('kim'), uid: 'kdoe', found_by: 'address', state: 'confirmed', decided_by_user_id: null },
    ])
    expect(await names('fox')).toEqual([])
    const [{ id }] = (await names()) as [MemberName]
    expect((await post('fox', 'confirm', { ids: [id] })).status).toBe(404)
  })

  test('does not trust an address that was never verified', async () => {
    await studio.db.execute(sql`update users set email_verified = false where id = ${idOf('kim')}`)
    try {
      expect(await match(p4('kdoe', 'kim@owl.example'))).toMatchObject({ connected: 0, unknown: 1 })
    } finally {
      await studio.db.execute(sql`update users set email_verified = true where id = ${idOf('kim')}`)
    }
  })

  test('only proposes an equal login or name, and nobody where two members have it', async () => {
    const list =
      p4('lee', 'lee@elsewhere.example') + p4('kd', '', 'kim  doe') + p4('st', '', 'Sam Twin') + p4('cat', 'cat@x.example')
    expect(await match(list)).toEqual({ connected: 0, proposed: 2, known: 0, unknown: 2, unknown_names: ['st', 'cat'] })
    expect((await names()).map(({ uid, found_by, state }) => [uid, found_by, state]).sort()).toEqual([
      ['kd', 'name', 'waiting'],
      ['lee', 'login', 'waiting'],
    ])
  })

  test('only proposes names that share one address, and ignores a name that is listed twice', async () => {
    const list =
      p4('kim.p4', 'kim@owl.example') +
      p4('buildbot', 'kim@owl.example') +
      p4('lro', 'lee@owl.example') +
      p4('LRO', 'x@x.example')
    expect(await match(list)).toMatchObject({ connected: 0, proposed: 2, unknown_names: ['lro'] })
    expect((await names()).every(({ state }) => state === 'waiting')).toBe(true)
  })

  test('only proposes the user name of single sign-on, and never a bot', async () => {
    await studio.db.execute(sql`
      insert into logins (user_id, provider_id, provider_account_id, user_name)
      values (${idOf('kim')}, ${ssoProviderId(studio.world.accounts.owl!.id as number)}, 'kim-there', 'STUDIO\\kdoe')`)
    const list = p4('kdoe', 'somebody@elsewhere.example') + p4('release[bot]', 'lee@owl.example')
    expect(await match(list)).toMatchObject({ connected: 0, proposed: 1, unknown_names: ['release[bot]'] })
    expect(await names()).toMatchObject([{ user_id: idOf('kim'), uid: 'kdoe', found_by: 'sso', state: 'waiting' }])
    await studio.db.execute(sql`delete from logins where provider_id = ${ssoProviderId(studio.world.accounts.owl!.id as number)}`)
  })

  test('changes nothing the second time, and does not bring back what was rejected', async () => {
    const list = p4('kdoe', 'kim@owl.example') + p4('lee', '')
    await match(list)
    expect(await match(list)).toMatchObject({ connected: 0, proposed: 0, known: 2 })
    await post('owl', 'reject', { ids: (await names()).map(({ id }) => id) })
    expect(await match(list)).toMatchObject({ connected: 0, proposed: 0, known: 2 })
    expect((await names()).map(({ state }) => state)).toEqual(['rejected', 'rejected'])
  })

  test('confirms a name that the member has entered, if the address agrees', async () => {
    const kim = await signIn(studio, 'kim@owl.example', PASSWORD)
    await kim.app('/me/connected_accounts', { method: 'POST', body: { provider: 'perforce', uid: 'kdoe' } })
    expect(await match(p4('kdoe', 'kim@owl.example'))).toMatchObject({ connected: 1 })
    expect(await names()).toMatchObject([{ uid: 'kdoe', found_by: 'entered', state: 'confirmed' }])
  })

  test('never takes a name from the member whose name it is', async () => {
    await match(p4('kdoe', 'kim@owl.example'))
    expect(await match(p4('kdoe', 'lee@owl.example'))).toMatchObject({ connected: 0, known: 1 })
    expect(await names()).toMatchObject([{ user_id: idOf('kim') }])
  })

  test('of sixty people connects all whose addresses agree', async () => {
    const people = Array.from({ length: 60 }, (_, index) => member(`p${index}`, `Person ${index}`))
    const owl = studio.world.accounts.owl!.id as number
    const { users } = await studio.load({
      users: people.map(({ password, ...rest }) => ({ ...rest, accounts: { [owl]: 'member' } })),
    })
    const list = people.map(({ email }, index) => p4(`u${(index * 7) % 60}`, email)).join('')
    expect(await match(list)).toMatchObject({ connected: 60, proposed: 0, unknown: 0 })
    const expected = Object.fromEntries(people.map(({ key }, index) => [`u${(index * 7) % 60}`, users![key]!.id]))
    expect(Object.fromEntries((await names()).map(({ uid, user_id }) => [uid, user_id]))).toEqual(expected)
  })
})

test('rejecting a name takes its changes back from the member', async () => {
  await match(p4('kdoe', 'kim@owl.example'), 'github')
  const id = 'a'.repeat(40)
  const commit = { id, message: 'x', timestamp: '2026-01-02T03:04:05Z', author: { name: 'Kim at night', username: 'kdoe' } }
  const pushed = await studio.ask(`/webhooks/github?token=${studio.world.integrations.git!.webhook_token}`, {
    method: 'POST',
    body: { ref: 'refs/heads/main', after: id, before: '0'.repeat(40), commits: [commit], repository: {} },
    headers: { 'x-github-event': 'push' },
  })
  expect(pushed.status).toBe(200)
  const author = () => studio.db.one(sql`select author_user_id from changes where identifier = ${id}`)
  expect(await author()).toEqual({ author_user_id: idOf('kim') })
  await post('owl', 'reject', { ids: [(await names())[0]!.id] })
  expect(await author()).toEqual({ author_user_id: null })
})

describe('the list of a Perforce bridge', () => {
  const send = (body: unknown, key = 'p4') =>
    studio.ask(`/webhooks/people?token=${studio.world.integrations[key]!.webhook_token}`, { method: 'POST', body })

  test('only proposes names, also with the address of a member', async () => {
    expect((await send({ list: p4('kdoe', 'kim@owl.example') })).json).toMatchObject({ connected: 0, proposed: 1 })
    expect(await names()).toMatchObject([{ uid: 'kdoe', found_by: 'address', state: 'waiting' }])
  })

  test('is refused without its token or with another body', async () => {
    expect((await send({ list: 'x' }, 'git')).status).toBe(404)
    expect((await send({ list: 7 })).status).toBe(422)
    expect((await send({ list: 'nonsense' })).json.error).toBe('unreadable_people_list')
    expect((await send({ list: 'x'.repeat(500_001) })).status).toBe(422)
  })
})

test('several names are confirmed at once, or none if one is taken', async () => {
  await match(p4('kim', '') + p4('lee', ''))
  const ids = (await names()).map(({ id }) => id)
  expect((await post('owl', 'confirm', { ids: [...ids, 2_000_000_000] })).status).toBe(404)
  expect((await names()).map(({ state }) => state)).toEqual(['waiting', 'waiting'])
  expect((await post('owl', 'confirm', { ids })).status).toBe(200)
  expect(await names()).toMatchObject([
    { state: 'confirmed', decided_by_user_id: idOf('lead') },
    { state: 'confirmed', decided_by_user_id: idOf('lead') },
  ])
})

test('a list for an account that does not exist is refused', async () => {
  const listed = [{ uid: 'kdoe', name: '', email: 'kim@owl.example' }]
  await expect(matchPeople(studio.db, 2_000_000_000, 'perforce', listed, { isTrusted: true })).rejects.toMatchObject({
    status: 404,
  })
})

test.each([
  ['', 'Line 1: The list is empty.'],
  ['hello world', 'Line 1: Paste the output of p4 users'],
  [`${p4('a', 'b@c.example')}rubbish`, 'Line 2: Expected: user <address> (name) accessed date'],
  ['login,email\n"a,b', 'Line 2: A quote is not closed.'],
  ['login,email\na', 'Line 2: Expected 2 values, found 1.'],
  ['... Email x@y.example', 'Line 1: Expected: ... User NAME'],
])('a list that cannot be read is refused with its line: %j', async (list, message) => {
  const answer = await post('owl', 'match', { provider: 'perforce', list: list || '\n' })
  expect([answer.status, answer.json.error]).toEqual([422, 'unreadable_people_list'])
  expect(answer.json.message).toContain(message)
})

test.each([
  ['a table in any order of columns', 'Email,Full Name,Login\r\n"kim@owl.example","Doe, ""Kim""",kdoe\r\n'],
  ['tagged output', '... User kdoe\n... Email kim@owl.example\n... FullName Kim\n... Access 1\n\n'],
])('%s is read', async (_, list) => {
  expect(await match(list)).toMatchObject({ connected: 1, unknown: 0 })
})
