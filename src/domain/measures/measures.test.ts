import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workshop } from '../../../test/support/studios/workshop.ts'

const hour = (at: number) => new Date(Date.UTC(2026, 0, 1, at)).toISOString()
const change = (at: number) => ({
  key: `change ${at}`,
  project: 'star',
  identifier: String(100 + at),
  source_type: 'Changelist',
  branches: ['//game/main'],
  author: `author${at}`,
  timestamp: hour(at),
})
const build = (at: number, more: object) => ({
  key: `build ${at} ${JSON.stringify(more)}`,
  project: 'star',
  ci_job_name: 'Package',
  branch: '//game/main',
  build_number: String(at),
  changelist: String(100 + at),
  platform: 'Win64',
  status: 'completed',
  created_at: hour(at),
  ...more,
})
const size = (value: number, more = {}) => ({ name: 'package', value, unit: 'bytes', ...more })

/** The package grows in build 30; build 40 is live; the cook time no longer comes after build 30. */
const BUILDS = Array.from({ length: 45 }, (_, at) =>
  build(at, {
    measures: [size((at < 30 ? 1000 : 1100) + (at % 3)), ...(at <= 30 ? [{ name: 'cook', value: 50, unit: 's' }] : [])],
  }),
)

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    changes: Array.from({ length: 45 }, (_, at) => change(at)),
    build_runs: [
      ...BUILDS,
      build(45, { key: 'other job', ci_job_name: 'Nightly', measures: [size(7)] }),
      build(46, { status: 'failed', measures: [size(9)] }),
      build(47, { kind: 'preflight', measures: [size(9)] }),
      build(48, { branch: '//game/dev', platform: 'PS5', measures: [size(5)] }),
    ],
    deployments: [
      {
        key: 'else',
        project: 'star',
        platform: 'epic_games_store',
        version: '5',
        status: 'live',
        build_run: 'other job',
        live_at: hour(20),
      },
      {
        key: 'old',
        project: 'star',
        platform: 'steam',
        track: 'public',
        version: '1',
        status: 'live',
        build_run: keyOf(3),
        live_at: hour(4),
      },
      {
        key: 'new',
        project: 'star',
        platform: 'steam',
        track: 'public',
        version: '2',
        status: 'live',
        build_run: keyOf(9),
        live_at: hour(10),
      },
      {
        key: 'back',
        project: 'star',
        platform: 'steam',
        track: 'public',
        version: '3',
        status: 'rolled_back',
        build_run: keyOf(12),
        live_at: hour(13),
      },
      { key: 'none', project: 'star', platform: 'steam', track: 'beta', version: '4', status: 'live', live_at: hour(14) },
      {
        key: 'beta',
        project: 'star',
        platform: 'steam',
        track: 'beta',
        version: '3',
        status: 'live',
        build_run: keyOf(9),
        live_at: hour(10),
      },
    ],
  })
})
afterAll(() => studio.close())

const keyOf = (at: number) => BUILDS[at]!.key
const idOf = (at: number) => String(studio.world.build_runs![keyOf(at)]!.id)
const ask = (rest: string) =>
  studio.ask(`/api/v1/projects/${studio.world.projects!.star!.id}/measures${rest}`, {
    token: studio.world.tokens!.lead!.token as string,
  })

test('a measure has a row for each job, branch, platform and configuration, those that stopped or changed first', async () => {
  const { json } = await ask('')
  expect(
    json.measures.map((row: { name: string; branch: string; platform: string }) => [row.name, row.branch, row.platform]),
  ).toEqual([
    ['cook', '//game/main', 'Win64'],
    ['package', '//game/main', 'Win64'],
    ['package', '//game/main', 'Win64'],
    ['package', '//game/dev', 'PS5'],
  ])
  const [cook, pack, , dev] = json.measures
  expect(cook).toMatchObject({ stopped: true, builds_without: 14, value: 50, build_number: '30' })
  expect(pack).toMatchObject({ value: 1102, build_run_id: idOf(44), usual: 1100, stopped: false, builds_without: 0 })
  expect(pack.jump).toMatchObject({ before: expect.closeTo(1001, 0), first_build_run_id: idOf(30), last_build_run_id: idOf(30) })
  expect(pack.values).toHaveLength(40)
  expect(dev).toMatchObject({ value: 5, usual: null, jump: null, values: [5] })
})

test('a value is compared with the build that is live on a track, not with one rolled back, unknown or of another job', async () => {
  const { json } = await ask('?name=package&job=Package&branch=//game/main')
  expect(json.measures).toHaveLength(1)
  expect(json.measures[0].live).toEqual([
    expect.objectContaining({ store: 'steam', track: 'default', version: '2', build_run_id: idOf(9), value: 1000 }),
  ])
  expect((await ask('?platform=PS5')).json.measures).toMatchObject([{ branch: '//game/dev', live: [] }])
})

test('a trend has its values and the changes between the builds of a step', async () => {
  const { json } = await ask('/trends?name=package&job=Package&branch=//game/main&platform=Windows')
  expect(json).toMatchObject({ has_more: false, trends: [{ name: 'package' }] })
  const [{ values, jumps }] = json.trends
  expect(values).toHaveLength(45)
  expect(values[30]).toMatchObject({ build_run_id: idOf(30), build_number: '30', value: 1100 })
  expect(jumps).toEqual([
    {
      before: 1001,
      after: expect.closeTo(1100.5, 0),
      first_build_run_id: idOf(30),
      last_build_run_id: idOf(30),
      range: {
        since_build_run_id: idOf(29),
        until_build_run_id: idOf(30),
        changes: [{ id: Number(studio.world.changes!['change 30']!.id), display_identifier: 'CL 130' }],
        count: 1,
      },
      grown: [],
    },
  ])
  expect((await ask('/trends?name=unknown')).json).toEqual({ trends: [], has_more: false })
})
