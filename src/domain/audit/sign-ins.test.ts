import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { signIn, visit } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { enqueue } from '../../db/queue.ts'
import { codeAt, stepOf } from '../sign-in/totp.ts'

const PASSWORD = 'a long enough password'
const ADDRESS = '192.0.2.7'

let studio: Studio
let seen = 0
beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: ['owl', 'fox', 'elk'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
      users: [
        { key: 'lead', email: 'lead@example.com', name: 'L', password: PASSWORD, accounts: { owl: 'owner', fox: 'member' } },
        { key: 'kim', email: 'kim@example.com', name: 'K', password: PASSWORD, accounts: { owl: 'member' } },
      ],
      projects: [{ key: 'star', account: 'owl', name: 'Star' }],
      tokens: [{ key: 'kim', user: 'kim', name: 'ci', scopes: ['write:tasks'] }],
    },
    { service: { trustProxy: ['127.0.0.1'] } },
  )
})
afterAll(() => studio.close())

const all = () =>
  studio.db.rows<Record<string, unknown>>(sql`
    select a.name as account, l.actor, l.action, l.user_id, l.ip_address, l.subject, l.after from audit_log l join accounts a on a.id = l.account_id
    order by l.id`)
/** Entries added since the last call. */
const added = async () => (await all()).slice(seen)
beforeEach(async () => {
  seen = (await all()).length
})

const from = { 'x-forwarded-for': ADDRESS }
const tryPassword = (email: string, password: string) =>
  visit(studio).ask('/app/auth/sign-in/email', { method: 'POST', body: { email, password }, headers: from })

test('a sign-in is recorded in every account of the person, with method and address', async () => {
  await tryPassword('lead@example.com', PASSWORD)
  const entry = {
    actor: 'user',
    action: 'signIn',
    user_id: studio.world.users.lead!.id,
    ip_address: ADDRESS,
    subject: `user/${studio.world.users.lead!.id}`,
    after: { method: 'password' },
  }
  expect(await added()).toEqual([
    { account: 'owl', ...entry },
    { account: 'fox', ...entry },
  ])
})

test('right and wrong codes of an authenticator app are recorded', async () => {
  const visitor = await signIn(studio, 'kim@example.com', PASSWORD)
  const { secret } = (await visitor.app('/me/two_factor', { method: 'POST' })).json
  const now = stepOf(Date.now())
  await visitor.app('/me/two_factor', { method: 'PUT', body: { code: codeAt(secret, now) } })
  seen = (await all()).length
  const challenge = (await tryPassword('kim@example.com', PASSWORD)).json.two_factor
  const complete = (code: string) => visit(studio).app('/two_factor_sign_ins', { method: 'POST', body: { challenge, code } })
  expect((await complete('000000x')).status).toBe(422)
  expect((await complete(codeAt(secret, now + 1))).status).toBe(200)
  expect((await added()).map(({ action, after }) => [action, after])).toEqual([
    ['signInRefused', { method: 'second_factor', reason: 'invalid_code' }],
    ['signIn', { method: 'second_factor' }],
  ])
})

test("a member's wrong password is recorded, an unknown person's is not, and a flood leaves ten entries", async () => {
  expect((await tryPassword('kim@example.com', 'wrong password')).status).toBe(401)
  expect((await tryPassword('nobody@example.com', 'wrong password')).status).toBe(401)
  expect(await workOff(studio, 'audit_refused_sign_in')).toBe(2)
  const reason = { method: 'password', reason: 'wrong_password', attempted_at: expect.any(String) }
  expect(await added()).toMatchObject([{ account: 'owl', action: 'signInRefused', ip_address: ADDRESS, after: reason }])
  for (let i = 0; i < 12; i++)
    await enqueue(
      studio.db,
      'audit_refused_sign_in',
      { email: 'kim@example.com', ip_address: ADDRESS, attempted_at: `try ${i}` },
      {},
    )
  await workOff(studio, 'audit_refused_sign_in')
  const { count } = (await studio.db.one<{ count: number }>(sql`
    select count(*) as count from audit_log where action = 'signInRefused' and user_id = ${studio.world.users.kim!.id}`))!
  expect(count).toBe(10)
})

test('a token issued to the CLI is recorded in every account that it has access to', async () => {
  const lead = await signIn(studio, 'lead@example.com', PASSWORD)
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const consent = { allow: true, port: 4321, state: 's', code_challenge, client_name: 'cli', scopes: ['read:tasks'] }
  const { redirect_to } = (await lead.app('/cli/authorizations', { method: 'POST', body: consent })).json
  seen = (await all()).length
  const code = new URL(redirect_to).searchParams.get('code')
  const { status } = await studio.ask('/api/v1/cli/token_exchange', { method: 'POST', body: { code, code_verifier } })
  expect(status).toBe(201)
  expect((await added()).map(({ account, action, after }) => [account, action, after])).toEqual(
    ['owl', 'fox'].map((account) => [
      account,
      'exchangeLoginCode',
      expect.objectContaining({ created_via: 'cli', scopes: ['ping', 'read:tasks'] }),
    ]),
  )
})

test('a request repeated with its idempotency key leaves one entry', async () => {
  const create = () =>
    studio.ask(`/api/v1/projects/${studio.world.projects.star!.id}/tasks`, {
      method: 'POST',
      token: studio.world.tokens.kim!.token,
      body: { task: { title: 'Once' } },
      headers: { 'idempotency-key': 'once' },
    })
  const [first, again] = [await create(), await create()]
  expect(again.text).toBe(first.text)
  expect(await added()).toMatchObject([{ actor: 'token', action: 'createTask', subject: `task/${first.json.id}` }])
})

test('a password set by a mailed link ends every session and is recorded', async () => {
  await visit(studio).app('/password_resets', { method: 'POST', body: { email: 'lead@example.com' } })
  await workOff(studio, 'mail_password_reset')
  const { text } = (await studio.db.one<{ text: string }>(
    sql`select text from mails where text like '%token=%' order by id desc limit 1`,
  ))!
  const token = /token=([\w-]+)/.exec(text)![1]!
  const body = { token, password: 'another long password' }
  expect((await visit(studio).app('/password_resets/complete', { method: 'POST', body })).status).toBe(200)
  expect((await added()).map(({ account, action }) => [account, action])).toEqual([
    ['owl', 'completePasswordReset'],
    ['fox', 'completePasswordReset'],
  ])
})
