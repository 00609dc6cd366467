import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, visit } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'

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
  test('sets a cookie that scripts and other sites cannot read', async () => {
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

  test('returns the same error for a wrong password and an unknown address', async () => {
    const attempt = (email: string) =>
      visit(studio).ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password: 'not the right one' } })
    const [wrong, unknown] = [await attempt('lead@example.com'), await attempt('nobody@example.com')]
    expect(wrong.status).toBe(401)
    expect([unknown.status, unknown.text]).toEqual([wrong.status, wrong.text])
  })

  test.each<{ email: unknown }>([{ email: { toString: null } }, { email: 7 }, { email: null }])(
    'refuses an address that is not text: %j',
    async ({ email }) => {
      const answer = await visit(studio).ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password: PASSWORD } })
      expect(answer.status).toBe(400)
    },
  )

  test('ends with signing out, on the server too', async () => {
    const visitor = await signIn(studio, 'lead@example.com', PASSWORD)
    const { cookie } = visitor
    await visitor.ask('/app/auth/sign-out', { method: 'POST' })
    expect((await visit(studio).app('/me', { headers: { cookie } })).status).toBe(401)
  })

  test('refuses a cookie that was signed with another key', async () => {
    const { token } = (await studio.db.one<{ token: string }>(sql`select token from sessions limit 1`))!
    const forged = `__Secure-goldmaster.session_token=${encodeURIComponent(`${token}.${Buffer.alloc(32, 7).toString('base64')}`)}`
    expect((await visit(studio).app('/me', { headers: { cookie: forged } })).status).toBe(401)
  })

  test('exposes no library endpoint that pages do not use', async () => {
    const visitor = await signIn(studio, 'lead@example.com', PASSWORD)
    for (const path of ['/sign-up/email', '/update-user', '/delete-user', '/list-sessions'])
      expect((await visitor.ask(`/app/auth${path}`, { method: 'POST', body: {} })).status).toBe(404)
  })
})

test('guessing is slowed down, and the reply says for how long', async () => {
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

describe("guessing one person's password from many addresses", () => {
  const open = () => openStudio(WORLD, { rates: { signIns: { points: 2, seconds: 60 } }, service: { trustProxy: ['127.0.0.1'] } })
  const guess = (studio: Studio, from: string, password = 'a guess, a guess') =>
    visit(studio).ask('/app/auth/sign-in/email', {
      method: 'POST',
      body: { email: 'lead@example.com', password },
      headers: { 'x-forwarded-for': from },
    })

  test('locks nobody out who connects from another address, however many guess', async () => {
    const studio = await open()
    try {
      for (let place = 1; place <= 30; place++) await guess(studio, `192.0.2.${place}`)
      expect((await guess(studio, '198.51.100.7', PASSWORD)).status).toBe(200)
    } finally {
      await studio.close()
    }
  })

  test('leaves each address fewer guesses the more there are, in the end one', async () => {
    const studio = await open()
    try {
      const from = async (place: string) => {
        let taken = 0
        while (taken < 5 && (await guess(studio, place)).status === 401) taken++
        return taken
      }
      expect(await from('192.0.2.1')).toBe(2)
      for (let place = 2; place <= 12; place++) await from(`192.0.2.${place}`)
      expect(await from('192.0.2.100')).toBe(1)
      for (let place = 201; place <= 220; place++) await from(`192.0.2.${place}`)
      expect(await from('192.0.2.101')).toBe(1)
    } finally {
      await studio.close()
    }
  })

  test('still allows a password reset after too many guesses', async () => {
    const studio = await open()
    try {
      for (let place = 1; place <= 30; place++) await guess(studio, `192.0.2.${place}`)
      await guess(studio, '198.51.100.7')
      expect((await guess(studio, '198.51.100.7')).status).toBe(429)
      const asked = await visit(studio).app('/password_resets', {
        method: 'POST',
        body: { email: 'lead@example.com' },
        headers: { 'x-forwarded-for': '198.51.100.7' },
      })
      expect(asked.status).toBe(200)
    } finally {
      await studio.close()
    }
  })
})
