import { expect, test } from 'vitest'
import { openMeasureRoom } from '../../../test/support/studios/measure-room.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { scheduleAllMeasures } from '../builds/follow-up-jobs.ts'

const { studio, room, id, inside, build, builds, budgets, alerts } = openMeasureRoom()

const as = (configuration: string, more = {}) => ({ more: { configuration, ...more } })
const measures = async (query = '') => (await inside(`/measures${query}`)).json.measures

test('a Development build among Shipping builds is over no budget, and nobody is named for its size', async () => {
  await budgets({ max_value: 900e6, unit: 'bytes' })
  for (let at = 0; at < 8; at++) await build(800e6 + at, as('Shipping'))
  await build(2000e6, as('Development'))
  expect(await alerts()).toEqual([])
  expect(await measures()).toMatchObject([
    { configuration: 'Development', value: 2000e6, usual: null, jump: null },
    { configuration: 'Shipping', value: 800e6 + 7, jump: null, builds_without: 0 },
  ])
  await build(2000e6, as('Development'))
  expect(await alerts()).toMatchObject([{ configuration: 'Development', change_id: null, user_id: null, range: null }])
  await budgets({ max_value: 900e6, unit: 'bytes', configuration: 'Ship*' })
  await workOff(studio(), 'judge_measures')
  expect(await alerts()).toEqual([])
  for (let at = 0; at < 2; at++) await build(1000e6, as('Shipping'))
  expect(await alerts()).toMatchObject([{ configuration: 'Shipping', value: 1000e6 }])
})

test('a step in Shipping builds is its author’s, also with Development builds between them', async () => {
  await budgets({ max_value: 900 })
  for (let at = 0; at < 5; at++) {
    await build(800 + (at % 2), { changelist: 101 + at, ...as('Shipping') })
    await build(2000, { changelist: 101 + at, ...as('Development', { measures: [{ name: 'other', value: 1 }] }) })
  }
  const first = await build(1000, { changelist: 106, ...as('Shipping') })
  await build(1000, { changelist: 107, ...as('Shipping') })
  expect(await alerts()).toMatchObject([
    { build_run_id: first, range: { count: 1 }, change_id: Number(id('changes', 'c6')), user_id: Number(id('users', 'lead')) },
  ])
})

test('20 s that are told as 20,000 ms are within a budget of 100, and 200,000 ms are not', async () => {
  await budgets({ max_value: 100 })
  const time = (value: number, unit: string) => build(value, { unit })
  for (let at = 0; at < 5; at++) await time(20, 's')
  expect((await inside('/measures/budgets')).json.budgets).toMatchObject([{ max_value: 100, unit: 's' }])
  for (let at = 0; at < 3; at++) await time(20_000, 'ms')
  expect(await alerts()).toEqual([])
  expect(await measures()).toMatchObject([{ unit: 'ms', value: 20_000, usual: 20_000, jump: null }])
  // The step falls together with no other unit: it is a change's.
  for (let at = 0; at < 2; at++) await time(200_000, 'ms')
  expect(await alerts()).toMatchObject([{ unit: 'ms', value: 200_000, allowed: 100_000, range: { count: 1 } }])
})

test('a measure that is reported in another unit from the step on is nobody’s', async () => {
  await budgets({ max_value: 100, unit: 's' })
  for (let at = 0; at < 5; at++) await build(20 + at / 10, { unit: 's' })
  for (let at = 0; at < 2; at++) await build(200_000, { unit: 'ms' })
  expect(await alerts()).toMatchObject([{ range: { count: 1 }, change_id: null, user_id: null }])
})

test('a budget for seconds says nothing about a measure that is told in bytes', async () => {
  await budgets({ max_value: 100, unit: 's' })
  await builds(1000, 1000, 1000)
  expect(await alerts()).toEqual([])
})

