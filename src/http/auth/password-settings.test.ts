import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, visit } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import { refuseBreached } from '../../domain/access/breached-passwords.ts'
import { codeAt, stepOf } from '../../domain/sign-in/totp.ts'

const PASSWORD = 'a long enough password'

let studio: Studio
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'passwords-'))
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
      users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    },
    { service: { sessionSeconds: 3600 } },
  )
})
afterAll(async () => {
  await studio.close()
  await rm(folder, { recursive: true })
})

describe('the length of a session', () => {
  const secondsOf = (cookies: string[]) =>
    Number(/Max-Age=(\d+)/i.exec(cookies.find((set) => set.includes('session_token'))!)![1])
  const longest = async () =>
    (await studio.db.one<{ seconds: number }>(sql`
      select max(extract(epoch from expires_at - created_at))::integer as seconds from sessions`))!.seconds

  test('is the same with a password and with a code', async () => {
    const visitor = visit(studio)
    const body = { email: 'lead@example.com', password: PASSWORD }
    const first = await visitor.ask('/app/auth/sign-in/email', { method: 'POST', body })
    expect(secondsOf(first.headers.getSetCookie())).toBe(3600)
    const { secret } = (await visitor.app('/me/two_factor', { method: 'POST' })).json
    const now = stepOf(Date.now())
    await visitor.app('/me/two_factor', { method: 'PUT', body: { code: codeAt(secret, now) } })
    const { json } = await visit(studio).ask('/app/auth/sign-in/email', { method: 'POST', body })
    const second = await visit(studio).app('/two_factor_sign_ins', {
      method: 'POST',
      body: { challenge: json.two_factor, code: codeAt(secret, now + 1) },
    })
    expect(secondsOf(second.headers.getSetCookie())).toBe(3600)
    expect(Math.abs((await longest()) - 3600)).toBeLessThanOrEqual(1)
    await studio.db.execute(sql`delete from two_factors`)
  })
})

describe('a password that attackers try first', () => {
  const change = async (new_password: string) => {
    const lead = await signIn(studio, 'lead@example.com', PASSWORD)
    return lead.app('/me/password', { method: 'PUT', body: { current_password: PASSWORD, new_password } })
  }
  const refused = { status: 422, json: { error: 'breached_password' } }

  test('is refused everywhere people choose one', async () => {
    expect(await change('Password123!')).toMatchObject(refused)
    const post = (path: string, body: object) => visit(studio).app(path, { method: 'POST', body })
    const password = 'qwertyuiop'
    const name = 'New'
    for (const [path, body] of [
      ['/sign_ups/complete', { token: 'x', password }],
      ['/sign_ups/invited', { name, email: 'new@example.com', password, invitation: 'x' }],
      ['/password_resets/complete', { token: 'x', password }],
    ] as const)
      expect(await post(path, body), path).toMatchObject(refused)
  })

  test.each([
    '1234567890',
    '0987654321',
    'aaaaaaaaaaaa',
    'abc123abc123',
    'Welcome2026!',
    '1q2w3e4r5t',
    '!!!goldmaster!!!',
    'passwordpassword',
  ])('is recognized without a file: %s', async (password) => {
    await expect(refuseBreached('builtin', password)).rejects.toMatchObject({ code: 'breached_password' })
    await refuseBreached('off', password)
  })

  test.each([PASSWORD, 'correct horse battery', 'tr0ub4dor & 3 friends', 'welcome to the night owls', 'ümläut-Straße 12'])(
    'is not mistaken for one: %s',
    (password) => refuseBreached('builtin', password),
  )

  test.each(['\n', '\r\n'])('is found at any offset in a file of hashes with lines ending in %j', async (end) => {
    const known = Array.from({ length: 501 }, (_, i) => `a stolen password ${i}`)
    const hashOf = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()
    const lines = known.map((text, i) => `${hashOf(text)}:${i ** 3}`).toSorted()
    for (const last of ['', end]) {
      const file = join(folder, 'hashes.txt')
      await writeFile(file, lines.join(end) + last)
      for (const text of known)
        await expect(refuseBreached({ file }, text), text).rejects.toMatchObject({ code: 'breached_password' })
      for (let i = 0; i < 200; i++) await refuseBreached({ file }, `nobody had this one ${i}`)
    }
  })
})
