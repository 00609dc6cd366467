import { createHmac, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commit, openTools, push, SECRET, type Tools } from '../../../test/support/tools.ts'
import { PROVIDERS } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import * as log from '../../domain/integrations/delivery-log.ts'
import * as integrations from '../../domain/integrations/integrations.ts'
import { showDelivery } from '../../intake/deliveries/show-delivery.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

describe('handshakes', () => {
  test('every tool but the CI intake responds to GET', async () => {
    for (const provider of PROVIDERS) {
      const answer = await tools.studio.ask(`/webhooks/${provider}/verify`)
      if (provider === 'jenkins') expect(answer.status).toBe(404)
      else expect(answer).toMatchObject({ status: 200, json: { status: 'verified', service: provider } })
    }
    expect((await tools.studio.ask('/webhooks/ci/verify')).status).toBe(404)
  })

  test('Trello checks with HEAD, monday with a challenge, Asana hands over a secret', async () => {
    expect((await tools.studio.ask(`/webhooks/trello?token=${tools.tokenOf('trello')}`, { method: 'HEAD' })).status).toBe(200)
    const monday = await tools.post(`monday?token=${tools.tokenOf('monday')}`, { challenge: 'abc' })
    expect(monday).toMatchObject({ status: 200, json: { challenge: 'abc' } })
    const path = `asana?token=${tools.tokenOf('asana')}`
    for (const secret of ['first secret', 'second secret']) {
      const hand = await tools.post(path, { events: [] }, { 'x-hook-secret': secret })
      expect({ status: hand.status, echoed: hand.headers.get('x-hook-secret') }).toEqual({ status: 200, echoed: secret })
    }
    const raw = '{"events":[]}'
    const signed = (secret: string) => ({
      method: 'POST',
      raw,
      headers: { 'content-type': 'application/json', 'x-hook-signature': createHmac('sha256', secret).update(raw).digest('hex') },
    })
    for (const secret of ['first secret', 'second secret'])
      expect((await tools.studio.ask(`/webhooks/${path}`, signed(secret))).status).toBe(200)
    expect((await tools.studio.ask(`/webhooks/${path}`, signed('third secret'))).status).toBe(401)
  })
})

describe("Asana's secret", () => {
  const fresh = async () => {
    const { integrations } = await tools.studio.load({
      integrations: [{ key: 'asana', project: tools.project, provider: 'asana' }],
    })
    const { id, webhook_token } = integrations.asana!
    const shake = async (secret: string) =>
      (await tools.post(`asana?token=${webhook_token}`, { events: [] }, { 'x-hook-secret': secret })).status
    return { id, webhook_token, shake }
  }
  const secretsOf = async (id: number) => {
    const row = await tools.studio.db.one<{ sealed: string[] }>(
      sql`select secrets_sealed as sealed from integrations where id = ${id}`,
    )
    return row!.sealed.map((one) => tools.studio.service.vault.open(one, `integrations/${id}/secrets_sealed`))
  }
  const endHandshake = (id: number) =>
    tools.studio.db.execute(sql`update integrations set handshake_until = now() - interval '1 minute' where id = ${id}`)

  test('is accepted only while one is expected, the newest two are kept, and each handshake is logged', async () => {
    const { id, shake } = await fresh()
    for (const secret of ['one', 'two', 'three']) expect(await shake(secret)).toBe(200)
    expect(await secretsOf(id)).toEqual(['two', 'three'])
    await endHandshake(id)
    expect(await shake('stolen')).toBe(401)
    expect(await secretsOf(id)).toEqual(['two', 'three'])
    await integrations.askHandshake(tools.studio.db, id)
    expect(await shake('four')).toBe(200)
    expect(await secretsOf(id)).toEqual(['three', 'four'])
    const { deliveries } = await log.list(tools.studio.db, { integration_id: id })
    expect(deliveries.map(({ event, outcome, status }) => [event, outcome, status])).toEqual([
      ['handshake', 'processed', 200],
      ['handshake', 'failed', 401],
      ...Array(3).fill(['handshake', 'processed', 200]),
    ])
    expect(JSON.stringify(await showDelivery(tools.studio.db, deliveries[1]!.id))).not.toContain('stolen')
  })

  test('may arrive late if there is none yet', async () => {
    const { id, shake } = await fresh()
    await endHandshake(id)
    expect([await shake('first'), await shake('second')]).toEqual([200, 401])
    expect(await secretsOf(id)).toEqual(['first'])
  })
})

test("Trello's check gets the same response as its deliveries would", async () => {
  const ask = async (query: string) => (await tools.studio.ask(`/webhooks/trello${query}`, { method: 'HEAD' })).status
  expect(await ask('')).toBe(401)
  expect(await ask('?token=short')).toBe(401)
  expect(await ask(`?token=${'0'.repeat(64)}`)).toBe(404)
  expect(await ask(`?token=${tools.tokenOf('github')}`)).toBe(404)
  expect(await ask(`?token=${tools.tokenOf('trello')}`)).toBe(200)
})

describe('a heartbeat of Asana', () => {
  test('gets a 200 and changes nothing, signed if a secret was handed over', async () => {
    const { world } = tools.studio
    const { integrations } = await tools.studio.load({
      integrations: [{ key: 'fresh', project: world.projects.star!.id, provider: 'asana' }],
    })
    const path = `/webhooks/asana?token=${integrations.fresh!.webhook_token}`
    const beat = async (raw: string, headers = {}) => {
      const json = { 'content-type': 'application/json', ...headers }
      return (await tools.studio.ask(path, { method: 'POST', raw, headers: json })).json
    }
    const nothing = { status: 'ignored', delivery_id: expect.any(String), records: [] }
    expect(await beat('{"events":[]}')).toEqual(nothing)
    expect((await beat('', { 'x-hook-secret': 's' })).status).toBe('verified')
    const signature = createHmac('sha256', 's').update('{"events": []}').digest('hex')
    expect(await beat('{"events": []}', { 'x-hook-signature': signature })).toEqual(nothing)
    expect((await beat('{"events": []}')).error).toBe('unauthorized')
  })
})

describe('signatures', () => {
  const signature = (raw: string) => `sha256=${createHmac('sha256', SECRET).update(raw).digest('hex')}`

  test('are required if a secret is set, and one changed byte fails', async () => {
    const raw = JSON.stringify(push([commit('1'.repeat(40))]))
    const send = (body: string, sign?: string) =>
      tools.studio.ask(`/webhooks/github?token=${tools.tokenOf('signed')}`, {
        method: 'POST',
        raw: body,
        headers: {
          'content-type': 'application/json',
          'x-github-event': 'push',
          'x-github-delivery': randomUUID(),
          ...(sign ? { 'x-hub-signature-256': sign } : {}),
        },
      })
    expect((await send(raw)).status).toBe(401)
    expect((await send(raw.replace('sky', 'skies'), signature(raw))).status).toBe(401)
    expect((await send(raw, signature(raw))).status).toBe(200)
  })

  test('are required for a build notification and for Buildkite even without a secret', async () => {
    expect(
      (await tools.post(`jenkins/build_notification?token=${tools.tokenOf('jenkins')}`, { name: 'x', build: { number: 1 } }))
        .status,
    ).toBe(401)
    expect((await tools.post(`buildkite?token=${tools.tokenOf('buildkite')}`, { event: 'ping' })).status).toBe(401)
  })
})
