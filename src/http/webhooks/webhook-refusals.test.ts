import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepLog } from '../../../test/support/log.ts'
import { openStudio } from '../../../test/support/studio.ts'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'
import { showDelivery } from '../../intake/deliveries/show-delivery.ts'

const kept = keepLog()
let tools: Tools
beforeAll(async () => {
  tools = await openTools({ service: { log: kept.log } })
})
afterAll(() => tools.close())

const report = (n: number) => ({ job_name: 'night', build_number: n, status: 'SUCCESS' })

describe('refusals have one order', () => {
  test('token, integration, limit, project, signature, body', async () => {
    const node = await openStudio({}, { beside: tools.studio, rates: { webhooks: { points: 2, seconds: 600 } } })
    const send = (path: string, raw: string) =>
      node.ask(`/webhooks/${path}`, { method: 'POST', raw, headers: { 'content-type': 'application/json' } })
    try {
      for (let i = 0; i < 3; i++) {
        expect((await send('ci', '{')).status).toBe(401)
        expect((await send(`ci?token=${'0'.repeat(64)}`, '{')).status).toBe(404)
      }
      for (const [key, refused] of [
        ['paused', 403],
        ['signed', 401],
      ] as const) {
        const path = `${key === 'paused' ? 'ci' : 'github'}?token=${tools.tokenOf(key)}`
        expect((await send(path, '{')).status, key).toBe(refused)
        expect((await send(path, '{')).status, key).toBe(refused)
        const limited = await send(path, '{')
        expect(limited, key).toMatchObject({ status: 429, json: { error: 'rate_limited' } })
        expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      // Counted for each integration separately.
      expect(await send(`ci?token=${tools.tokenOf('jenkins')}`, '{')).toMatchObject({
        status: 422,
        json: { error: 'unreadable_body', message: expect.any(String), delivery_id: expect.any(String) },
      })
    } finally {
      await node.close()
    }
  })

  test('an unknown parameter is not one of them', async () => {
    const path = `jira?user_id=kim&user_key=kim&token=${tools.tokenOf('jira')}&x[y]=1`
    expect((await tools.post(path, { key: 'GAME-1', fields: { summary: 'x' } })).status).toBe(200)
  })

  test('an event without its name is unreadable', async () => {
    expect((await tools.post(`github?token=${tools.tokenOf('github')}`, push([]))).status).toBe(422)
  })
})

describe('a webhook token', () => {
  test('is in no log, no reply and no stored delivery, wherever it was sent', async () => {
    const { studio } = tools
    const token = tools.tokenOf('jenkins')
    const p4 = tools.tokenOf('perforce')
    const secrets = [token, p4, Buffer.from(`ci:${token}`).toString('base64')]
    const proxied = { 'x-original-uri': `/webhooks/ci?a=1&token=${token}`, referer: `https://gold.example/x?token=${token}&b=2` }
    const answers = [
      await tools.post(`ci?token=${token}`, report(1), proxied),
      await tools.post('ci', report(2), { 'x-webhook-token': token }),
      await tools.post('ci', report(3), { authorization: `Basic ${secrets[2]}` }),
      await tools.post(`ci?token=${token}`, { status: 'EXPLODED' }),
      await tools.post(`jira?token=${token}`, {}),
      await tools.post(`ci/build_notification?token=${token}`, { name: 'x', build: { number: 1, phase: 'STARTED' } }),
      await tools.post('perforce', { changelist: 12, token: p4 }),
      await tools.post(`ci/nowhere?token=${token}`, {}),
      await studio.ask(`/webhooks/ci?token=${token}`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 422, 404, 401, 202, 404, 405])
    await studio.db.execute(sql`create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'`)
    await studio.db.execute(sql`create trigger refuse before insert on build_runs for each row execute function refuse()`)
    answers.push(await tools.post(`ci?token=${token}`, report(4)))
    await studio.db.execute(sql`drop trigger refuse on build_runs`)
    expect(answers.at(-1)!.status).toBe(500)

    const rows = await studio.db.rows<{ id: number; path: string; headers: object }>(
      sql`select id, path, headers from deliveries`,
    )
    const shown = await Promise.all(rows.map(({ id }) => showDelivery(studio.db, id)))
    expect(shown.length).toBeGreaterThan(5)
    const texts = [kept.text(), JSON.stringify(rows), JSON.stringify(shown), ...answers.map(({ text }) => text)]
    for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret)
    expect(kept.text()).toContain('/webhooks/ci/build_notification')
    expect(JSON.stringify(rows)).toContain('x-original-uri')
  })
})

describe('a form', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-github-event': 'push' }
  const send = (raw: string) =>
    tools.studio.ask(`/webhooks/github?token=${tools.tokenOf('github')}`, { method: 'POST', raw, headers: form })

  test('of GitHub contains the same as its JSON', async () => {
    const sha = '4'.repeat(40)
    const payload = JSON.stringify(push([commit(sha, { message: 'Paint & mend: 100 % + ü' })]))
    expect((await send(`${new URLSearchParams({ payload })}`)).json.status).toBe('processed')
    expect((await tools.api(`changes?identifier=${sha}`)).changes).toMatchObject([{ description: 'Paint & mend: 100 % + ü' }])
  })

  test('without readable JSON is 422', async () => {
    for (const raw of ['payload=%7B', 'payload=', 'other=1', '']) expect((await send(raw)).status, raw).toBe(422)
  })
})
