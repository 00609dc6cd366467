import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overlapping } from '../../../test/support/blocked.ts'
import { signIn, type Visitor, visit } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const GUESTS = ['ann', 'bob', 'cid', 'dot']

let studio: Studio
let lead: Visitor
let account: number
beforeAll(async () => {
  studio = await openStudio({
    accounts: [
      { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true },
      { key: 'fox', name: 'Fox', plan: 'team', payment_method: true },
    ],
    users: [
      { key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } },
      ...GUESTS.map((key) => ({ key, email: `${key}@example.com`, name: key, password: PASSWORD, accounts: { fox: 'member' } })),
    ],
  })
  account = studio.world.accounts.owl!.id
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
})
afterAll(() => studio.close())

const invite = (email: string, role = 'member') =>
  lead.app(`/accounts/${account}/invitations`, { method: 'POST', body: { email, role } })
const tokenIn = (url: string) => url.split('/').at(-1)!
const join = (invitation: string, email: string) => {
  const visitor = visit(studio)
  const body = { name: 'New', email, password: PASSWORD, invitation }
  return visitor.app('/sign_ups/invited', { method: 'POST', body }).then((answer) => ({ ...answer, visitor }))
}
const statuses = (answers: PromiseSettledResult<{ status: number }>[]) =>
  answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : 0)).sort()

test('a new user joins the inviting account with a verified address and without another account', async () => {
  const invited = await invite('Cleo@example.com')
  expect(invited.status).toBe(201)
  const token = tokenIn(invited.json.url)
  const mail = await studio.db.one<{ text: string }>(sql`select to_address, text from mails order by id desc limit 1`)
  expect(mail).toMatchObject({ to_address: 'cleo@example.com', text: expect.stringContaining('/invitations/') })
  // The reply does not contain the mailed link, which verifies the address.
  expect(mail!.text).not.toContain(token)
  expect((await visit(studio).app(`/invitations/${token}`)).json).toMatchObject({
    account_name: 'Night Owl',
    email: 'cleo@example.com',
  })
  expect(await join(token, 'dora@example.com')).toMatchObject({ status: 422, json: { error: 'invalid_email' } })
  const { status, visitor } = await join(token, 'CLEO@example.com')
  expect(status).toBe(201)
  expect((await visitor.app('/me')).json).toMatchObject({
    user: { default_account_id: account, email_verified: true },
    accounts: [{ name: 'Night Owl', role: 'member' }],
  })
  expect((await join(token, 'cleo@example.com')).status).toBe(404)
  const told = sql`select after from audit_log where account_id = ${account} and action = 'joinByInvitation'`
  expect(await studio.db.rows(told)).toEqual([{ after: { role: 'member' } }])
})

test('the link is sent only to the mailbox if mail is configured', async () => {
  const mailing = await openStudio({}, { beside: studio, service: { mailing: true } })
  try {
    const owner = await signIn(mailing, 'lead@example.com', PASSWORD)
    const invited = await owner.app(`/accounts/${account}/invitations`, {
      method: 'POST',
      body: { email: 'mailed@example.com', role: 'member' },
    })
    expect(invited).toMatchObject({ status: 201, json: { url: null } })
    expect(invited.text).not.toContain('/invitations/')
  } finally {
    await mailing.close()
  }
})

test('an invitation is invalid once its sender can no longer grant the role', async () => {
  const owned = sql`account_id = ${account} and user_id = ${studio.world.users.ann!.id}`
  await studio.db.execute(sql`
    insert into account_members (account_id, user_id, role) values (${account}, ${studio.world.users.ann!.id}, 'admin')`)
  const ann = await signIn(studio, 'ann@example.com', PASSWORD)
  const back = async (role: string) => {
    const body = { email: `ann-${role}@example.com`, role }
    return tokenIn((await ann.app(`/accounts/${account}/invitations`, { method: 'POST', body })).json.url)
  }
  const [admin, member] = [await back('admin'), await back('member')]
  const found = async (token: string) => (await visit(studio).app(`/invitations/${token}`)).status
  expect([await found(admin), await found(member)]).toEqual([200, 200])
  await studio.db.execute(sql`update account_members set role = 'member' where ${owned}`)
  expect([await found(admin), await found(member)]).toEqual([404, 404])
  await studio.db.execute(sql`delete from account_members where ${owned}`)
  expect((await join(admin, 'ann-admin@example.com')).status).toBe(404)
  const { invitations } = (await lead.app(`/accounts/${account}/invitations`)).json
  expect(invitations.filter(({ email }: { email: string }) => email.startsWith('ann-'))).toEqual([])
})

