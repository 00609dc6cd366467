import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Assistant, connectHttp } from '../../test/support/callers/assistant.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { workshop } from '../../test/support/studios/workshop.ts'
import { workOff } from '../../test/support/work-off.ts'
import { scheduleAllMeasures } from '../domain/builds/follow-up-jobs.ts'

const MAIN = '//game/main'
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

/** The package for Switch grows with changelist 112, and BUILD-07 fails every second build that the others pass. */
const packaged = (at: number) => ({
  key: `p${at}`,
  project: 'star',
  ci_job_name: 'Package-Switch',
  build_number: String(at),
  branch: MAIN,
  changelist: String(100 + at),
  platform: 'Switch',
  status: 'completed',
  measures: [
    { name: 'package', value: at < 12 ? 4_000 + (at % 2) : 4_400, unit: 'MB' },
    { name: 'package/Audio', value: at < 12 ? 500 : 900, unit: 'MB' },
  ],
  created_at: ago(1_000 - at),
})
const tested = (at: number) => ({
  project: 'star',
  ci_job_name: 'Tests',
  build_number: String(at),
  branch: MAIN,
  agent: ['BUILD-01', 'BUILD-07', 'BUILD-02'][at % 3]!,
  status: at % 3 === 1 && at % 2 === 0 ? 'failed' : 'completed',
  created_at: ago(900 - at),
})

let studio: Studio
let assistant: Assistant
beforeAll(async () => {
  const budget = { measure: 'package', max_value: 4_200, platform: 'Switch' }
  studio = await openStudio({
    ...workshop,
    projects: workshop.projects.map((project) => (project.key === 'star' ? { ...project, measure_budgets: [budget] } : project)),
    changes: Array.from({ length: 20 }, (_, at) => ({
      project: 'star',
      identifier: String(101 + at),
      source_type: 'Changelist',
      branches: [MAIN],
      author: 'kim',
    })),
    build_runs: [
      ...Array.from({ length: 20 }, (_, at) => packaged(at + 1)),
      ...Array.from({ length: 90 }, (_, at) => tested(at)),
    ],
  })
  await scheduleAllMeasures(studio.db)
  await workOff(studio, 'judge_measures')
  assistant = await connectHttp(studio.site, studio.world.tokens.lead!.token)
})
afterAll(async () => {
  await assistant.client.close()
  await studio.close()
})

const ask = (args: object) => assistant.call('list_measures', { project_id: String(studio.world.projects.star!.id), ...args })

test('an assistant finds how large a package is, and which change and part made it grow', async () => {
  const { measures } = (await ask({ platform: 'Switch' })).data
  expect(measures.find(({ name }: { name: string }) => name === 'package')).toMatchObject({
    ...{ value: 4_400, unit: 'MB', over_budget: true, jump: { after: 4_400 } },
  })
  expect(measures[0].values.length).toBeLessThanOrEqual(10)
  const { trends } = (await ask({ name: 'package', platform: 'Switch' })).data
  expect(trends).toHaveLength(1)
  expect(trends[0].jumps).toMatchObject([
    {
      after: 4_400,
      range: { count: 1, changes: [{ display_identifier: 'CL 112' }] },
      grown: [{ path: 'Audio', before: 500, after: 900 }],
    },
  ])
  expect((await ask({ platform: 'PS5' })).data.measures).toEqual([])
})

test('an assistant finds which budgets are exceeded, and since which change', async () => {
  const { budgets, alerts } = (await ask({ about: 'budgets' })).data
  expect(budgets).toMatchObject([{ measure: 'package', max_value: 4_200 }])
  expect(alerts).toMatchObject([
    { kind: 'exceeded', name: 'package', value: 4_400, allowed: 4_200, range: { changes: [{ display_identifier: 'CL 112' }] } },
  ])
})

test('an assistant finds whether an agent is bad, whatever its case, and that another is unknown', async () => {
  for (const name of ['build-07', 'BUILD-07'])
    expect((await ask({ about: 'agents', name })).data.agents).toMatchObject([
      { name: 'BUILD-07', suspicious: true, compared: { expected_rate: 0 } },
    ])
  expect((await ask({ about: 'agents' })).data.agents).toHaveLength(3)
  expect((await ask({ about: 'agents', name: 'BUILD-7' })).data).toMatchObject({
    agents: [],
    notes: ['No agent of this name built anything in the last 30 days.'],
  })
})

test('an assistant finds what builds cost by job', async () => {
  const { data } = await ask({ about: 'costs', job: 'Tests' })
  expect(data).toMatchObject({ currency: null, by_job: [{ job: 'Tests' }] })
})

test('a filter that does not apply is refused instead of ignored', async () => {
  for (const args of [
    { about: 'costs', platform: 'Switch' },
    { about: 'agents', job: 'Tests' },
    { about: 'budgets', job: 'Tests' },
  ]) {
    const { error, text } = await ask(args)
    expect([error, text]).toEqual([true, expect.stringMatching(/does not filter (?:costs|agents|budgets)/)])
  }
})
