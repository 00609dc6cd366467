import { afterAll, beforeAll, expect, test } from 'vitest'
import { moveTimes } from '../../../test/support/aging.ts'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { workOffAll } from '../../../test/support/work-off.ts'
import { costWords, uncountedWords } from '../../contract/labels/cost-words.ts'
import { sql } from '../../db/database.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

let number = 0
const build = (report: object) =>
  tools.ci({ job_name: 'Game', build_number: String(++number), branch: 'main', status: 'SUCCESS', ...report })
const costs = (query = '') => tools.api(`measures/costs${query}`)
const price = (agent_prices: object | null) => tools.api('settings', { method: 'PATCH', body: { agent_prices } })

test('builds cost their minutes times the price of their agent, and those without a duration or a price are counted apart', async () => {
  await build({ agent: 'BUILD-01', duration_seconds: 1_800 })
  await build({ agent: 'build-02', duration_seconds: 3_600, branch: 'release' })
  await build({ agent: 'MAC-1', duration_seconds: 600, job_name: 'Game-Mac' })
  await build({ agent: 'BUILD-01' })
  await build({ agent: 'BUILD-01', duration_seconds: 60, status: 'IN_PROGRESS' })
  expect(await costs()).toMatchObject({
    currency: null,
    total: { builds: 4, minutes: 100, amount: null, without_duration: 1 },
  })
  await price({
    currency: 'EUR',
    prices: [
      { agent: 'BUILD-02', per_hour: 10 },
      { agent: 'BUILD-*', per_hour: 4 },
    ],
  })
  const shown = await costs()
  expect(shown).toMatchObject({
    currency: 'EUR',
    total: { builds: 4, minutes: 100, amount: 12, without_duration: 1, without_price: 1 },
    failed: { builds: 0, amount: 0 },
    by_job: [
      { job: 'Game', builds: 3, amount: 12, without_price: 0 },
      { job: 'Game-Mac', builds: 1, minutes: 10, amount: null, without_price: 1 },
    ],
    by_branch: [
      { branch: 'release', builds: 1, amount: 10 },
      { branch: 'main', builds: 3, amount: 2 },
    ],
    by_cause: [],
  })
  expect(costWords(shown.total, 'EUR')).toBe('4 builds, 100 min, €12.00')
  expect(uncountedWords(shown.total)).toBe('1 build without a duration, 1 without a price')
  expect((await costs('?branch=release')).total).toMatchObject({ builds: 1, amount: 10 })
  expect((await costs('?job=Game-Mac')).total).toMatchObject({ builds: 1, amount: null })
  await moveTimes(tools.studio.db, 'build_runs', ['created_at'], sql`interval '-10 days'`, sql`t.branch = 'release'`)
  expect((await costs('?days=7')).total).toMatchObject({ builds: 3, amount: 2 })
  expect((await costs()).total).toMatchObject({ builds: 4, amount: 12 })
})

test('a breakage shows how long its branch was broken and what its builds cost', async () => {
  await price({ currency: 'EUR', prices: [{ agent: '*', per_hour: 6 }] })
  await tools.api('settings', { method: 'PATCH', body: { investigates_failures: true } })
  const broken = { job_name: 'Cook', branch: 'next' }
  await build({ ...broken, changelist: '10', duration_seconds: 60 })
  const log = 'Source/Hud.cpp(12): error C2065: undeclared identifier'
  for (const changelist of ['11', '12'])
    await build({ ...broken, changelist, status: 'FAILURE', duration_seconds: 3_600, output_log: log })
  await build({ ...broken, changelist: '12', status: 'FAILURE', output_log: log })
  await workOffAll(tools.studio, tools.studio.world.accounts.owl!.id)
  const { by_cause, failed } = await costs('?branch=next')
  expect(failed).toMatchObject({ builds: 3, minutes: 120, amount: 12, without_duration: 1 })
  expect(by_cause).toMatchObject([{ branch: 'next', state: 'open', builds: 3, amount: 12, without_duration: 1 }])
  const [{ breakage_id }] = by_cause
  await tools.studio.db.execute(sql`
    with shifted as (update breakage_occurrences set opened_at = goldmaster_now() - interval '3 hours' where breakage_id = ${breakage_id})
    update breakages set opened_at = goldmaster_now() - interval '3 hours' where id = ${breakage_id}`)
  const { cost } = await tools.api(`breakages/${breakage_id}`)
  expect(cost).toMatchObject({ builds: 3, amount: 12, currency: 'EUR', without_duration: 1, without_price: 0 })
  const { opened_at } = (await tools.studio.db.one<{ opened_at: string }>(sql`
    select iso(opened_at) as opened_at from breakages where id = ${breakage_id}`))!
  const open = await costs('?branch=next')
  expect([cost.red_seconds, cost.red_since]).toEqual([0, opened_at])
  expect(open.by_cause).toMatchObject([{ red_seconds: 0, red_since: opened_at }])
  expect(await costs('?branch=next')).toEqual(open)
  await tools.studio.db.execute(sql`
    with shifted as (
      update breakage_occurrences set fixed_at = ${opened_at}::timestamptz + interval '2 hours' where breakage_id = ${breakage_id})
    update breakages set state = 'fixed', fixed_at = ${opened_at}::timestamptz + interval '2 hours' where id = ${breakage_id}`)
  const fixed = { red_seconds: 7_200, red_since: null }
  expect((await tools.api(`breakages/${breakage_id}`)).cost).toMatchObject(fixed)
  expect((await costs('?branch=next')).by_cause).toMatchObject([fixed])
  await price(null)
  expect((await tools.api(`breakages/${breakage_id}`)).cost).toMatchObject({ builds: 3, amount: null, currency: null })
})