test('a removed member loses pending invitations and unsent emails', async () => {
  const bob = studio.world.users.bob!.id
  const waiting = tokenIn((await invite('bob@example.com')).json.url)
  await studio.db.execute(sql`insert into account_members (account_id, user_id, role) values (${account}, ${bob}, 'member')`)
  expect((await visit(studio).app(`/invitations/${waiting}`)).status).toBe(200)
  await studio.db.execute(sql`
    insert into mails (to_user_id, account_id, subject, text, sent_at) values (${bob}, ${account}, 'Secret', '', null),
      (${bob}, ${account}, 'Read', '', now()), (${bob}, ${studio.world.accounts.fox!.id}, 'Fox', '', null)`)
  expect((await lead.app(`/accounts/${account}/members/${bob}`, { method: 'DELETE' })).status).toBe(200)
  expect((await visit(studio).app(`/invitations/${waiting}`)).status).toBe(404)
  const mails = await studio.db.rows<{ subject: string }>(sql`
    select subject from mails where to_user_id = ${bob} or to_address = 'bob@example.com' order by id`)
  expect(mails.map(({ subject }) => subject)).toEqual(['Read', 'Fox'])
})

test('the number of invitations to one address is limited', async () => {
  const statuses: number[] = []
  for (let n = 0; n < 7; n++) {
    await studio.db.execute(sql`update accounts set name = ${`Night Owl ${n}`} where id = ${account}`)
    statuses.push((await invite('annoyed@example.com')).status)
  }
  await studio.db.execute(sql`update accounts set name = 'Night Owl' where id = ${account}`)
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 429])
})

describe('at the same time', () => {
  const guests = () => Promise.all(GUESTS.map((name) => signIn(studio, `${name}@example.com`, PASSWORD)))
  const joined = async () =>
    (
      await studio.db.rows(sql`
        select from account_members where account_id = ${account} and user_id = any (${GUESTS.map((key) => studio.world.users[key]!.id)})`)
    ).length

  test('four people who accept one invitation result in one member', async () => {
    const token = tokenIn((await invite('four@example.com')).json.url)
    const visitors = await guests()
    const before = await joined()
    const answers = await overlapping(
      studio.db,
      sql`select from invitations where email = 'four@example.com' for update`,
      4,
      () => visitors.map((visitor) => visitor.app(`/invitations/${token}/accept`, { method: 'POST' })),
    )
    expect(statuses(answers)).toEqual([200, 404, 404, 404])
    expect(await joined()).toBe(before + 1)
  })

  test('one who accepts and one who signs up with it result in one member', async () => {
    const token = tokenIn((await invite('both@example.com')).json.url)
    const guest = await signIn(studio, 'dot@example.com', PASSWORD)
    const answers = await overlapping(
      studio.db,
      sql`select from invitations where email = 'both@example.com' for update`,
      2,
      (): Promise<{ status: number }>[] => [
        guest.app(`/invitations/${token}/accept`, { method: 'POST' }),
        join(token, 'both@example.com'),
      ],
    )
    expect(statuses(answers).filter((status) => status < 300)).toHaveLength(1)
  })

  test('several invitations of one address result in one whose last link works', async () => {
    const held = sql`select from accounts where id = ${account} for update`
    const answers = await overlapping(studio.db, held, 4, () => Array.from({ length: 4 }, () => invite('same@example.com')))
    expect(statuses(answers)).toEqual([201, 201, 201, 201])
    const tokens = answers.map((answer) => tokenIn((answer as PromiseFulfilledResult<{ json: { url: string } }>).value.json.url))
    const shown = await Promise.all(tokens.map((token) => visit(studio).app(`/invitations/${token}`)))
    expect(shown.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
    const { invitations } = (await lead.app(`/accounts/${account}/invitations`)).json
    expect(invitations.filter(({ email }: { email: string }) => email === 'same@example.com')).toHaveLength(1)
  })
})
