import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overlapping } from '../../../test/support/blocked.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { signIn, type Visitor, visit } from '../../../test/support/visitor.ts'
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

test('somebody new joins the account that invites, proven, with no account of their own', async () => {
  const invited = await invite('Cleo@example.com')
  expect(invited.status).toBe(201)
  const token = tokenIn(invited.json.url)
  const mail = await studio.db.one(sql`select to_address, text from mails order by id desc limit 1`)
  expect(mail).toMatchObject({ to_address: 'cleo@example.com', text: expect.stringContaining(invited.json.url) })
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
})

test('the link goes to the mailbox alone where mails leave', async () => {
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

describe('at the same moment', () => {
  const guests = () => Promise.all(GUESTS.map((name) => signIn(studio, `${name}@example.com`, PASSWORD)))
  const joined = async () =>
    (
      await studio.db.rows(sql`
        select from account_members where account_id = ${account} and user_id = any (${GUESTS.map((key) => studio.world.users[key]!.id)})`)
    ).length

  test('four who accept one invitation are one who joins', async () => {
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

  test('one who accepts and one who signs up with it are one who joins', async () => {
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

  test('invitations of one address are one invitation, whose last link works', async () => {
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
