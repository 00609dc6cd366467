import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { overlapping } from '../../../test/support/blocked.ts'
import { sendBytes } from '../../../test/support/callers/raw-http.ts'
import { signIn, visit } from '../../../test/support/callers/visitor.ts'
import { freePort } from '../../../test/support/servers/free-port.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const ana = { name: 'Ana', email: 'ana@example.com', password: 'ten characters or more' }
const WORLD = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
}

/** A service without users, at its configured address. */
async function openEmpty() {
  const port = await freePort()
  return openStudio({}, { port, service: { site: `http://localhost:${port}`, signUp: 'open' } })
}
const setUp = (studio: Studio, more: object = {}, headers: Record<string, string> = {}) => {
  const visitor = visit(studio)
  const body = { ...ana, set_up_token: studio.service.setUpToken, ...more }
  return visitor.app('/set_up', { method: 'POST', body, headers }).then((answer) => ({ ...answer, visitor }))
}

describe('the first owner', () => {
  test('needs the set-up token and no verification, and disables the set-up', async () => {
    const studio = await openEmpty()
    try {
      expect((await visit(studio).app('/welcome')).json).toMatchObject({ first_run: true, sign_up: false })
      expect((await setUp(studio, { timezone: 'Mars/Olympus' })).status).toBe(422)
      const { status, visitor } = await setUp(studio, { studio: ' Night Owl ', timezone: 'Europe/Berlin' })
      expect(status).toBe(201)
      expect((await visitor.app('/me')).json).toMatchObject({
        user: { email: 'ana@example.com', operator: true, email_verified: true },
        accounts: [
          { name: 'Night Owl', timezone: 'Europe/Berlin', plan: 'enterprise', trial_ends_at: null, credits: null, role: 'owner' },
        ],
      })
      expect((await visit(studio).app('/welcome')).json).toMatchObject({ first_run: false, sign_up: true })
      expect(await setUp(studio, { email: 'ben@example.com' })).toMatchObject({ status: 403, json: { error: 'set_up_done' } })
    } finally {
      await studio.close()
    }
  })

  test('cannot sign up without the token, not even if sign-up is open', async () => {
    const studio = await openEmpty()
    try {
      for (const set_up_token of ['', 'a guess', `${studio.service.setUpToken}x`])
        expect(await setUp(studio, { set_up_token })).toMatchObject({ status: 403, json: { error: 'invalid_set_up_token' } })
      const asked = await visit(studio).app('/sign_ups', { method: 'POST', body: { name: 'Eve', email: 'eve@example.com' } })
      expect(asked).toMatchObject({ status: 403, json: { error: 'sign_up_closed' } })
      expect(await studio.db.rows(sql`select from users`)).toEqual([])
    } finally {
      await studio.close()
    }
  })

  test('cannot sign up under another host name', async () => {
    const studio = await openEmpty()
    try {
      const { port } = new URL(studio.site)
      const body = JSON.stringify({ ...ana, set_up_token: studio.service.setUpToken })
      const ask = (host: string, origin = `http://${host}`) =>
        sendBytes(
          studio.site,
          [
            'POST /app/api/v1/set_up HTTP/1.1',
            `Host: ${host}`,
            `Origin: ${origin}`,
            'Sec-Fetch-Site: same-origin',
            'Content-Type: application/json',
            `Content-Length: ${body.length}`,
            '',
            body,
          ].join('\r\n'),
        )
      for (const host of [`evil.example:${port}`, `localhost.evil.example:${port}`, 'localhost:1', `localhost:${port}0`, ''])
        expect(await ask(host)).toMatchObject({ status: 403 })
      expect(await ask(`localhost:${port}`, 'https://evil.example')).toMatchObject({ status: 403 })
      expect(await ask(`LOCALHOST:${port}`)).toMatchObject({ status: 201 })
    } finally {
      await studio.close()
    }
  })

  test('is one of several who try at once', async () => {
    const studio = await openEmpty()
    try {
      // Nobody gets past the first account before all requests have arrived.
      const answers = await overlapping(studio.db, sql`lock table accounts in exclusive mode`, 4, () =>
        ['a', 'b', 'c', 'd'].map((name) => setUp(studio, { email: `${name}@example.com` })),
      )
      expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.status : 0)).sort()).toEqual([
        201, 403, 403, 403,
      ])
    } finally {
      await studio.close()
    }
  })
})

