import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { goldmaster } from '../../../test/support/callers/command.ts'
import { signIn } from '../../../test/support/callers/visitor.ts'
import { isOnSeveralServers } from '../../../test/support/database.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { Cursors } from '../../db/page.ts'
import { create as createChannel } from '../channels/channels.ts'
import { openConfig } from '../integrations/config.ts'
import { setSigning } from '../integrations/integrations.ts'
import { rotateToken, showToken } from '../integrations/settings.ts'
import { keyFor, Vault } from '../privacy/secrets.ts'
import { secretOf } from '../sending/destinations.ts'
import * as webhooks from '../webhooks/webhooks.ts'
import { rotateKeys, SEALED } from './key-rotation.ts'
import { verifySecret } from './secret-canary.ts'

const [OLD, NEW] = ['the former key of these tests, long', 'the next key of these tests, as long']
const both = new Vault(NEW, OLD)
const next = new Vault(NEW)
const TOOLS = 110
const PASSWORD = 'a long enough password'
const server = { server: 'https://ci.example.com', user: 'gold' }

let studio: Studio
let node: Studio
beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Night Owl', plan: 'studio' }],
      users: [{ key: 'ann', email: 'ann@example.com', name: 'Ann', password: PASSWORD, accounts: { owl: 'owner' } }],
      projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    },
    { service: { vault: new Vault(OLD), cookieKey: 'before', cursors: new Cursors(keyFor(OLD, 'cursors')) } },
  )
  const { vault } = studio.service
  await verifySecret(studio.db, vault)
  const star = studio.world.projects.star!.id
  const integrations = Array.from({ length: TOOLS }, (_, i) => ({
    key: `t${i}`,
    project: star,
    provider: i === 0 ? 'github' : 'jenkins',
    signing_secret: `signed ${i}`,
    config: { ...server, api_token: `token ${i}` },
  }))
  studio.world = await studio.load({ integrations })
  const account_id = 1
  const { id } = await webhooks.create(studio.db, vault, { account_id, url: 'https://hook.example/' })
  await webhooks.rotateSecret(studio.db, vault, id)
  await createChannel(studio.db, vault, account_id, {
    kind: 'discord',
    name: 'builds',
    secret: 'https://discord.example/api/webhooks/1/x',
  })
  node = await openStudio(
    {},
    {
      beside: studio,
      service: {
        vault: both,
        cookieKey: 'after',
        formerCookieKey: 'before',
        cursors: new Cursors(keyFor(NEW, 'cursors'), keyFor(OLD, 'cursors')),
      },
    },
  )
})
afterAll(async () => {
  await node.close()
  await studio.close()
})

/** How many integrations the next key decrypts, in all of their columns. */
async function opened(vault: Vault): Promise<number> {
  const rows = await studio.db.rows<{ id: number; secrets_sealed: string[]; config: Record<string, unknown> }>(
    sql`select id, secrets_sealed, config from integrations`,
  )
  const tried = await Promise.allSettled(
    rows.map(async ({ id, secrets_sealed, config }) => {
      expect(await showToken(studio.db, vault, id)).toMatch(/^[0-9a-f]{64}$/)
      expect(vault.open(secrets_sealed[0]!, `integrations/${id}/secrets_sealed`)).toMatch(/^signed /)
      expect(openConfig(vault, { integration_id: id, config }).api_token).toMatch(/^token /)
    }),
  )
  return tried.filter(({ status }) => status === 'fulfilled').length
}

/** A signed push, sent while the keys are rotated. */
async function push(i: number) {
  const body = JSON.stringify({ ref: 'refs/heads/main', repository: { full_name: 'owl/star' }, commits: [] })
  const signature = createHmac('sha256', 'signed 0').update(body).digest('hex')
  const { webhook_token } = studio.world.integrations.t0!
  const headers = { 'x-github-event': 'push', 'x-github-delivery': `d${i}`, 'x-hub-signature-256': `sha256=${signature}` }
  const answer = await node.ask(`/webhooks/github?token=${webhook_token}`, { method: 'POST', raw: body, headers })
  return answer.status
}

