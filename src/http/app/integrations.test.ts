import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { PROVIDERS } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { RETENTION_DEFAULTS } from '../../domain/accounts/retention-days.ts'
import { purge } from '../../domain/integrations/integrations.ts'

const PASSWORD = 'a long enough password'
const person = (key: string, accounts: object) => ({
  key,
  email: `${key}@example.com`,
  name: key,
  password: PASSWORD,
  accounts,
})

let studio: Studio
let lead: Visitor
let member: Visitor
let place: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [person('lead', { owl: 'owner' }), person('member', { owl: 'member' })],
    projects: [{ key: 'star', account: 'owl', name: 'Star', members: { lead: 'owner' } }],
    integrations: [
      { key: 'ci', project: 'star', provider: 'jenkins' },
      { key: 'tracker', project: 'star', provider: 'linear' },
    ],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  member = await signIn(studio, 'member@example.com', PASSWORD)
  place = `/projects/${studio.world.projects.star!.id}`
})
afterAll(() => studio.close())

test('every provider is described, with its server settings and which of them are secret', async () => {
  const { providers } = (await lead.app('/providers')).json
  expect(providers.map(({ name }: { name: string }) => name).sort()).toEqual([...PROVIDERS].sort())
  const server = providers.find(({ name }: { name: string }) => name === 'perforce').server
  expect(server.fields).toEqual([
    { key: 'server', label: 'Perforce server', hint: expect.any(String), secret: false, binds_secrets: true },
    { key: 'user', label: 'User', hint: '', secret: false, binds_secrets: true },
    { key: 'password', label: 'Password or ticket', hint: '', secret: true, binds_secrets: false },
    { key: 'fingerprint', label: expect.any(String), hint: expect.any(String), secret: false, binds_secrets: true },
    { key: 'charset', label: 'Character set', hint: expect.any(String), secret: false, binds_secrets: false },
    { key: 'branches', label: 'Streams or branches', hint: expect.any(String), secret: false, binds_secrets: false },
    { key: 'depot_paths', label: 'Depot paths', hint: expect.any(String), secret: false, binds_secrets: false },
    { key: 'merge_accounts', label: 'Merge accounts', hint: expect.any(String), secret: false, binds_secrets: false },
    { key: 'swarm', label: expect.any(String), hint: expect.any(String), secret: false, binds_secrets: true },
  ])
  expect(providers.find(({ name }: { name: string }) => name === 'diversion')).toMatchObject({
    label: 'Diversion',
    category: 'version_control',
    server: { fields: ['server', 'api_token', 'diversion_repository'].map((key) => ({ key, secret: key === 'api_token' })) },
  })
  expect(providers.find(({ name }: { name: string }) => name === 'lore')).toMatchObject({ label: 'Lore', server: null })
})

test('an account can keep bodies for fewer days than the service, never for more', async () => {
  const path = `/accounts/${studio.world.accounts.owl!.id}`
  const set = (retention: object, who = lead) => who.app(path, { method: 'PATCH', body: { retention } })
  expect((await set({ bodies: 3 }, member)).status).toBe(403)
  expect((await set({ bodies: 31 })).json).toMatchObject({ error: 'invalid_parameter', message: expect.stringContaining('30') })
  expect((await set({ mails: 3 })).json.error).toBe('unknown_parameter')
  expect((await set({ logs: 0 })).status).toBe(422)
  await set({ logs: 400 })
  const kept = (await set({ bodies: 3 })).json
  expect(kept).toMatchObject({ retention: { bodies: 3, logs: 400, outgoing: null }, retention_max: { bodies: 30, logs: null } })
  const [entry] = (await lead.app(`${path}/audit_log?action=editAccount`)).json.entries
  expect(entry).toMatchObject({ before: { retention: { logs: 400 } }, after: { retention: { logs: 400, bodies: 3 } } })
  const { webhook_token } = studio.world.integrations.tracker!
  await studio.ask(`/webhooks/linear?token=${webhook_token}`, { method: 'POST', body: { action: 'noise' } })
  const [{ id }] = (await lead.app(`${place}/deliveries`)).json.deliveries
  expect((await lead.app(`${place}/deliveries/${id}`)).json.body_kept_days).toBe(3)
  expect((await set({ bodies: null, logs: null })).json.retention).toMatchObject({ bodies: null, logs: null })
  await studio.db.execute(sql`delete from deliveries`)
})

