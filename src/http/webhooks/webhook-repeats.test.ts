import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commit, openTools, push, SECRET, type Tools } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'
import { hmac } from '../../intake/signatures.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

const outcomes = async (key: string) =>
  (
    await tools.studio.db.rows<{ outcome: string; status: number }>(
      sql`select outcome, status from deliveries where dedupe_key = ${key} order by id`,
    )
  ).map(({ outcome, status }) => `${outcome} ${status}`)

describe('a repeated delivery', () => {
  test('after our failure takes effect as if it were the first, and the failed attempt left nothing', async () => {
    const { db } = tools.studio
    const [id, sha] = [randomUUID(), 'e'.repeat(40)]
    const body = push([commit(sha, { added: ['Content/T_Retry.png'] })])
    const send = () => tools.github(body, { 'x-github-delivery': id })
    await db.execute(
      sql`create function out_of_order() returns trigger language plpgsql as 'begin raise exception ''broken''; end'`,
    )
    // After the change was written, so that there is something to roll back.
    await db.execute(sql`create trigger broken before insert on approvals for each row execute function out_of_order()`)
    const failed = await send()
    expect(failed).toMatchObject({ status: 500, json: { error: 'internal_error' } })
    expect(failed.text).not.toContain('broken')
    expect((await tools.api(`changes?identifier=${sha}`)).changes).toEqual([])
    await db.execute(sql`drop trigger broken on approvals`)
    expect((await send()).json.status).toBe('processed')
    expect((await send()).json.status).toBe('duplicate')
    expect((await tools.api(`changes?identifier=${sha}`)).changes).toHaveLength(1)
    expect(await outcomes(id)).toEqual(['failed 500', 'processed 200', 'duplicate 200'])
  })

  test('after a refusal takes effect: unsigned, then signed; unreadable, then complete', async () => {
    const id = randomUUID()
    const raw = JSON.stringify(push([commit('5'.repeat(40))]))
    const signature = `sha256=${hmac('sha256', SECRET, Buffer.from(raw)).toString('hex')}`
    const send = (raw: string, headers: Record<string, string>, key: string) =>
      tools.studio.ask(`/webhooks/github?token=${tools.tokenOf(key)}`, {
        method: 'POST',
        raw,
        headers: { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': id, ...headers },
      })
    expect((await send(raw, {}, 'signed')).status).toBe(401)
    expect((await send(raw, { 'x-hub-signature-256': signature }, 'signed')).json.status).toBe('processed')
    // The same id at another integration is another delivery.
    expect((await send(raw.slice(1), {}, 'github')).status).toBe(422)
    expect((await send(raw, {}, 'github')).json.status).toBe('processed')
    expect(await outcomes(id)).toEqual(['failed 401', 'processed 200', 'failed 422', 'processed 200'])
  })

  test('from a tool without delivery ids is identified by path and bytes', async () => {
    const report = { job_name: 'again', build_number: 1, status: 'SUCCESS' }
    expect((await tools.ci(report)).json.status).toBe('processed')
    expect((await tools.ci(report)).json).toEqual({ status: 'duplicate', delivery_id: expect.any(String), records: [] })
    expect((await tools.post(`jenkins?token=${tools.tokenOf('jenkins')}`, report)).json.status).toBe('processed')
    expect((await tools.ci({ ...report, note: 'other bytes' })).json.status).toBe('processed')
    expect((await tools.api('build_runs?limit=50')).build_runs).toHaveLength(1)
  })

  test.each([
    ['perforce', { changelist: 4711 }, { changelist: '4711', timestamp: '2026-10-01T00:00:00Z' }],
    [
      'lore',
      { repository: 'art', revision: 'ab'.repeat(32) },
      { repository: 'art', revision: 'ab'.repeat(32), message: 'again' },
    ],
  ])('%s returns 202 once and 200 for the duplicate', async (tool, body, repeat) => {
    const send = (body: object) => tools.post(`${tool}?token=${tools.tokenOf(tool)}`, body)
    expect(await send(body)).toMatchObject({ status: 202, json: { status: 'accepted', delivery_id: expect.any(String) } })
    expect(await send(repeat)).toMatchObject({ status: 200, json: { status: 'duplicate' } })
  })
})
