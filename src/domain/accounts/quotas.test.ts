import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { listen } from '../../../test/support/callers/listening.ts'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio, UNLIMITED } from '../../../test/support/studio.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { IntakeQuota } from '../integrations/intake-usage.ts'
import { readQuotas } from './quotas.ts'

const PASSWORD = 'a long enough password'
let studio: Studio
let lead: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: ['owl', 'fox'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
    users: [
      { key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner', fox: 'owner' } },
    ],
    projects: ['owl', 'fox'].map((account) => ({ key: account, account, name: account })),
    integrations: ['owl', 'fox'].map((project) => ({ key: project, project, provider: 'linear' })),
    tokens: [{ key: 'lead', user: 'lead', name: 'lead', scopes: SCOPES }],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
})
afterAll(() => studio.close())

const idOf = (key: string) => studio.world.accounts[key]!.id
const set = (quotas: string) => admin(studio.service, 'account', 'set', String(idOf('owl')), '--quotas', quotas)
/** Simulates another process that has counted nothing yet. */
const fresh = () => {
  studio.service.intakeQuota = new IntakeQuota(UNLIMITED, 30)
}
let told = 0
const tell = (key: string) =>
  studio.ask(`/webhooks/linear?token=${studio.world.integrations[key]!.webhook_token}`, {
    method: 'POST',
    body: { action: 'noise', n: told++ },
  })
const deliveries = async () => (await studio.db.rows(sql`select from deliveries`)).length
const usageOf = async (key: string) =>
  Object.fromEntries(
    (await lead.app(`/accounts/${idOf(key)}/usage`)).json.usage.map(({ kind, ...rest }: { kind: string }) => [kind, rest]),
  )

test('nothing is limited by default, and everything is counted', async () => {
  for (let i = 0; i < 3; i++) expect((await tell('owl')).status).toBe(200)
  const usage = await usageOf('owl')
  expect(usage).toMatchObject({
    deliveries: { used: 3, limit: null },
    integrations: { used: 1, limit: null },
    webhooks: { used: 0, limit: null },
    streams: { used: null, limit: null },
  })
  expect(usage.stored_bytes.used).toBeGreaterThan(50)
})

test('a delivery over the quota is refused before it is stored, until the next day, and other accounts are not affected', async () => {
  await set('deliveries=4')
  fresh()
  expect((await tell('owl')).status).toBe(200)
  const before = await deliveries()
  const refused = await tell('owl')
  expect(refused).toMatchObject({ status: 429, json: { error: 'quota_exceeded', quota: 'deliveries', limit: 4, used: 4 } })
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(86_400)
  expect(await deliveries()).toBe(before)
  expect((await tell('fox')).status).toBe(200)
  await studio.service.intakeQuota.flush(studio.db)
  // Another process enforces it too, and the next day nobody does.
  fresh()
  expect((await tell('owl')).status).toBe(429)
  await studio.db.execute(sql`update intake_usage set day = day - 1`)
  fresh()
  expect((await tell('owl')).status).toBe(200)
  await set('none')
})

test('over the byte quota deliveries are accepted without their bodies', async () => {
  await set('stored_bytes=1')
  fresh()
  expect((await tell('owl')).status).toBe(200)
  const [last] = await studio.db.rows(sql`select body_note, octet_length(body) as bytes from deliveries order by id desc limit 1`)
  expect(last).toMatchObject({ body_note: 'quota' })
  await set('none')
  fresh()
})

test('integrations and webhooks over the quota are refused, and existing ones stay', async () => {
  await set('webhooks=1,integrations=2')
  const make = (path: string, body: object) => lead.app(path, { method: 'POST', body })
  const hook = { url: 'https://example.com/hook' }
  expect((await make(`/accounts/${idOf('owl')}/webhooks`, hook)).status).toBe(201)
  expect(await make(`/accounts/${idOf('owl')}/webhooks`, hook)).toMatchObject({
    status: 422,
    json: { error: 'quota_exceeded', quota: 'webhooks', limit: 1, used: 1 },
  })
  const tools = `/projects/${studio.world.projects.owl!.id}/integrations`
  expect((await make(tools, { provider: 'github' })).status).toBe(201)
  expect((await make(tools, { provider: 'jira' })).json).toMatchObject({ error: 'quota_exceeded', quota: 'integrations' })
  expect((await make(`/accounts/${idOf('fox')}/webhooks`, hook)).status).toBe(201)
  expect(await usageOf('owl')).toMatchObject({ webhooks: { used: 1, limit: 1 }, integrations: { used: 2, limit: 2 } })
})

test('a mailed invitation over the quota is refused for the rest of the day, and the error says so', async () => {
  await set('invitations=2')
  const invite = (key: string, email: string) =>
    lead.app(`/accounts/${idOf(key)}/invitations`, { method: 'POST', body: { email, role: 'member' } })
  expect((await invite('owl', 'one@example.com')).status).toBe(201)
  expect((await invite('owl', 'one@example.com')).status).toBe(201)
  const refused = await invite('owl', 'two@example.com')
  expect(refused).toMatchObject({ status: 429, json: { error: 'quota_exceeded', quota: 'invitations', limit: 2, used: 2 } })
  expect(refused.json.message).toMatch(/quota of invitations: 2 of 2\. Try again in 24 h\./)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
  expect((await invite('fox', 'two@example.com')).status).toBe(201)
  expect(await usageOf('owl')).toMatchObject({ invitations: { used: 2, limit: 2 } })
  await studio.db.execute(sql`update mails set created_at = now() - interval '25 hours'`)
  expect((await invite('owl', 'two@example.com')).status).toBe(201)
})

test('a stream over the quota is refused', async () => {
  await set('streams=1')
  const token = studio.world.tokens.lead!.token as string
  const query = `account_id=${idOf('owl')}`
  const first = await listen({ site: studio.site, token, query })
  const second = await studio.ask(`/api/v1/workspace/events/stream?${query}`, { token })
  expect(second).toMatchObject({ status: 429, json: { error: 'quota_exceeded', quota: 'streams', limit: 1, used: 1 } })
  first.stop()
})

test('the operator sees the usage of an account', async () => {
  const shown = JSON.parse(await admin(studio.service, 'account', 'show', String(idOf('owl')), '--json'))
  expect(shown).toMatchObject({
    quotas: { streams: 1 },
    usage: { integrations: { used: 2, limit: null }, streams: { limit: 1 } },
  })
})

test.each(['deliveries', 'mails=3', 'webhooks=-1', 'stored_bytes=3XB'])('%s is not a valid list of quotas', (text) => {
  expect(() => readQuotas(text)).toThrow(/must be a list/)
})

test('bytes may have a unit, and off means no limit', () => {
  expect(readQuotas('stored_bytes=2GB, webhooks=off')).toEqual({ stored_bytes: 2e9, webhooks: null })
})
