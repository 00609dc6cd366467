import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'
import * as log from '../../domain/integrations/delivery-log.ts'
import { IntakeQuota } from '../../domain/integrations/stored-bodies.ts'
import { ingest } from '../../intake/ingest.ts'
import { replay } from '../../intake/replay.ts'

const KIB = 1024
const QUOTA = 100 * KIB
let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

/** A fresh node over what the others wrote down. */
beforeEach(async () => {
  await tools.studio.db.execute(sql`delete from stored_bodies`)
  tools.studio.service.intakeQuota = new IntakeQuota({ stored_bytes: QUOTA, deliveries: null }, 30)
})

const stored = async (id: string) => {
  const { bytes, body, body_note, body_cut } = await log.show(tools.studio.db, Number(id))
  const row = await tools.studio.db.one<{ length: number }>(
    sql`select octet_length(body) as length from deliveries where id = ${id}::bigint`,
  )
  return { bytes, stored: row!.length, shown: body !== null, body_note, body_cut }
}
const pushed = (id: string, size = 0) => push([commit(id.padEnd(40, '0'), { message: 'x'.repeat(size) })])

test('a duplicate stores no body again, and says where it is', async () => {
  const headers = { 'x-github-delivery': 'the same' }
  const first = (await tools.github(pushed('a'), headers)).json
  const second = (await tools.github(pushed('a'), headers)).json
  expect([first.status, second.status]).toEqual(['processed', 'duplicate'])
  const { bytes } = await stored(first.delivery_id)
  expect(await stored(first.delivery_id)).toMatchObject({ stored: bytes, shown: true, body_note: null })
  expect(await stored(second.delivery_id)).toMatchObject({
    bytes,
    stored: 0,
    shown: false,
    body_note: expect.stringContaining('first'),
  })
  await expect(replay(tools.studio.db, Number(second.delivery_id))).rejects.toMatchObject({ status: 410, code: 'body_gone' })
})

test('of a refused one the beginning is stored', async () => {
  const { json } = await tools.ci({ job_name: 'x', log: 'y'.repeat(40 * KIB) })
  const kept = await stored(json.delivery_id)
  expect(kept).toMatchObject({ stored: 16 * KIB, shown: true, body_cut: true, body_note: expect.stringContaining('refused') })
  expect(kept.bytes).toBeGreaterThan(40 * KIB)
  await expect(replay(tools.studio.db, Number(json.delivery_id))).rejects.toMatchObject({ status: 410 })
})

describe('over its quota', () => {
  test('an account is served as ever, without stored bodies, on every node once they have exchanged counts', async () => {
    const send = async (id: string) => (await tools.github(pushed(id, 60 * KIB))).json
    const [first, second, third] = [await send('b'), await send('c'), await send('d')]
    expect([first, second, third].map(({ status }) => status)).toEqual(Array(3).fill('processed'))
    expect(await stored(second.delivery_id)).toMatchObject({ shown: true, body_note: null })
    expect(await stored(third.delivery_id)).toMatchObject({
      stored: 0,
      shown: false,
      body_note: expect.stringContaining('used up'),
    })

    await tools.studio.service.intakeQuota.flush(tools.studio.db)
    tools.studio.service.intakeQuota = new IntakeQuota({ stored_bytes: QUOTA, deliveries: null }, 30)
    expect(await stored((await send('e')).delivery_id)).toMatchObject({ shown: false })
    await tools.studio.db.execute(sql`update stored_bodies set day = day - 30`)
    tools.studio.service.intakeQuota = new IntakeQuota({ stored_bytes: QUOTA, deliveries: null }, 30)
    expect(await stored((await send('f')).delivery_id)).toMatchObject({ shown: true })
  })

  test('what was promised is still done, and its body dropped then', async () => {
    await tools.github(pushed('9', 2 * QUOTA))
    const { json } = await tools.post(`perforce?token=${tools.tokenOf('perforce')}`, { changelist: 4711, user: 'kim' })
    expect(await stored(json.delivery_id)).toMatchObject({ shown: true })
    await ingest(tools.studio.db, Number(json.delivery_id))
    expect(await stored(json.delivery_id)).toMatchObject({ stored: 0, shown: false })
    expect(await tools.studio.db.rows(sql`select id from changes where identifier = '4711'`)).toHaveLength(1)
  })

  test('repeats and deliveries of other accounts do not count', async () => {
    const headers = { 'x-github-delivery': 'reported often' }
    for (let i = 0; i < 4; i++) await tools.github(pushed('8', 40 * KIB), headers)
    expect(await stored((await tools.github(pushed('7', KIB))).json.delivery_id)).toMatchObject({ shown: true })
  })
})

test('what a tool was promised is applied as it was read at its receipt, and kept no longer', async () => {
  const factsOf = (id: string) =>
    tools.studio.db.one<{ facts: string | null }>(sql`select facts from deliveries where id = ${id}`)
  const { json } = await tools.post(`perforce?token=${tools.tokenOf('perforce')}`, { changelist: 5150, user: 'kim' })
  expect(JSON.parse((await factsOf(json.delivery_id))!.facts!)).toMatchObject([{ kind: 'change', identifier: '5150' }])
  await tools.studio.db.execute(sql`update deliveries set body = 'no longer readable' where id = ${json.delivery_id}`)
  await ingest(tools.studio.db, Number(json.delivery_id))
  expect(await tools.studio.db.rows(sql`select author from changes where identifier = '5150'`)).toEqual([{ author: 'kim' }])
  expect(await factsOf(json.delivery_id)).toEqual({ facts: null })
})
