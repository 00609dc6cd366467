import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { waiting } from '../../test/support/blocked.ts'
import { openTools, SECRET, type Tools } from '../../test/support/tools.ts'
import { until } from '../../test/support/until.ts'
import { workOff } from '../../test/support/work-off.ts'
import { ofAccount, openDatabase, type Pool, sql } from '../db/database.ts'
import type { IntegrationAuth } from '../domain/integrations/webhook-access.ts'
import * as webhooks from '../domain/integrations/webhook-access.ts'
import { stopWaiting } from './batch.ts'
import type { Delivered } from './persist.ts'
import { receive } from './receive.ts'

let tools: Tools
let db: Pool
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())
// What waits is kept for each pool.
beforeEach(async () => {
  await tools.studio.db.execute(sql`truncate deliveries, build_runs, jobs cascade`)
  db = openDatabase(tools.studio.url, { max: 4, statementTimeout: 20_000 })
  return () => db.close()
})

const authorize = () => webhooks.open(db, tools.studio.service.vault, tools.tokenOf('jenkins'), 'jenkins')

interface Report {
  job_name: string
  build_number: number
  status: string
}
const report = (job_name: string, build_number: number, status = 'SUCCESS'): Report => ({ job_name, build_number, status })

async function arrive(body: Report, integration: IntegrationAuth): Promise<Delivered> {
  const received = await receive(ofAccount(db, integration.account_id), integration, {
    path: 'ci',
    headers: { 'content-type': 'application/json' },
    raw: Buffer.from(JSON.stringify(body)),
    url: '',
    received: new Date(),
  })
  return (received as { delivered: Delivered }).delivered
}

/** While another session has the row of a build. */
const whileHeld = ({ job_name, build_number }: Report, work: () => Promise<unknown>) =>
  tools.studio.db.transaction(async (db) => {
    await db.execute(
      sql`select from build_runs where ci_job_name = ${job_name} and build_number = ${String(build_number)} for update`,
    )
    await work()
  })
const isHeldUp = async () => (await waiting(tools.studio.db)) > 0

test('a report behind one that is stored in the end is stored too, though nothing else holds it up', async () => {
  const integration = await authorize()
  await arrive(report('night', 1, 'STARTED'), integration)
  await whileHeld(report('night', 1), async () => {
    const first = arrive(report('night', 1), integration)
    await until(isHeldUp)
    const second = arrive(report('night', 2), integration)
    expect(await first).toMatchObject({ status: 'accepted' })
    expect(await second).toMatchObject({ status: 'accepted' })
    expect(Number((await first).delivery_id)).toBeLessThan(Number((await second).delivery_id))
  })
  await workOff(tools.studio, 'catch_up')
  expect(await arrive(report('night', 3), await authorize())).toMatchObject({ status: 'processed' })
})

test('reports that stop waiting are stored after an earlier one of their job that is still being written, and others at once', async () => {
  const integration = await authorize()
  await arrive(report('night', 1, 'STARTED'), integration)
  await whileHeld(report('night', 1), async () => {
    const first = arrive(report('night', 1), integration)
    await until(isHeldUp)
    const second = arrive(report('night', 2), integration)
    stopWaiting(db)
    const other = arrive(report('day', 7), integration)
    const delivered = await Promise.all([other, first, second])
    expect(delivered.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted'])
    const ids = delivered.map(({ delivery_id }) => Number(delivery_id))
    expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  })
})

test('a report whose body arrives after earlier reports were stored does not overtake them', async () => {
  const asked = await authorize()
  await arrive(report('night', 1), { ...(await authorize()), is_behind: true })
  expect(await arrive(report('night', 2), asked)).toMatchObject({ status: 'accepted' })
  await workOff(tools.studio, 'catch_up')
  expect(await arrive(report('night', 3), await authorize())).toMatchObject({ status: 'processed' })
})

test('a report that cannot be stored affects no other', async () => {
  const integration = { ...(await authorize()), is_behind: true }
  await tools.studio.db.execute(sql`alter table deliveries add constraint refuse_one check (body_bytes <> 100) not valid`)
  const name = (length: number) => 'n'.repeat(length - JSON.stringify(report('', 1)).length)
  const stored = await Promise.allSettled([90, 100, 110].map((length) => arrive(report(name(length), 1), integration)))
  await tools.studio.db.execute(sql`alter table deliveries drop constraint refuse_one`)
  expect(stored).toMatchObject([
    { value: { status: 'accepted' } },
    { reason: { constraint: 'refuse_one' } },
    { value: { status: 'accepted' } },
  ])
})

test('a signed report that is stored vouches for its job as one that is processed at once does', async () => {
  const { db } = tools.studio
  await db.execute(sql`update integrations set config = '{"server": "https://ci.example"}' where provider = 'jenkins'`)
  const integration = { ...(await authorize()), secrets: [SECRET], is_behind: true }
  const send = (job_name: string, sign: boolean) => {
    const raw = Buffer.from(JSON.stringify(report(job_name, 1)))
    const signature = createHmac('sha256', SECRET).update(raw).digest('hex')
    const headers = { 'content-type': 'application/json', ...(sign && { 'x-webhook-signature': `sha256=${signature}` }) }
    return receive(db, integration, { path: 'ci', headers, raw, url: '', received: new Date() })
  }
  expect(await send('vouched', true)).toMatchObject({ delivered: { status: 'accepted' } })
  await workOff(tools.studio, 'catch_up')
  expect(await send('named', false)).toMatchObject({ delivered: { status: 'accepted' } })
  await workOff(tools.studio, 'catch_up')
  expect(await db.rows(sql`select place, vouched from integration_places order by place`)).toEqual([
    { place: 'named', vouched: false },
    { place: 'vouched', vouched: true },
  ])
})
