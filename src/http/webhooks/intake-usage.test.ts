import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'
import { IntakeQuota } from '../../domain/integrations/intake-usage.ts'
import { replay } from '../../intake/deliveries/replay.ts'
import { showDelivery } from '../../intake/deliveries/show-delivery.ts'
import type { Fact } from '../../intake/facts.ts'
import { ingest } from '../../intake/ingest.ts'
import { leanBody } from '../../intake/reports/lean-body.ts'

const KIB = 1024
const QUOTA = 100 * KIB
let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

/** A new node over what the others wrote. */
beforeEach(async () => {
  await tools.studio.db.execute(sql`delete from intake_usage`)
  tools.studio.service.intakeQuota = new IntakeQuota({ stored_bytes: QUOTA, deliveries: null }, 30)
})

const stored = async (id: string) => {
  const { bytes, body, body_note, body_cut } = await showDelivery(tools.studio.db, Number(id))
  const row = await tools.studio.db.one<{ length: number }>(
    sql`select octet_length(body) as length from deliveries where id = ${id}::bigint`,
  )
  return { bytes, stored: row!.length, shown: body !== null, body_note, body_cut }
}
const pushed = (id: string, size = 0) => push([commit(id.padEnd(40, '0'), { message: 'x'.repeat(size) })])

test('a duplicate is stored without its body and shows where it is', async () => {
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

test('the beginning of a refused body is stored', async () => {
  const { json } = await tools.ci({ job_name: 'x', log: 'y'.repeat(40 * KIB) })
  const kept = await stored(json.delivery_id)
  expect(kept).toMatchObject({ stored: 16 * KIB, shown: true, body_cut: true, body_note: expect.stringContaining('refused') })
  expect(kept.bytes).toBeGreaterThan(40 * KIB)
  await expect(replay(tools.studio.db, Number(json.delivery_id))).rejects.toMatchObject({ status: 410 })
})

describe('a report with a log', () => {
  const LOG = Array.from(
    { length: 800 },
    (_, line) => `[${line}] "Füller.cpp"\\${line}: error C2065: 'größe' is undeclared\n`,
  ).join('')
  const logOf = async (id: number) =>
    (await tools.studio.db.one<{ log: string }>(sql`select output_log as log from build_runs where id = ${id}`))!.log
  const ended = { job_name: 'night', status: 'FAILURE', timestamp: '2026-10-02T10:00:00Z' }

  test('is stored without the log once the build has it, says so, and can be replayed', async () => {
    const { json } = await tools.ci({ ...ended, build_number: 1, log: LOG })
    const build = json.records[0].id as number
    expect(await logOf(build)).toBe(LOG)
    const kept = await stored(json.delivery_id)
    expect(kept).toMatchObject({ shown: true, body_cut: false, body_note: expect.stringContaining('stored with the build') })
    expect(kept.bytes).toBeGreaterThan(40 * KIB)
    expect(kept.stored).toBeLessThan(KIB)
    expect(JSON.parse((await showDelivery(tools.studio.db, Number(json.delivery_id))).body!)).toMatchObject({
      build_number: 1,
      log: null,
    })
    const again = await replay(tools.studio.db, Number(json.delivery_id))
    expect(again).toMatchObject({ status: 'processed', records: [{ id: build }] })
    expect(await logOf(build)).toBe(LOG)
    expect(await stored(again.delivery_id)).toMatchObject({ stored: kept.stored, body_note: kept.body_note })
  })

  test('keeps the log if it changed nothing, so that it is not lost', async () => {
    await tools.ci({ ...ended, build_number: 2 })
    const { json } = await tools.ci({ ...ended, build_number: 2, status: 'STARTED', timestamp: '2026-10-02T09:00:00Z', log: LOG })
    expect(json.status).toBe('stale')
    const kept = await stored(json.delivery_id)
    expect(kept).toMatchObject({ stored: kept.bytes, body_note: null })
  })

  test("keeps the build's log on replay although the stored body has none", async () => {
    const path = `game_engine/build_failed?token=${tools.tokenOf('game_engine')}`
    const { json } = await tools.post(path, { job_name: 'cook', build_number: 3, error: 'Cook failed', log: `${LOG}Cook failed` })
    expect((await stored(json.delivery_id)).stored).toBeLessThan(KIB)
    await replay(tools.studio.db, Number(json.delivery_id))
    expect(await logOf(json.records[0].id)).toBe(`${LOG}Cook failed`)
  })

  test('is otherwise stored byte for byte as it was sent', () => {
    const fact = { kind: 'build', build: {}, log: LOG } as unknown as Fact
    // As Python and PHP write JSON.
    const literal = JSON.stringify(LOG).replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    const around = (value: string) =>
      Buffer.from(`{"n": 12345678901234567890,\n "log" :${value} , "lines":["${'x'.repeat(5_000)}"]}`)
    expect(leanBody(around(literal), [fact])?.toString()).toBe(around('null').toString())
    expect(leanBody(Buffer.from(`{"log":[${literal}]}`), [fact])).toBeUndefined()
    expect(leanBody(Buffer.from(`log=${encodeURIComponent(LOG)}`), [fact])).toBeUndefined()
  })
})

describe('over its quota', () => {
  test('an account is served as usual, without stored bodies, on every node once they have exchanged counts', async () => {
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
    await tools.studio.db.execute(sql`update intake_usage set day = day - 30`)
    tools.studio.service.intakeQuota = new IntakeQuota({ stored_bytes: QUOTA, deliveries: null }, 30)
    expect(await stored((await send('f')).delivery_id)).toMatchObject({ shown: true })
  })

  test('accepted deliveries are still processed, and their bodies dropped then', async () => {
    await tools.github(pushed('9', 2 * QUOTA))
    const { json } = await tools.post(`perforce?token=${tools.tokenOf('perforce')}`, { changelist: 4711, user: 'kim' })
    expect(await stored(json.delivery_id)).toMatchObject({ shown: true })
    await ingest(tools.studio.db, { account_id: tools.studio.world.accounts.owl!.id, delivery_id: Number(json.delivery_id) })
    expect(await stored(json.delivery_id)).toMatchObject({ stored: 0, shown: false })
    expect(await tools.studio.db.rows(sql`select id from changes where identifier = '4711'`)).toHaveLength(1)
  })

  test('duplicates and deliveries of other accounts do not count', async () => {
    const headers = { 'x-github-delivery': 'reported often' }
    for (let i = 0; i < 4; i++) await tools.github(pushed('8', 40 * KIB), headers)
    expect(await stored((await tools.github(pushed('7', KIB))).json.delivery_id)).toMatchObject({ shown: true })
  })
})

test('an accepted delivery is applied as it was parsed on receipt, and not kept any longer', async () => {
  const factsOf = (id: string) =>
    tools.studio.db.one<{ facts: string | null }>(sql`select facts from deliveries where id = ${id}`)
  const { json } = await tools.post(`perforce?token=${tools.tokenOf('perforce')}`, { changelist: 5150, user: 'kim' })
  expect(JSON.parse((await factsOf(json.delivery_id))!.facts!).facts).toMatchObject([{ kind: 'change', identifier: '5150' }])
  await tools.studio.db.execute(sql`update deliveries set body = 'no longer readable' where id = ${json.delivery_id}`)
  await ingest(tools.studio.db, { account_id: tools.studio.world.accounts.owl!.id, delivery_id: Number(json.delivery_id) })
  expect(await tools.studio.db.rows(sql`select author from changes where identifier = '5150'`)).toEqual([{ author: 'kim' }])
  expect(await factsOf(json.delivery_id)).toEqual({ facts: null })
})
