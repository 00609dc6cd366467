import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliveryTo } from '../../../../test/support/files/delivery.ts'
import type { BuildFact } from '../../facts.ts'
import { Unreadable } from '../../reading.ts'
import { gameEngine } from './index.ts'

const RECEIVED = '2026-03-01T12:00:00.000Z'
const SAID = '2026-03-01T11:59:58.000Z'

const delivery = (event: string, body: unknown) => deliveryTo(`game_engine/${event}`, body, { received: new Date(RECEIVED) })

const build = { job_name: 'Game-Win64', build_number: 42 }
const read = (event: string, body: object = {}) => gameEngine.read(delivery(event, { ...build, ...body }))[0] as BuildFact

describe('the build of an event', () => {
  const reference = (body: object) => (gameEngine.read(delivery('cooking_started', body))[0] as BuildFact).build

  test.each([
    [{ build_run_id: '17' }, { build_run_id: 17 }],
    [{ build_id: 'b-9f' }, { external_id: 'b-9f' }],
    [{ build_number: 42 }, { number: '42' }],
    [build, { job: 'Game-Win64', number: '42' }],
    [
      { job_name: 'Game-Win64', build_id: 42 },
      { job: 'Game-Win64', number: '42' },
    ],
    [
      { job_name: 'Game-Win64', build_id: 'b-9f', build_number: 42 },
      { job: 'Game-Win64', number: '42', external_id: 'b-9f' },
    ],
  ])('%j is %j', (body, expected) => {
    expect(reference(body)).toEqual(expected)
  })

  test.each([{}, { job_name: 'Game' }, { commit: 'abc' }, { build_run_id: -1 }, { build_id: {} }, null, 'x', []])(
    '%j has none',
    (body) => {
      for (const path of gameEngine.paths) expect(() => gameEngine.read(delivery(path.split('/')[1]!, body))).toThrow(Unreadable)
    },
  )

  test('may belong to any integration', () => {
    expect(read('packaging_started').anywhere).toBe(true)
  })
})

describe('phases', () => {
  test('cooking starts with the number of assets', () => {
    const body = {
      engine: 'Unreal Engine 5.4',
      platform: 'Win64',
      target_type: 'Shipping',
      total: 660,
      changelist: 812,
      timestamp: SAID,
    }
    expect(read('cooking_started', body)).toEqual({
      kind: 'build',
      build: { job: 'Game-Win64', number: '42' },
      anywhere: true,
      status: 'building',
      build_type: 'unreal',
      target_type: 'shipping',
      configuration: 'Shipping',
      platform: 'Win64',
      changelist: '812',
      phase: 'cooking',
      steps: [{ name: 'cooking', status: 'running', started_at: SAID, detail: 'Win64, 660 assets' }],
      at: SAID,
    })
  })

  test('an event without a time happened when it arrived', () => {
    expect(read('shaders_started', { shader_count: 12 })).toMatchObject({
      phase: 'shaders',
      steps: [{ name: 'shaders', status: 'running', started_at: RECEIVED, detail: '12 shaders' }],
    })
  })

  test('shaders end with their duration', () => {
    expect(read('shaders_completed', { duration_seconds: 30.4 }).steps).toEqual([
      { name: 'shaders', status: 'completed', finished_at: RECEIVED, duration_seconds: 30 },
    ])
  })

  test('packaging ends the phases before it', () => {
    expect(read('packaging_started')).toMatchObject({
      status: 'building',
      phase: 'packaging',
      steps: [
        { name: 'cooking', status: 'completed', ends: true },
        { name: 'shaders', status: 'completed', ends: true },
        { name: 'packaging', status: 'running', started_at: RECEIVED },
      ],
    })
  })

  test('a completed build has its log and artifacts', () => {
    const artifacts = [{ name: 'Game.zip', size_bytes: 5, url: 'https://x.example/Game.zip' }]
    expect(read('build_completed', { duration_seconds: 157, logs_tail: 'BUILD SUCCESSFUL', artifacts })).toMatchObject({
      status: 'completed',
      finished_at: RECEIVED,
      duration_seconds: 157,
      log: 'BUILD SUCCESSFUL',
      artifacts,
    })
  })
})

