import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProviderRoom } from '../../../../test/support/studios/provider-room.ts'
import { sql } from '../../../db/database.ts'

let room: Awaited<ReturnType<typeof openProviderRoom>>
beforeAll(async () => {
  room = await openProviderRoom('perforce')
})
afterAll(() => room.close())

const UPDATE = 'https://swarm.example.com/api/v10/testruns/706/4f5e6a7b-secret'
const report = async (body: object) => {
  const answer = await room.send(body)
  await room.work()
  return answer
}
const isPending = async (change: string) =>
  (
    await room.studio.db.one<{ pending: boolean }>(
      sql`select pending from changes where account_id = ${room.account_id} and identifier = ${change}`,
    )
  )?.pending

test('a shelf is pending until it is submitted, and a late report of it changes nothing', async () => {
  const files = [{ path: '//depot/main/a.txt', action: 'edit' }]
  await report({ change: '50', status: 'shelved', version: 1 })
  expect(await isPending('50')).toBe(true)
  await report({ change: '50', status: 'submitted', user: 'kim', description: 'Moon', files })
  expect(await isPending('50')).toBe(false)
  expect((await report({ change: '50', status: 'shelved', version: 2 })).status).toBe(202)
  expect(await isPending('50')).toBe(false)
})

test('the address for the result of a test run is not stored, in any form', async () => {
  const { webhook_token } = room.studio.world.integrations.tool!
  const post = (raw: string, type: string) =>
    room.studio.ask(`/webhooks/perforce?token=${webhook_token}`, { method: 'POST', raw, headers: { 'content-type': type } })
  const json = (change: number) =>
    JSON.stringify({ change, update: UPDATE, pass: `${UPDATE}/pass`, fail: `${UPDATE}/fail`, status: 'shelved' })
  const bodies: [string, string][] = [
    [json(61), 'application/json'],
    [`payload=${json(62)}`, 'application/json'],
    [new URLSearchParams({ payload: json(63) }).toString(), 'application/x-www-form-urlencoded'],
    [new URLSearchParams({ change: '64', update: UPDATE, status: 'shelved' }).toString(), 'application/x-www-form-urlencoded'],
  ]
  for (const [raw, type] of bodies) expect((await post(raw, type)).status, raw).toBe(202)
  await room.work()
  for (const change of ['61', '62', '63', '64']) expect(await isPending(change)).toBe(true)
  const stored = await room.studio.db.rows<{ body: Buffer | null }>(
    sql`select body from deliveries where account_id = ${room.account_id}`,
  )
  expect(stored.length).toBeGreaterThanOrEqual(4)
  for (const { body } of stored) expect(decodeURIComponent(body?.toString() ?? '')).not.toContain('secret')
})

test('a description that mentions such a field is stored as it is', async () => {
  const description = 'See https://ci.example/?a=1&update=2 and "pass": x'
  await report({ change: '70', description })
  const [stored] = await room.studio.db.rows<{ body: Buffer }>(sql`
    select body from deliveries where account_id = ${room.account_id} order by id desc limit 1`)
  expect(JSON.parse(stored!.body.toString())).toEqual({ change: '70', description })
})
