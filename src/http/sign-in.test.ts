import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../test/studio.ts'
import { signIn, visit } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'

const PASSWORD = 'a long enough password'
const WORLD = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
  users: [
    { key: 'lead', email: 'Lead@Example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } },
    { key: 'moth', email: 'moth@example.com', name: 'Moth', password: PASSWORD, accounts: { owl: 'member' } },
  ],
}

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(WORLD)
})
afterAll(() => studio.close())

describe('signing in', () => {
  test('sets a cookie that scripts and other sites never get', async () => {
    const visitor = visit(studio)
    const answer = await visitor.ask('/app/auth/sign-in/email', {
      method: 'POST',
      body: { email: 'LEAD@example.com', password: PASSWORD },
    })
    expect(answer.status).toBe(200)
    const [cookie] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/^__Secure-goldmaster\.session_token=/)
    expect(cookie).toMatch(/HttpOnly/i)
    expect(cookie).toMatch(/SameSite=Strict/i)
    expect(cookie).toMatch(/Secure/)
    const me = await visitor.app('/me')
    expect(me.json).toMatchObject({
      user: { email: 'lead@example.com', name: 'Lead', operator: false },
      accounts: [{ name: 'Night Owl', role: 'owner', plan: 'team', read_only: null }],
    })
  })

  test('answers a wrong password and an unknown address alike', async () => {
    const attempt = (email: string) =>
      visit(studio).ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password: 'not the right one' } })
    const [wrong, unknown] = [await attempt('lead@example.com'), await attempt('nobody@example.com')]
    expect(wrong.status).toBe(401)
    expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text])
  })

  test('ends with signing out, on the server too', async () => {
    const visitor = await signIn(studio, 'lead@example.com', PASSWORD)
    const { cookie } = visitor
    await visitor.ask('/app/auth/sign-out', { method: 'POST' })
    expect((await visit(studio).app('/me', { headers: { cookie } })).status).toBe(401)
  })

  test('refuses a cookie that was signed by somebody else', async () => {
    const { token } = (await studio.db.one<{ token: string }>(sql`select token from sessions limit 1`))!
    const forged = `__Secure-goldmaster.session_token=${encodeURIComponent(`${token}.${Buffer.alloc(32, 7).toString('base64')}`)}`
    expect((await visit(studio).app('/me', { headers: { cookie: forged } })).status).toBe(401)
  })

  test('leaves the doors closed that pages have no use for', async () => {
    const visitor = await signIn(studio, 'lead@example.com', PASSWORD)
    for (const path of ['/sign-up/email', '/update-user', '/delete-user', '/list-sessions'])
      expect((await visitor.ask(`/app/auth${path}`, { method: 'POST', body: {} })).status).toBe(404)
  })
})

test('guessing is slowed down, and says for how long', async () => {
  const slow = await openStudio(WORLD, { rates: { signIns: { points: 3, seconds: 60 } } })
  try {
    const guess = (email: string) =>
      visit(slow).ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password: 'a guess, a guess' } })
    for (let i = 0; i < 3; i++) expect((await guess('lead@example.com')).status).toBe(401)
    const refused = await guess('lead@example.com')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await guess('other@example.com')).status).toBe(401)
  } finally {
    await slow.close()
  }
})

describe('signing up', () => {
  const ana = { name: 'Ana', email: 'ana@example.com', password: 'ten characters or more' }

  test('makes the first visitor the owner of a studio without a trial, and closes behind them', async () => {
    const empty = await openStudio()
    try {
      const visitor = visit(empty)
      expect((await visitor.app('/welcome')).json).toMatchObject({ first_run: true, sign_up: true })
      expect((await visitor.app('/sign_up', { method: 'POST', body: ana })).status).toBe(201)
      expect((await visitor.app('/me')).json).toMatchObject({
        user: { email: 'ana@example.com', operator: true, email_verified: true },
        accounts: [{ plan: 'enterprise', trial_ends_at: null, credits: null, role: 'owner' }],
      })
      expect((await visit(empty).app('/welcome')).json).toMatchObject({ first_run: false, sign_up: false })
      const second = await visit(empty).app('/sign_up', { method: 'POST', body: { ...ana, email: 'ben@example.com' } })
      expect(second).toMatchObject({ status: 403, json: { error: 'sign_up_closed' } })
    } finally {
      await empty.close()
    }
  })

  test('is open to all where the operator says so, with a trial of 14 days where accounts are metered', async () => {
    const open = await openStudio(WORLD, { service: { signUp: 'open', metering: true } })
    try {
      const visitor = visit(open)
      expect((await visitor.app('/sign_up', { method: 'POST', body: ana })).status).toBe(201)
      const { user, accounts } = (await visitor.app('/me')).json
      expect(user.operator).toBe(false)
      expect(accounts).toMatchObject([{ plan: 'team', credits: 20, role: 'owner', read_only: null }])
      const days = (Date.parse(accounts[0].trial_ends_at) - Date.now()) / 86_400_000
      expect(days).toBeGreaterThan(13.9)
      expect(days).toBeLessThan(14.1)
      const again = await visit(open).app('/sign_up', { method: 'POST', body: { ...ana, email: 'ANA@example.com' } })
      expect(again).toMatchObject({ status: 422, json: { error: 'invalid_email' } })
    } finally {
      await open.close()
    }
  })

  test('with an invitation joins the account that invites', async () => {
    const lead = await signIn(studio, 'lead@example.com', PASSWORD)
    const account = studio.world.accounts.owl!.id
    const invited = await lead.app(`/accounts/${account}/invitations`, {
      method: 'POST',
      body: { email: 'Cleo@example.com', role: 'member' },
    })
    expect(invited.status).toBe(201)
    const token = invited.json.url.split('/').at(-1)
    const mail = await studio.db.one(sql`select to_address, text from mails order by id desc limit 1`)
    expect(mail).toMatchObject({ to_address: 'cleo@example.com', text: expect.stringContaining(invited.json.url) })
    const cleo = visit(studio)
    expect((await cleo.app(`/invitations/${token}`)).json).toMatchObject({ account_name: 'Night Owl', email: 'cleo@example.com' })
    const body = { name: 'Cleo', email: 'cleo@example.com', password: 'ten characters or more', invitation: token }
    expect((await cleo.app('/sign_up', { method: 'POST', body })).status).toBe(201)
    const me = (await cleo.app('/me')).json
    expect(me.accounts.map((one: { name: string; role: string }) => [one.name, one.role]).sort()).toEqual([
      ['Cleo', 'owner'],
      ['Night Owl', 'member'],
    ])
    expect(me.user.default_account_id).toBe(account)
    const twice = await visit(studio).app('/sign_up', { method: 'POST', body: { ...body, email: 'dora@example.com' } })
    expect(twice.status).toBe(404)
  })
})