test('every encrypted column is rotated', async () => {
  const columns = await studio.db.rows<{ place: string }>(sql`
    select table_name || '.' || column_name as place from information_schema.columns
    where table_schema = 'public' and column_name ~ '(^|_)sealed$' and table_name <> 'secret_canary'`)
  const rotated = Object.entries(SEALED).flatMap(([table, { columns }]) => Object.keys(columns).map((name) => `${table}.${name}`))
  expect(rotated).toEqual(expect.arrayContaining(columns.map(({ place }) => place)))
})

// A table that is on every server is written by one transaction at a time: none can be held in the middle of it.
test.skipIf(isOnSeveralServers())('a key rotation resumes after a kill, under load, and retires the former key', async () => {
  const statuses = new Set<number>()
  let pushing = true
  const load = (async () => {
    for (let i = 0; pushing; i++) statuses.add(await push(i))
  })()
  const held = studio.world.integrations.t105!.id
  const env = { DATABASE_URL: studio.url, SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OLD, LOG_LEVEL: 'warn' }
  await studio.db.transaction(async (holder) => {
    await holder.rows(sql`select from integrations where id = ${held} for update`)
    const running = goldmaster(['admin', 'rotate-keys'], env)
    await until(async () => (await opened(next)) >= 100)
    running.child.kill('SIGKILL')
    await running.ended
  })
  expect(await opened(next)).toBeLessThan(TOOLS)
  expect(await opened(both)).toBe(TOOLS)
  // Halfway through, both keys are still needed.
  await expect(verifySecret(studio.db, next)).rejects.toThrow(/^SECRET_KEY is not the key/)
  await verifySecret(studio.db, both)

  const { t107, t108 } = studio.world.integrations
  const edits = [rotateToken(studio.db, both, t107!.id), setSigning(studio.db, both, t108!.id, { secrets: ['signed anew'] })]
  const done = JSON.parse(await admin({ db: studio.db, vault: both }, 'rotate-keys', '--json'))
  await Promise.all(edits)
  expect(done).toMatchObject({ looked: TOOLS + 2, lost: [] })
  expect(done.resealed).toBeLessThanOrEqual(TOOLS - 100 + 2)
  pushing = false
  await load

  expect([...statuses]).toEqual([200])
  expect(await opened(next)).toBe(TOOLS)
  const [webhook, channel] = await studio.db.rows<{ id: number; former_sealed: string; secret_sealed: string }>(sql`
    select id, former_sealed, secret_sealed from destinations order by kind = 'webhook' desc`)
  expect(await webhooks.showSecret(studio.db, next, webhook!.id)).toMatch(/^whsec_/)
  expect(next.open(webhook!.former_sealed, secretOf(webhook!.id))).toMatch(/^whsec_/)
  expect(next.open(channel!.secret_sealed, secretOf(channel!.id))).toContain('discord.example')
  await verifySecret(studio.db, next)
  await expect(verifySecret(studio.db, new Vault(OLD))).rejects.toThrow(/^SECRET_KEY is not the key/)
  expect(await opened(new Vault(OLD))).toBe(0)
})

test.skipIf(isOnSeveralServers())('a sealed value can be decrypted only for its own row and column', async () => {
  const [a, b] = [studio.world.integrations.t1!.id, studio.world.integrations.t2!.id]
  await studio.db.execute(sql`
    update integrations set token_sealed = (select token_sealed from integrations where id = ${a}) where id = ${b}`)
  await expect(showToken(studio.db, next, b)).rejects.toThrow()
  const third = new Vault('a third key of these tests, long too', NEW)
  expect(await rotateKeys(studio.db, third)).toMatchObject({ lost: [`integrations/${b}/token_sealed`] })
})

test('signed-in users stay signed in and can sign out; earlier cursors and links stay valid', async () => {
  const ann = await signIn(studio, 'ann@example.com', PASSWORD)
  const cursor = new Cursors(keyFor(OLD, 'cursors')).seal('tasks', { at: '2026-10-01T12:00:00.000Z', id: '1' })
  expect(node.service.cursors.open('tasks', cursor)).toMatchObject({ id: '1' })
  const headers = { cookie: ann.cookie, 'sec-fetch-site': 'same-origin' }
  expect((await node.ask('/app/api/v1/me', { headers })).status).toBe(200)
  expect((await node.ask('/app/auth/sign-out', { method: 'POST', headers, body: {} })).status).toBe(200)
  expect((await studio.ask('/app/api/v1/me', { headers })).status).toBe(401)
})
