import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overlapping } from '../../../test/support/blocked.ts'
import { signIn, visit } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const OTHER = 'quite another password'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'Lead@Example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
  })
})
afterAll(() => studio.close())

let people = 0
/** A new user with two sessions and a token. */
async function somebody() {
  const email = `p${++people}@example.com`
  const made = await studio.load({
    users: [{ key: 'one', email, name: 'One', password: PASSWORD, accounts: { [studio.world.accounts.owl!.id]: 'member' } }],
  })
  const [here, there] = [await signIn(studio, email, PASSWORD), await signIn(studio, email, PASSWORD)]
  const { token } = (await here.app('/me/tokens', { method: 'POST', body: { name: 'ci', scopes: [] } })).json
  return { id: made.users.one!.id, email, here, there, token: token as string }
}
const ping = async (token: string) => (await studio.ask('/api/v1/ping', { token })).status
const mailsTo = (id: number) =>
  studio.db.rows<{ subject: string; text: string }>(sql`select subject, text from mails where to_user_id = ${id} order by id`)
const ask = (email: string) => visit(studio).app('/password_resets', { method: 'POST', body: { email } })
const reset = (token: unknown, password = OTHER) =>
  visit(studio).app('/password_resets/complete', { method: 'POST', body: { token, password } })

/** Requests a link and reads it from the email. */
async function linkFor({ id, email }: { id: number; email: string }) {
  await ask(email)
  await workOff(studio, 'mail_password_reset')
  const { text } = (await mailsTo(id)).at(-1)!
  const link = new URL(/https:\S+/.exec(text)![0])
  expect(link.href).toMatch(/^https:\/\/gold\.example\/reset\?token=/)
  return link.searchParams.get('token')!
}

describe('a forgotten password', () => {
  test('is replaced with a mailed link that works once and ends every session and token', async () => {
    const person = await somebody()
    const token = await linkFor(person)
    expect((await mailsTo(person.id)).at(-1)).toMatchObject({
      subject: 'Choose a new password',
      text: expect.stringMatching(/signs you out everywhere and revokes your API tokens/),
    })
    expect((await reset(token, 'short')).status).toBe(422)
    expect(await ping(person.token)).toBe(200)
    expect((await reset(token)).status).toBe(200)
    expect(await reset(token, 'and a third password')).toMatchObject({ status: 422, json: { error: 'invalid_link' } })
    expect(await ping(person.token)).toBe(401)
    for (const browser of [person.here, person.there]) expect((await browser.app('/me')).status).toBe(401)
    expect((await mailsTo(person.id)).at(-1)).toMatchObject({
      subject: 'Your password was changed',
      text: expect.stringContaining('API tokens revoked: 1'),
    })
    await signIn(studio, person.email, OTHER)
  })

  test('revokes other links, and login codes that were not exchanged yet', async () => {
    const person = await somebody()
    const [first, second] = [await linkFor(person), await linkFor(person)]
    const consent = { allow: true, port: 50_123, state: 'x', code_challenge: 'A'.repeat(43), client_name: 'cli', scopes: [] }
    expect((await person.there.app('/cli/authorizations', { method: 'POST', body: consent })).status).toBe(200)
    expect((await reset(second)).status).toBe(200)
    expect((await reset(first)).status).toBe(422)
    expect(await studio.db.rows(sql`select from oauth_codes where user_id = ${person.id}`)).toEqual([])
  })

  test('verifies the address that the link was mailed to', async () => {
    const person = await somebody()
    await studio.db.execute(sql`update users set email_verified = false where id = ${person.id}`)
    await reset(await linkFor(person))
    const again = await signIn(studio, person.email, OTHER)
    expect((await again.app('/me')).json.user.email_verified).toBe(true)
  })

  test('is set once by one link, however many requests use it at once', async () => {
    const person = await somebody()
    const token = await linkFor(person)
    const words = ['the first password', 'the second password', 'the third password']
    const answers = await overlapping(studio.db, sql`select from verifications for update`, words.length, () =>
      words.map((password) => reset(token, password)),
    )
    const statuses = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : 0))
    expect(statuses.sort()).toEqual([200, 422, 422])
  })

  test('revokes a token that is being created at the same moment', async () => {
    const person = await somebody()
    const token = await linkFor(person)
    const make = () => person.there.app('/me/tokens', { method: 'POST', body: { name: 'late', scopes: [] } })
    await overlapping(studio.db, sql`select from users where id = ${person.id} for update`, 2, () => [reset(token), make()])
    const open = sql`select from api_tokens where user_id = ${person.id} and revoked_at is null`
    expect(await studio.db.rows(open)).toEqual([])
  })

  test('opens no session with the old password that is being checked at the same moment', async () => {
    const person = await somebody()
    const token = await linkFor(person)
    // The session is written while the password is replaced: both wait for the user's row, in this order.
    const answers = await overlapping(studio.db, sql`select from users where id = ${person.id} for update`, 2, () => [
      reset(token),
      visit(studio).ask('/app/auth/sign-in/email', { method: 'POST', body: { email: person.email, password: PASSWORD } }),
    ])
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'fulfilled'])
    const left = await studio.db.rows(sql`select from sessions where user_id = ${person.id}`)
    expect(left).toEqual([])
  })

  test('gets the same reply for an unknown address, and no email is sent', async () => {
    const person = await somebody()
    const [known, unknown] = [await ask(person.email), await ask('nobody@example.com')]
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
    expect(await workOff(studio, 'mail_password_reset')).toBe(2)
    expect((await mailsTo(person.id)).filter(({ subject }) => subject.startsWith('Choose'))).toHaveLength(1)
    expect(await studio.db.rows(sql`select from mails where to_address = 'nobody@example.com'`)).toEqual([])
  })

  test('is mailed at most five times an hour', async () => {
    const person = await somebody()
    for (let i = 0; i < 8; i++) expect((await ask(person.email)).status).toBe(200)
    await workOff(studio, 'mail_password_reset')
    expect((await mailsTo(person.id)).filter(({ subject }) => subject.startsWith('Choose'))).toHaveLength(5)
  })

  test('leaves no usable link in the database', async () => {
    const person = await somebody()
    const token = await linkFor(person)
    const kept = await studio.db.rows(sql`select identifier, value from verifications`)
    expect(JSON.stringify(kept)).not.toContain(token)
  })

  test.each([
    ['a NUL', 'a\0b'],
    ['a lone surrogate', '\ud800'],
    ['a number', 7],
    ['nothing', ''],
    ['a book', 'x'.repeat(5_000)],
  ])('cannot be replaced with a link with %s', async (_, token) => expect((await reset(token)).status).toBe(422))
})

