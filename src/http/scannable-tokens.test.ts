import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { sql } from '../db/database.ts'
import { scannable, TOKEN_KINDS } from '../domain/privacy/scannable-tokens.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import { hashOf, newScannableToken, newToken } from '../domain/privacy/secrets.ts'
import * as connections from '../domain/sign-in/connections.ts'
import * as scim from '../domain/sign-in/scim.ts'

const PASSWORD = 'a long enough password'
const POLL = 'latest?project=//Star/main'
/** As documented for secret scanners. */
const documented = new RegExp(/`(\\bgm_[^`]+)`/.exec(readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8'))![1]!)

let studio: Studio
let lead: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@owl.example', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'lead' } }],
  })
  lead = await signIn(studio, 'lead@owl.example', PASSWORD)
})
afterAll(() => studio.close())

const projectId = () => studio.world.projects.star!.id as number
const accountId = () => studio.world.accounts.owl!.id as number

test('an Unreal Game Sync token is returned in full, matches the scanner pattern and works for its project', async () => {
  const path = `/projects/${projectId()}/ugs_tokens`
  const { status, json } = await lead.app(path, { method: 'POST', body: { name: 'everybody' } })
  expect(status).toBe(201)
  expect(json.token).toMatch(documented)
  expect(json.token).toMatch(/^gm_ugs_/)
  expect(json.prefix).toBe(json.token.slice(0, 15))
  expect((await studio.ask(`/ugs/${json.token}/api/${POLL}`)).status).toBe(200)
  const { json: listed } = await lead.app(path)
  expect(listed.ugs_tokens[0].prefix).toBe(json.token.slice(0, 15))
  expect(JSON.stringify(listed)).not.toContain(json.token)
})

test('an old Unreal Game Sync token without a prefix still works for its project', async () => {
  const old = newToken()
  await studio.db.execute(sql`
    insert into ugs_tokens (account_id, project_id, name, prefix, hash)
    values (${accountId()}, ${projectId()}, 'old', ${old.slice(0, 8)}, ${hashOf(old)})`)
  expect((await studio.ask(`/ugs/${old}/api/${POLL}`)).status).toBe(200)
})

test('a SCIM token has a prefix, and an old one without it still works', async () => {
  await connections.set(studio.db, studio.service.vault, accountId(), {
    issuer: 'https://login.owl.example',
    client_id: 'gold',
    client_secret: 'secret',
    trusts_email: false,
    groups_claim: 'groups',
    role_groups: [],
    default_role: 'member',
    domains: ['owl.example'],
    required: false,
  })
  const token = await scim.makeToken(studio.db, accountId())
  expect(token).toMatch(documented)
  expect((await studio.ask('/scim/v2/Users', { token })).status).toBe(200)
  const old = newToken()
  await studio.db.execute(sql`update scim_tokens set hash = ${hashOf(old)}`)
  expect((await studio.ask('/scim/v2/Users', { token: old })).status).toBe(200)
  expect((await studio.ask('/scim/v2/Users', { token })).status).toBe(401)
})

test('an invitation link is returned and mailed in full, and matches the scanner pattern', async () => {
  const { json } = await lead.app(`/accounts/${accountId()}/invitations`, {
    method: 'POST',
    body: { email: 'new@owl.example', role: 'member' },
  })
  expect(json.url).toMatch(documented)
  expect((await studio.ask(`/app/api/v1/invitations/${json.url.split('/').at(-1)}`)).status).toBe(200)
  const [mail] = await studio.db.rows<{ body: string }>(
    sql`select m::text as body from mails m where to_address = 'new@owl.example'`,
  )
  const mailed = documented.exec(mail!.body)![0]
  expect((await studio.ask(`/app/api/v1/invitations/${mailed}`)).status).toBe(200)
})

test('API and webhook tokens stay without a prefix', async () => {
  const { json } = await lead.app('/me/tokens', { method: 'POST', body: { name: 'ci', scopes: ['ping'] } })
  expect(json.token).toMatch(/^[0-9A-Za-z]{43}$/)
  const made = await studio.load({ integrations: [{ key: 'gh', project: projectId(), provider: 'github' }] })
  expect(made.integrations!.gh!.webhook_token).toMatch(/^[0-9a-f]{64}$/)
})

describe.each(TOKEN_KINDS)('a token of the kind %s', (kind) => {
  test('is removed from texts if its checksum is correct', () => {
    const token = newScannableToken(kind)
    expect(token).toMatch(documented)
    for (const text of [
      token,
      `see ${token}.`,
      `https://gold.example/x/${token}/api`,
      `"${token}"`,
      `a\n${token}\nb`,
      `x=${token};`,
    ])
      expect(scrub(text)).not.toContain(token.slice(-20))
    for (const at of [4, 20, token.length - 1]) {
      const wrong = token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1)
      expect(scrub(`see ${wrong} here`)).toBe(`see ${wrong} here`)
    }
    expect(scrub(`see ${token}a here`)).toBe(`see ${token}a here`)
  })
})

test('the checksum is the CRC-32 of what comes before it, in base 62', () => {
  expect(scannable('ugs', '0'.repeat(43))).toBe(`gm_ugs_${'0'.repeat(43)}1Emht1`)
})