test('a cook that takes longer on another agent is nobody’s; a package that is larger there is its author’s', async () => {
  await budgets({ max_value: 100, unit: 's', measure: 'cook' }, { max_value: 1050, unit: 'bytes' })
  const on = (agent: string, cook: number, size: number) =>
    build(null, {
      more: { agent, measures: [{ name: 'cook', value: cook, unit: 's' }, { name: 'package', value: size, unit: 'bytes' }] }, // biome-ignore format: one build
    })
  for (let at = 0; at < 5; at++) await on('BUILD-01', 50 + at / 10, 1000 + at)
  for (let at = 0; at < 2; at++) await on('BUILD-02', 200, 1100)
  const open = await alerts()
  const [cook, size] = ['cook', 'package'].map((wanted) => open.find(({ name }: { name: string }) => name === wanted))
  expect(cook).toMatchObject({ range: { count: 1 }, change_id: null, user_id: null })
  expect(size).toMatchObject({ range: { count: 1 }, user_id: Number(id('users', 'lead')) })
})

/** Passed builds of another job, as many as a busy project has in a day. */
const otherBuilds = (count: number, measured = true) =>
  studio().db.execute(sql`
    insert into build_runs (account_id, project_id, status, ci_job_name, build_number, branch, measures)
    select account_id, id, 'completed', 'Compile', n::text, '//game/main',
      case when ${measured} then '{"x": {"name": "warnings", "value": 1, "unit": null, "platform": null}}'::jsonb end
    from projects, generate_series(1, ${count}) n where id = ${id('projects', 'star')}`)

test('the alert of a rare job stays open and is announced once, however many builds other jobs have', async () => {
  await budgets({ max_value: 1050 })
  await builds(1000, 1000, 1100, 1100)
  const [alert] = await alerts()
  await otherBuilds(1_100)
  await scheduleAllMeasures(studio().db)
  await workOff(studio(), 'judge_measures')
  expect((await alerts()).map((one: { id: string }) => one.id)).toEqual([alert.id])
  await build(1100)
  expect((await alerts()).map((one: { id: string }) => one.id)).toEqual([alert.id])
  const told = await studio().db.rows(sql`select from outbox where event_type = 'measure.alerted' and row_id = ${alert.id}`)
  expect(told).toHaveLength(1)
})

test('the list has the measures of rare jobs, and of rare platforms of a busy job', async () => {
  await build(7, { more: { platform: 'PS5' } })
  room.job = 'Compile'
  await build(5, { more: { platform: 'PS5' } })
  await otherBuilds(1_100)
  await otherBuilds(100, false)
  expect(
    (await measures()).map(({ name, job, platform, value }: Record<string, unknown>) => [
      name,
      job === 'Compile',
      platform,
      value,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['package', false, 'PS5', 7],
      ['package', true, 'PS5', 5],
      ['warnings', true, null, 1],
    ]),
  )
  const { json } = await inside('/measures/trends?name=package&platform=PS5')
  expect(json).toMatchObject({ has_more: false, trends: [{ values: [{ value: 5 }] }, { values: [{ value: 7 }] }] })
})

test('an alert ends with its branch', async () => {
  await budgets({ max_value: 1050 })
  for (let at = 0; at < 2; at++) await build(1100, { more: { branch: '//game/rel-1' } })
  expect(await alerts()).toMatchObject([{ branch: '//game/rel-1' }])
  await studio().db.execute(sql`
    insert into branches (account_id, project_id, name, told, deleted_at)
    select account_id, id, '//game/rel-1', '//game/rel-1', now() from projects where id = ${id('projects', 'star')}`)
  await scheduleAllMeasures(studio().db)
  await workOff(studio(), 'judge_measures')
  expect(await alerts()).toEqual([])
})

test('more alerts than are shown are said to be there', async () => {
  await budgets({ max_value: 1, measure: 'part*' })
  const parts = { measures: Array.from({ length: 26 }, (_, at) => ({ name: `part${at}`, value: 9 })) }
  for (let at = 0; at < 2; at++) await build(null, { more: parts })
  expect((await inside('/measures/budgets')).json).toMatchObject({ has_more: true, alerts: { length: 25 } })
})
