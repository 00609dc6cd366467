import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendBytes } from '../../../test/support/callers/raw-http.ts'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'
import { ingest } from '../../intake/ingest.ts'

/** Bodies that would block other requests while they are parsed. */

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

const keys = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join(',')
const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`

describe('a body with too many values or too deep nesting', () => {
  test.each([
    ['POST', '/api/v1/cli/token_exchange'],
    ['POST', '/app/auth/sign-in/email'],
    ['POST', '/app/api/v1/password_resets/complete'],
    ['POST', '/app/api/v1/set_up'],
  ])('is refused without parsing: %s %s', async (method, path) => {
    for (const raw of [`{${keys(70_000)}}`, deep, `{"email":${deep}}`]) {
      const answer = await tools.studio.ask(path, {
        method,
        raw,
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      })
      expect(answer).toMatchObject({ status: 413, json: { error: 'body_too_large', message: expect.any(String) } })
    }
  })

  test('is accepted when a tool sends it', async () => {
    const raw = `{"job_name":"heavy","build_number":1,"status":"SUCCESS",${keys(12_000)}}`
    const answer = await tools.studio.ask(`/webhooks/jenkins?token=${tools.tokenOf('jenkins')}`, {
      method: 'POST',
      raw,
      headers: { 'content-type': 'application/json' },
    })
    expect(answer).toMatchObject({ status: 200, json: { status: 'processed' } })
    const kept = await tools.studio.db.one<{ body: Buffer }>(
      sql`select body from deliveries where id = ${answer.json.delivery_id}::bigint`,
    )
    expect(kept!.body.toString()).toBe(raw)
  })
})

test('an unauthenticated long form is not read, let alone searched for a token', async () => {
  for (const length of ['Content-Length: 65537', 'Transfer-Encoding: chunked']) {
    const head = `POST /webhooks/perforce HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n${length}\r\n\r\n`
    expect((await sendBytes(tools.studio.site, head)).status).toBe(401)
  }
})

test('an accepted delivery of many revisions is recorded completely', async () => {
  const revisions = Array.from({ length: 1500 }, (_, i) => ({ revision: `heavy-${i}`, message: 'words '.repeat(8), files: [] }))
  const { status, json } = await tools.post(`lore?token=${tools.tokenOf('lore')}`, { repository: 'r', revisions })
  expect(status).toBe(202)
  await ingest(tools.studio.db, { account_id: tools.studio.world.accounts.owl!.id, delivery_id: Number(json.delivery_id) })
  await ingest(tools.studio.db, { account_id: tools.studio.world.accounts.owl!.id, delivery_id: Number(json.delivery_id) })
  const reported = await tools.studio.db.rows(sql`select id from changes where identifier like 'heavy-%'`)
  expect(reported).toHaveLength(1500)
  const kept = await tools.studio.db.one(sql`select outcome from deliveries where id = ${json.delivery_id}::bigint`)
  expect(kept).toEqual({ outcome: 'processed' })
})