test.each([12, null])('a delivery shows how long bodies are kept: %s days', async (bodies) => {
  const node = await openStudio({}, { beside: studio, service: { retention: { ...RETENTION_DEFAULTS, bodies } } })
  try {
    const { webhook_token } = studio.world.integrations.tracker!
    await node.ask(`/webhooks/linear?token=${webhook_token}`, { method: 'POST', body: { action: 'noise', days: bodies } })
    const visitor = await signIn(node, 'lead@example.com', PASSWORD)
    const [{ id }] = (await visitor.app(`${place}/deliveries`)).json.deliveries
    expect((await visitor.app(`${place}/deliveries/${id}`)).json.body_kept_days).toBe(bodies)
    await studio.db.execute(sql`delete from deliveries`)
  } finally {
    await node.close()
  }
})

describe('a deleted integration', () => {
  const report = (token: string) =>
    studio.ask(`/webhooks/jenkins?token=${token}`, {
      method: 'POST',
      body: { job_name: 'night', build_number: 7, status: 'SUCCESS', build_url: 'https://ci.example.com/7' },
    })
  const tokenOf = (key: string) => studio.world.integrations[key]!.webhook_token as string

  test('can be deleted only by owners', async () => {
    const path = `${place}/integrations/${studio.world.integrations.ci!.id}`
    expect(await member.app(path, { method: 'DELETE' })).toMatchObject({ status: 403, json: { error: 'insufficient_role' } })
    expect((await report(tokenOf('ci'))).status).toBe(200)
  })

  test('is gone at once with its token and its log, and reported data stays', async () => {
    const { id } = studio.world.integrations.ci!
    const path = `${place}/integrations/${id}`
    const { deliveries } = (await lead.app(`${place}/deliveries`)).json
    expect(deliveries).toHaveLength(1)
    expect(await lead.app(path, { method: 'DELETE' })).toMatchObject({ status: 200, json: { ok: true } })

    const unknown = await report('0'.repeat(64))
    const after = await report(tokenOf('ci'))
    expect([after.status, after.text]).toEqual([404, unknown.text])
    for (const method of ['GET', 'DELETE']) expect((await lead.app(path, { method })).status).toBe(404)
    expect((await lead.app(`${path}/token`, { method: 'POST' })).status).toBe(404)
    expect((await lead.app(`${place}/integrations`)).json.integrations).toMatchObject([{ provider: 'linear' }])
    expect((await lead.app(`${place}/deliveries`)).json.deliveries).toEqual([])
    expect((await lead.app(`${place}/deliveries/${deliveries[0].id}`)).status).toBe(404)
    expect((await lead.app(`${place}/deliveries/${deliveries[0].id}/replay`, { method: 'POST' })).status).toBe(404)
    expect((await lead.app(`${place}/build_runs`)).json.build_runs).toMatchObject([{ ci_job_name: 'night', build_number: '7' }])
  })

  test('leaves no credentials, and a job deletes its log', async () => {
    const { id } = studio.world.integrations.ci!
    const left = await studio.db.one(sql`select active, token_sealed, secrets_sealed, config from integrations where id = ${id}`)
    expect(left).toEqual({ active: false, token_sealed: '', secrets_sealed: [], config: {} })
    const jobs = await studio.db.rows(sql`select payload from jobs where kind = 'purge_integration'`)
    expect(jobs).toEqual([{ payload: { integration_id: id } }])
    await purge(studio.db, id as number)
    expect(await studio.db.rows(sql`select id from deliveries`)).toEqual([])
  })

  test('is not purged by the job while it still exists', async () => {
    const { id } = studio.world.integrations.tracker!
    await lead.app(`${place}/integrations/${id}/test`, { method: 'POST' })
    await purge(studio.db, id as number)
    expect((await lead.app(`${place}/deliveries`)).json.deliveries).toHaveLength(1)
  })
})

describe('the log of an outbound webhook', () => {
  test('can be paged to its end, also by status', async () => {
    const account = `/accounts/${studio.world.accounts.owl!.id}/webhooks`
    const { id } = (await lead.app(account, { method: 'POST', body: { url: 'https://hooks.example.com/' } })).json
    await studio.db.execute(sql`
      insert into messages (account_id, destination_id, event_id, position, event_type, payload, status)
      select ${studio.world.accounts.owl!.id as number}, ${id}::bigint, 'msg_' || i, i, 'build_run.failed', '{}', case when i % 2 = 0 then 'failed' else 'delivered' end
      from generate_series(1, 7) i`)
    const walk = async (filter: string) => {
      const seen: string[] = []
      let before = ''
      for (;;) {
        const { deliveries, has_more } = (await lead.app(`${account}/${id}/deliveries?limit=2${filter}${before}`)).json
        seen.push(...deliveries.map((one: { id: string }) => one.id))
        if (!has_more) return seen
        before = `&before=${deliveries.at(-1).position}`
      }
    }
    expect(await walk('')).toEqual(['msg_7', 'msg_6', 'msg_5', 'msg_4', 'msg_3', 'msg_2', 'msg_1'])
    expect(await walk('&status=failed')).toEqual(['msg_6', 'msg_4', 'msg_2'])
  })
})