describe('a changed password', () => {
  const change = (body: object) => ({
    method: 'PUT',
    body: { current_password: PASSWORD, new_password: OTHER, ...body },
  })

  test('ends every other session, and the tokens unless they should stay', async () => {
    const [gone, stays] = [await somebody(), await somebody()]
    const former = gone.here.cookie
    expect((await gone.here.app('/me/password', change({}))).status).toBe(200)
    expect((await stays.here.app('/me/password', change({ revoke_tokens: false }))).status).toBe(200)
    expect([await ping(gone.token), await ping(stays.token)]).toEqual([401, 200])
    for (const { here, there } of [gone, stays]) {
      expect((await here.app('/me')).status).toBe(200)
      expect((await there.app('/me')).status).toBe(401)
    }
    expect((await visit(studio).app('/me', { headers: { cookie: former } })).status).toBe(401)
    expect((await mailsTo(gone.id)).at(-1)!.subject).toBe('Your password was changed')
    await signIn(studio, gone.email, OTHER)
  })

  test('needs the current one, and changes nothing without it', async () => {
    const person = await somebody()
    const refused = await person.here.app('/me/password', change({ current_password: 'a guess, a guess' }))
    expect(refused).toMatchObject({ status: 422, json: { error: 'invalid_password' } })
    expect(await ping(person.token)).toBe(200)
    expect((await person.there.app('/me')).status).toBe(200)
  })

  test('is changed by one of two concurrent requests', async () => {
    const person = await somebody()
    const answers = await overlapping(studio.db, sql`select from users where id = ${person.id} for update`, 2, () => [
      person.here.app('/me/password', change({ new_password: 'chosen on the left' })),
      person.there.app('/me/password', change({ new_password: 'chosen on the right' })),
    ])
    const statuses = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : 0))
    expect(statuses.sort()).toEqual([200, 422])
  })
})

describe('an unverified address', () => {
  test('creates no token, logs no program in and joins nothing', async () => {
    const person = await somebody()
    await studio.db.execute(sql`update users set email_verified = false where id = ${person.id}`)
    const refused = { status: 403, json: { error: 'email_unverified' } }
    expect(await person.here.app('/me/tokens', { method: 'POST', body: { name: 'x', scopes: [] } })).toMatchObject(refused)
    const consent = { allow: true, port: 50_123, state: 'x', code_challenge: 'A'.repeat(43), client_name: 'cli', scopes: [] }
    expect(await person.here.app('/cli/authorizations', { method: 'POST', body: consent })).toMatchObject(refused)
    const lead = await signIn(studio, 'lead@example.com', PASSWORD)
    const invite = async (email: string) =>
      (
        await lead.app(`/accounts/${studio.world.accounts.owl!.id}/invitations`, {
          method: 'POST',
          body: { email, role: 'owner' },
        })
      ).json.url
        .split('/')
        .at(-1)
    const others = await invite('somebody.else@example.com')
    expect(await person.here.app(`/invitations/${others}/accept`, { method: 'POST' })).toMatchObject(refused)
    const own = await invite(person.email.toUpperCase())
    expect((await person.here.app(`/invitations/${own}/accept`, { method: 'POST' })).status).toBe(200)
    expect((await person.here.app('/me')).json.user.email_verified).toBe(true)
  })

  test('is verified by a mailed link, followed by the person who chose the password', async () => {
    const person = await somebody()
    await studio.db.execute(sql`update users set email_verified = false where id = ${person.id}`)
    await person.here.ask('/app/auth/send-verification-email', { method: 'POST', body: { email: person.email } })
    const { text } = (await mailsTo(person.id)).at(-1)!
    const link = `/app/auth/verify-email?token=${new URL(/https:\S+/.exec(text)![0]).searchParams.get('token')}`
    const lead = await signIn(studio, 'lead@example.com', PASSWORD)
    for (const stranger of [visit(studio), lead]) expect(await stranger.ask(link)).toMatchObject({ status: 401 })
    expect((await person.here.app('/me')).json.user.email_verified).toBe(false)
    expect((await person.here.ask(link)).status).toBe(200)
    expect((await person.here.app('/me')).json.user.email_verified).toBe(true)
  })
})
