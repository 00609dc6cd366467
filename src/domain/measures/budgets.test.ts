import { describe, expect, test } from 'vitest'
import { advanceClock } from '../../../test/support/clock.ts'
import { MAIN, openMeasureRoom } from '../../../test/support/studios/measure-room.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { scheduleAllMeasures } from '../builds/follow-up-jobs.ts'

const { studio, room, id, inside, build, builds, budgets, alerts } = openMeasureRoom()

describe('a measure that exceeds its limit', () => {
  test('is told once per crossing, with the changes since the last build under it, and again when it is back', async () => {
    await budgets({ max_value: 1050 })
    const ids = await builds(1000, 1001, 1000, 1002, 1000)
    expect(await alerts()).toEqual([])
    ids.push(await build(1100))
    expect(await alerts()).toEqual([])
    ids.push(await build(1101))
    const [alert, ...more] = await alerts()
    expect(more).toEqual([])
    expect(alert).toMatchObject({
      ...{ kind: 'exceeded', state: 'open', name: 'package', platform: 'Win64', unit: 'bytes', job: room.job, branch: MAIN },
      ...{ value: 1100, allowed: 1050, build_run_id: ids[5] },
      range: { since_build_run_id: ids[4], until_build_run_id: ids[5], count: 1, changes: [{ display_identifier: 'CL 106' }] },
      change_id: Number(id('changes', 'c6')),
      user_id: Number(id('users', 'lead')),
    })
    await builds(1102, 1103)
    expect((await alerts()).map((one: { id: string }) => one.id)).toEqual([alert.id])
    await builds(1000, 1000)
    expect(await alerts()).toEqual([])
    await builds(1100, 1100)
    const [again] = await alerts()
    expect(again.id).not.toBe(alert.id)
    const states = await studio().db.rows(sql`select state, value from measure_alerts order by id`)
    expect(states).toEqual([
      { state: 'settled', value: 1000 },
      { state: 'open', value: 1100 },
    ])
    expect((await inside(`/measures?job=${encodeURIComponent(room.job)}`)).json.measures).toMatchObject([{ over_budget: true }])
  })

  test('is nobody’s if several changes are between the builds, or none, or if the values vary as much anyway', async () => {
    await budgets({ max_value: 1050 })
    await builds(1000, 1001, 1000, 1002, 1000)
    await build(1100, { changelist: 109 })
    await build(1100, { changelist: 109 })
    expect(await alerts()).toMatchObject([{ range: { count: 4 }, change_id: null, user_id: null }])
    expect(await studio().db.rows(sql`select change_id, user_id from measure_alerts`)).toEqual([
      { change_id: null, user_id: null },
    ])
    await studio().db.execute(sql`delete from measure_alerts`)
    Object.assign(room, { job: `Noisy ${room.job}`, number: 0 })
    await builds(700, 1040, 720, 1030, 1000)
    await builds(1060, 1060)
    expect(await alerts()).toMatchObject([{ range: { count: 1 }, change_id: null, user_id: null }])
    await studio().db.execute(sql`delete from measure_alerts`)
    Object.assign(room, { job: `Same ${room.job}`, number: 0 })
    await builds(1000, 1001, 1000, 1002, 1000)
    for (let again = 0; again < 2; again++) await build(1100, { changelist: 105 })
    expect(await alerts()).toMatchObject([{ range: { count: 0 }, change_id: null, user_id: null }])
  })

  test('is not told for one outlier, another job, platform or branch, or a preflight', async () => {
    await budgets(
      { max_value: 1050, job: 'Other*' },
      { max_value: 1050, platform: 'PS5' },
      { max_value: 1050, branch: '//game/rel-*' },
    )
    await builds(1000, 1000, 1100, 1100)
    expect(await alerts()).toEqual([])
    await budgets({ max_value: 1050, job: `${room.job.slice(0, 12)}*`, branch: '//Game/*', platform: 'Win*' })
    await builds(1000, 1000, 1000, 1100, 1000)
    for (let again = 0; again < 3; again++) await build(1100, { more: { preflight: true } })
    expect(await alerts()).toEqual([])
    await builds(1100, 1100)
    expect(await alerts()).toHaveLength(1)
  })

  test('is no longer told of once its budget is removed', async () => {
    await budgets({ max_value: 1050 })
    await builds(1100, 1100)
    expect(await alerts()).toHaveLength(1)
    await budgets()
    await workOff(studio(), 'judge_measures')
    expect(await alerts()).toEqual([])
    expect(await studio().db.rows(sql`select from measure_alerts`)).toEqual([])
  })
})