describe('cooked assets', () => {
  const step = (body: object) => read('asset_cooked', body).steps

  test('increase the counter', () => {
    expect(step({ cooked: 400, total: 660 })).toEqual([{ name: 'cooking', status: 'running', detail: '400/660 cooked' }])
  })

  test('have time and size, as a path with numbers next to it or as an object', () => {
    const numbers = { ms: 12, size_before: 4_000_000, size_after: 1_240_000 }
    const expected = [{ name: 'cooking', status: 'running', detail: '/Game/T_Rock in 12 ms, 4 MB to 1.2 MB' }]
    expect(step({ asset: '/Game/T_Rock', ...numbers })).toEqual(expected)
    expect(step({ asset: { path: '/Game/T_Rock', ok: true, ...numbers } })).toEqual(expected)
  })

  test('in one event are summed up', () => {
    const assets = [{ path: '/Game/A', ms: 5 }, { path: '/Game/B', ms: 7 }, '/Game/C']
    expect(step({ assets, cooked: 3 })).toMatchObject([{ detail: '3 cooked; 3 assets in 12 ms' }])
  })

  test('that fail are separate steps, and cooking shows it', () => {
    const assets = [{ path: '/Game/A' }, { path: '/Game/B', ok: false, error: 'missing import' }]
    expect(step({ assets, cooked: 2, total: 9 })).toMatchObject([
      { name: 'cooking', status: 'failed', detail: '/Game/B failed: missing import; 2/9 cooked; 2 assets' },
      { name: 'cook /Game/B', status: 'failed', detail: 'missing import' },
    ])
    expect(step({ asset: '/Game/B', ok: 'false' })).toMatchObject([{ status: 'failed' }, { name: 'cook /Game/B' }])
  })

  test('that fail by the thousand stay readable', () => {
    const assets = Array.from({ length: 1000 }, (_, index) => ({ path: `/Game/${index}`, ok: false }))
    expect(step({ assets })).toHaveLength(51)
    expect(step({ assets })![0]!.detail).toMatch(/^1000 assets failed, first \/Game\/0/)
  })
})

describe('a failed build', () => {
  test('has its error in the step and in the log', () => {
    const fact = read('build_failed', { error: 'Cook failed.', logs_tail: 'LogCook: Display: 1' })
    expect(fact).toMatchObject({ status: 'failed', finished_at: RECEIVED, log: 'LogCook: Display: 1\nCook failed.' })
    expect(fact.steps!.at(-1)).toEqual({ name: 'build', status: 'failed', finished_at: RECEIVED, detail: 'Cook failed.' })
    expect(read('build_failed', { message: 'No space' }).log).toBe('No space')
    expect(read('build_failed', { error: { message: 'No space' }, log: 'x: No space left' }).log).toBe('x: No space left')
  })

  test('fails the running steps, or the phase it names', () => {
    expect(read('build_failed').steps).toMatchObject([
      { name: 'cooking', status: 'failed', ends: true },
      { name: 'shaders', status: 'failed', ends: true },
      { name: 'packaging', status: 'failed', ends: true },
      { name: 'build', status: 'failed' },
    ])
    expect(read('build_failed', { phase: 'packaging', error: 'e' }).steps).toMatchObject([
      { name: 'cooking', status: 'cancelled', ends: true },
      { name: 'shaders', status: 'cancelled', ends: true },
      { name: 'packaging', status: 'failed', detail: 'e' },
    ])
  })
})

test('every JSON throws nothing but Unreadable', () => {
  const names = [
    'build_id',
    'build_run_id',
    'asset',
    'assets',
    'cooked',
    'error',
    'artifacts',
    'logs_tail',
    'timestamp',
    'duration_seconds',
  ]
  const body = fc.oneof(
    fc.jsonValue(),
    fc.record(Object.fromEntries(names.map((name) => [name, fc.jsonValue()]))),
    fc.record({
      build_id: fc.constant('x'),
      assets: fc.array(fc.record({ path: fc.jsonValue(), ok: fc.jsonValue(), ms: fc.jsonValue() })),
    }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...gameEngine.paths), body, (path, value) => {
      try {
        gameEngine.read(delivery(path.split('/')[1]!, value))
      } catch (error) {
        expect(error).toBeInstanceOf(Unreadable)
      }
    }),
  )
})