describe('open sign-up', () => {
  let studio: Studio
  beforeAll(async () => {
    studio = await openStudio(WORLD, { service: { signUp: 'open', metering: true } })
  })
  afterAll(() => studio.close())
  const ask = (email: string, name = 'Ana') => visit(studio).app('/sign_ups', { method: 'POST', body: { name, email } })
  const complete = (token: string, password = ana.password) =>
    visit(studio).app('/sign_ups/complete', { method: 'POST', body: { token, password } })
  const mailsTo = (address: string) =>
    studio.db.rows<{ subject: string; text: string }>(sql`
      select m.subject, m.text from mails m left join users u on u.id = m.to_user_id
      where coalesce(m.to_address, u.email) = ${address} order by m.id`)
  const linkIn = (text: string) => new URL(/https:\S+\/sign-up\?token=\S+/.exec(text)![0]).searchParams.get('token')!

  test('creates a user with a verified address and a trial once the mailed link is used, once', async () => {
    expect((await ask(' ANA@example.com'.trim())).status).toBe(200)
    await workOff(studio, 'mail_sign_up')
    expect(await studio.db.rows(sql`select from users where email = 'ana@example.com'`)).toEqual([])
    const token = linkIn((await mailsTo('ana@example.com'))[0]!.text)
    expect((await complete(token)).status).toBe(201)
    expect((await complete(token)).status).toBe(422)
    const visitor = await signIn(studio, 'ana@example.com', ana.password)
    const { user, accounts } = (await visitor.app('/me')).json
    expect(user).toMatchObject({ name: 'Ana', operator: false, email_verified: true })
    expect(accounts).toMatchObject([{ plan: 'team', credits: 20, role: 'owner', read_only: null }])
    const days = (Date.parse(accounts[0].trial_ends_at) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(13.9)
    expect(days).toBeLessThan(14.1)
  })

  test('does not reveal whether an address is known: only the email does', async () => {
    const [known, unknown] = [await ask('lead@example.com'), await ask('new@example.com')]
    expect([known.status, known.text]).toEqual([unknown.status, unknown.text])
    await workOff(studio, 'mail_sign_up')
    const [told] = await mailsTo('lead@example.com')
    expect(told).toMatchObject({ subject: 'You already have a Goldmaster account' })
    expect(told!.text).not.toContain('token=')
    expect((await mailsTo('new@example.com'))[0]!.text).toContain('/sign-up?token=')
  })

  test('does the same work for a known address and an unknown one', async () => {
    const statements: string[][] = []
    for (const email of ['lead@example.com', 'unknown@example.com'])
      for (const [path, body] of [
        ['/sign_ups', { name: 'Ana', email }],
        ['/password_resets', { email }],
      ] as const) {
        const seen: string[] = []
        const watched = vi.spyOn(studio.db.pool, 'query')
        await visit(studio).app(path, { method: 'POST', body })
        // On several servers values are part of the text.
        for (const [statement] of watched.mock.calls)
          seen.push((statement as unknown as { text: string }).text.replace(/'[^']*'/g, '?'))
        watched.mockRestore()
        statements.push(seen)
      }
    expect(statements[0]!.length).toBeGreaterThan(0)
    expect(statements.slice(0, 2)).toEqual(statements.slice(2))
  })

  test('sends at most five emails an hour', async () => {
    for (let i = 0; i < 7; i++) await ask('flooded@example.com')
    await workOff(studio, 'mail_sign_up')
    expect(await mailsTo('flooded@example.com')).toHaveLength(5)
  })

  test('creates one user for an address that signed up twice', async () => {
    await ask('twice@example.com', 'First')
    await ask('twice@example.com', 'Second')
    await workOff(studio, 'mail_sign_up')
    const links = (await mailsTo('twice@example.com')).map(({ text }) => linkIn(text))
    const answers = await Promise.all(links.map((link) => complete(link)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
    expect(await studio.db.rows(sql`select from accounts where name in ('First', 'Second')`)).toHaveLength(1)
  })

  test('rejects links that were mailed before it was closed', async () => {
    await ask('late@example.com')
    await workOff(studio, 'mail_sign_up')
    const token = linkIn((await mailsTo('late@example.com'))[0]!.text)
    const closed = await openStudio({}, { beside: studio })
    try {
      const answer = await visit(closed).app('/sign_ups/complete', { method: 'POST', body: { token, password: ana.password } })
      expect(answer).toMatchObject({ status: 403, json: { error: 'sign_up_closed' } })
      expect((await visit(closed).app('/sign_ups', { method: 'POST', body: { name: 'x', email: 'x@example.com' } })).status).toBe(
        403,
      )
    } finally {
      await closed.close()
    }
  })
})