describe('a budget for growth', () => {
  const live = (build: string, more = {}) =>
    studio().load({
      deployments: [
        {
          ...{
            key: crypto.randomUUID(),
            project: id('projects', 'star'),
            platform: 'steam',
            track: 'default',
            version: '1',
            status: 'live',
          },
          ...{ build_run: build, live_at: '2026-01-02T00:00:00Z', ...more },
        },
      ],
    })

  test('compares with the build that is live on its track', async () => {
    await budgets({ max_growth: 5, store: 'Steam', track: 'default' })
    const [shipped] = await builds(1000, 1040, 1060)
    expect(await alerts()).toEqual([])
    await live(shipped!)
    await build(1060)
    expect(await alerts()).toMatchObject([{ allowed: 1050, value: 1060 }])
    await budgets({ max_growth: 5, store: 'steam', track: 'beta' })
    await workOff(studio(), 'judge_measures')
    expect(await alerts()).toEqual([])
  })

  test('is not judged if two tracks are meant', async () => {
    await budgets({ max_growth: 5 })
    const [shipped] = await builds(1000, 1000)
    await live(shipped!, { live_at: '2026-01-03T00:00:00Z' })
    await live(shipped!, { track: 'beta', live_at: '2026-01-03T00:00:00Z' })
    await builds(1100, 1100, 1100)
    expect(await alerts()).toEqual([])
  })
})

describe('what grew', () => {
  const unity = (sky: string) => `Build Report
Used Assets and files from the Resources folder, sorted by uncompressed size:
 30.0 mb\t 30.0% Assets/Models/Castle.fbx
 ${sky} mb\t 5.9% Assets/Art/T_Sky.png
`

  test('is the asset that the logs list with another size', async () => {
    await budgets({ max_value: 1050 })
    for (let at = 0; at < 5; at++) await build(1000, { more: { logs_tail: unity('5.0') } })
    for (let at = 0; at < 2; at++) await build(1100, { more: { logs_tail: unity('25.0') } })
    expect((await alerts())[0].grown).toEqual([
      { path: 'Assets/Art/T_Sky.png', before: 5 * 1024 ** 2, after: 25 * 1024 ** 2, unit: 'bytes' },
    ])
  })

  test('is the part of the measure, where no assets are listed', async () => {
    await budgets({ max_value: 1050 })
    const parts = (sky: number) => ({
      measures: [
        { name: 'package', value: 1000 + sky, unit: 'bytes' },
        { name: 'package/Sky', value: sky, unit: 'bytes' },
        { name: 'package/Castle', value: 900, unit: 'bytes' },
      ],
    })
    for (const sky of [10, 10, 10, 10, 10, 100, 100]) await build(null, { more: parts(sky) })
    expect((await alerts())[0].grown).toEqual([{ path: 'Sky', before: 10, after: 100, unit: 'bytes' }])
  })
})

describe('a measure with a budget that no longer comes', () => {
  /** The hourly look, an hour after the last report. */
  const later = async () => {
    await advanceClock(studio().db, '2 hours')
    await scheduleAllMeasures(studio().db)
    await workOff(studio(), 'judge_measures')
  }

  test('is told once, and again when it comes back', async () => {
    await budgets({ max_value: 1e9 })
    const ids = await builds(1, 1, 1, 1, 1, null, null, null)
    expect(await alerts()).toEqual([])
    await later()
    expect(await alerts()).toMatchObject([{ kind: 'missing', build_run_id: ids[5], value: null, change_id: null, grown: [] }])
    await later()
    expect(await alerts()).toHaveLength(1)
    await build(1)
    expect(await alerts()).toEqual([])
    expect(await studio().db.rows(sql`select kind, state from measure_alerts`)).toEqual([{ kind: 'missing', state: 'settled' }])
  })

  test('is not told while it pauses no longer than twice its longest pause', async () => {
    await budgets({ max_value: 1e9 })
    await builds(1, 1, 1, null, null, 1, 1, null, null, null, null)
    await later()
    expect(await alerts()).toEqual([])
    await build(null)
    await later()
    expect(await alerts()).toMatchObject([{ kind: 'missing' }])
  })
})

describe('budgets', () => {
  test('are edited by leads only', async () => {
    expect((await inside('/measures/budgets', { as: 'artist', method: 'PUT', body: { budgets: [] } })).status).toBe(403)
    expect((await inside('/measures/budgets', { as: 'artist' })).status).toBe(200)
  })

  test.each([
    [{ max_value: null }, 'must have max_value, max_growth or both'],
    [{ max_value: 5, track: 'beta' }, 'has a track without max_growth'],
    [{ max_value: -1 }, 'max_value'],
    [{ max_value: 'much' }, 'max_value'],
    [{ measure: ' ', max_value: 1 }, 'measure'],
    [{ max_value: 1, color: 'red' }, 'color'],
  ])('%o is refused', async (budget, words) => {
    const { status, json } = await budgets(budget)
    expect(status).toBe(422)
    expect(JSON.stringify(json)).toContain(words)
  })
})
