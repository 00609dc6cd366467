import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { workOff } from '../../../test/support/work-off.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

let number = 0
const report = (body: object) => tools.ci({ job_name: 'Ship', build_number: number, status: 'STARTED', ...body })
const build = async (body: object) => {
  number += 1
  const { json } = await report(body)
  return { json, id: json.records[0].id as number }
}
const shown = (id: number) => tools.api(`build_runs/${id}`)

describe('a build report', () => {
  test('stores platform, configuration, agent and measures in one spelling', async () => {
    const { id, json } = await build({
      platform: 'StandaloneWindows64',
      configuration: 'shipping',
      agent: 'builder-7',
      measures: { package: { value: 4200, unit: 'MB', platform: 'windows' }, warnings: 12 },
    })
    expect(json.warnings).toBeUndefined()
    const { measures, ...kept } = await shown(id)
    expect(kept).toMatchObject({ platform: 'Win64', configuration: 'Shipping', target_type: 'shipping', agent: 'builder-7' })
    expect(measures).toEqual([
      { name: 'package', value: 4200, unit: 'MB', platform: 'Win64' },
      { name: 'warnings', value: 12, unit: null, platform: null },
    ])
    await report({ status: 'SUCCESS', measures: [{ name: 'warnings', value: 9 }] })
    expect((await shown(id)).measures.map(({ value }: { value: number }) => value)).toEqual([4200, 9])
    const listed = (await tools.api('build_runs?limit=1')).build_runs[0]
    expect(listed).toMatchObject({ platform: 'Win64', configuration: 'Shipping', agent: 'builder-7' })
  })

  test('without these fields leaves them unknown', async () => {
    const { id } = await build({})
    expect(await shown(id)).toMatchObject({
      platform: null,
      configuration: null,
      agent: null,
      measures: null,
      target_type: 'development',
    })
  })

  test('with the configuration "development" stores it', async () => {
    const { id } = await build({ target_type: 'development' })
    expect(await shown(id)).toMatchObject({ configuration: 'Development' })
  })

  test('gets a warning for each unknown field, without its value', async () => {
    const secret = 'ab'.repeat(32)
    const { json } = await build({ colour: secret, shader_model: 6, [secret]: 1 })
    expect(json).toMatchObject({ status: 'processed' })
    expect(json.warnings).toEqual([
      'Unknown field "colour" was ignored.',
      'Unknown field "shader_model" was ignored.',
      'Unknown field (name not shown) was ignored.',
    ])
    expect(JSON.stringify(json)).not.toContain(secret)
  })

  test('gets a limited number of warnings and is never refused for them', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, i]))
    const { json } = await build({ ...many, platform: 7, configuration: {}, agent: [], measures: 'big' })
    expect(json.status).toBe('processed')
    expect(json.warnings).toHaveLength(25)
    expect(json.warnings.at(-1)).toBe('480 more unknown fields were ignored.')
    const { json: measured } = await build({ measures: Array.from({ length: 80 }, (_, i) => ({ name: `m${i}`, value: i })) })
    expect(measured.warnings).toEqual([expect.stringContaining('30 of 80 measures')])
  })
})

describe('a build without a platform in its report', () => {
  const named = async (job_name: string, more: object = {}) => {
    number += 1
    const { json } = await report({ job_name, build_number: number, ...more })
    return json.records[0].id as number
  }

  test('has those of its job name, until a report names others', async () => {
    const id = await named('Game-PS5-Shipping')
    expect(await shown(id)).toMatchObject({ platform: 'PS5', configuration: 'Shipping', target_type: 'development' })
    await report({ job_name: 'Game-PS5-Shipping', platform: 'Win64', configuration: 'Test' })
    expect(await shown(id)).toMatchObject({ platform: 'Win64', configuration: 'Test' })
  })

  test('has none if its log contradicts the name, and those of a log without a name, failed or passed', async () => {
    const log = (platform: string) => `BuildCookRun -targetplatform=${platform} -clientconfig=Test -cook\n`
    const contradicted = await named('Cook-PS5', { status: 'SUCCESS', logs_tail: log('Switch') })
    const passed = await named('Nightly', { status: 'SUCCESS', logs_tail: log('Switch') })
    const failed = await named('Nightly', { status: 'FAILURE', logs_tail: log('XSX') })
    expect(await shown(contradicted)).toMatchObject({ platform: 'PS5', configuration: null })
    await workOff(tools.studio, 'read_log')
    expect(await shown(contradicted)).toMatchObject({ platform: null, configuration: 'Test' })
    expect(await shown(passed)).toMatchObject({ platform: 'Switch', configuration: 'Test' })
    expect(await shown(failed)).toMatchObject({ platform: 'XSX', configuration: 'Test' })
  })

  test('is found by platform, configuration and agent in any spelling of the platform', async () => {
    const id = await named('Package-Mac-Shipping', { agent: 'MAC-2' })
    const found = async (query: string) =>
      (await tools.api(`search/build_runs?${query}`)).build_runs.map((build: { id: string }) => Number(build.id))
    for (const query of ['platform=macos&configuration=shipping', 'agent=MAC-2', 'platform=Mac&agent=MAC-2&status=building'])
      expect(await found(query), query).toEqual([id])
    expect(await found('platform=Mac&agent=MAC-3')).toEqual([])
  })
})

test('a game engine event stores platform, configuration, agent and measures too', async () => {
  const { json } = await tools.post(`game_engine/cooking_started?token=${tools.tokenOf('game_engine')}`, {
    job_name: 'Cook',
    build_number: 1,
    platform: 'PlayStation 5',
    configuration: 'Test',
    agent: 'farm-2',
    moon_phase: 'new',
  })
  expect(json.warnings).toEqual(['Unknown field "moon_phase" was ignored.'])
  expect(await shown(json.records[0].id)).toMatchObject({ platform: 'PS5', configuration: 'Test', agent: 'farm-2' })
})

test('a deployment report gets a warning for each unknown field', async () => {
  const { json } = await tools.deployment({ platform: 'steam', event: 'live', build_number: 1, lane: 'fast' })
  expect(json).toMatchObject({ status: 'processed', warnings: ['Unknown field "lane" was ignored.'] })
})
