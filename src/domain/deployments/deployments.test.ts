import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { DEPLOYMENT_STATUSES, PLATFORMS } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    integrations: [{ key: 'store', project: 'star', provider: 'deployment' }],
    build_runs: [
      { key: 'b', project: 'star', status: 'completed', commit_hash: 'abc', ci_job_name: 'night', output_log: 'secret' },
      { key: 'unused', project: 'star' },
      { key: 'moons', project: 'moon' },
    ],
    deployments: [
      {
        key: 'full',
        project: 'star',
        integration: 'store',
        platform: 'steam',
        status: 'live',
        branch: 'beta',
        track: 'Beta',
        version: '1.0',
        external_id: 480,
        external_build_id: '99',
        build_run: 'b',
        submitted_at: '2026-01-01',
        deployed_at: '2026-01-02',
        live_at: '2026-01-03',
        created_at: '2027-01-01',
        updated_at: '2027-01-02',
      },
      { key: 'bare', project: 'star', platform: 'custom', created_at: '2025-01-01', updated_at: '2025-01-01' },
      ...DEPLOYMENT_STATUSES.map((status, i) => ({
        key: status,
        project: 'moon',
        platform: PLATFORMS[i],
        status,
        version: status,
        build_run: i < 3 ? 'moons' : null,
        created_at: '2026-01-01',
      })),
    ],
  })
})
afterAll(() => studio.close())

const { id, inside } = visitor(() => studio)
const numberOf = async (key: string) =>
  (await studio.db.one<{ number: number }>(sql`select number from deployments where id = ${id('deployments', key)}`))!.number

describe('a deployment', () => {
  test('has its fields and its build', async () => {
    const { json } = await inside(`/deployments/${id('deployments', 'full')}`)
    expect(json).toEqual({
      id: id('deployments', 'full'),
      platform: 'steam',
      store: 'steam',
      track: 'beta',
      status: 'live',
      branch: 'beta',
      version: '1.0',
      external_id: '480',
      external_build_id: '99',
      build_run_id: id('build_runs', 'b'),
      integration_id: Number(id('integrations', 'store')),
      submitted_at: '2026-01-01T00:00:00.000Z',
      deployed_at: '2026-01-02T00:00:00.000Z',
      live_at: '2026-01-03T00:00:00.000Z',
      current: true,
      replaced_by: null,
      created_at: '2027-01-01T00:00:00.000Z',
      updated_at: '2027-01-02T00:00:00.000Z',
      build_run: { id: id('build_runs', 'b'), status: 'completed', commit_hash: 'abc', ci_job_name: 'night' },
    })
  })

  test('without any report yet has nulls for times, build and integration', async () => {
    expect((await inside(`/deployments/${id('deployments', 'bare')}`)).json).toMatchObject({
      status: 'pending',
      branch: '',
      version: '',
      external_id: '',
      external_build_id: '',
      build_run_id: null,
      integration_id: null,
      submitted_at: null,
      deployed_at: null,
      live_at: null,
      build_run: null,
    })
  })

  test('is found by its id in any case, and by its number', async () => {
    const number = await numberOf('full')
    for (const name of [id('deployments', 'full'), id('deployments', 'full').toUpperCase(), String(number)])
      expect((await inside(`/deployments/${name}`)).json.id, name).toBe(id('deployments', 'full'))
  })

  test("is not found by another project's number", async () => {
    expect((await inside(`/deployments/${await numberOf('live')}`)).status).toBe(404)
    for (const wrong of [`0${await numberOf('full')}`, `${await numberOf('full')}.0`, '99999999999'])
      expect((await inside(`/deployments/${wrong}`)).status, wrong).toBe(404)
  })

  test('stays without its build when the build is deleted', async () => {
    const { build_runs, deployments } = await studio.load({
      build_runs: [{ key: 'gone', project: id('projects', 'den') }],
      deployments: [{ key: 'stays', project: id('projects', 'den'), build_run: 'gone' }],
    })
    await studio.db.execute(sql`delete from build_runs where id = ${build_runs!.gone!.id}`)
    const { json } = await inside(`/deployments/${deployments!.stays!.id}`, { project: 'den', as: 'rival' })
    expect(json).toMatchObject({ build_run_id: null, build_run: null })
  })
})

describe('the list of deployments', () => {
  const versions = async (query: string) => {
    const { status, json, text } = await inside(`/deployments?limit=50&${query}`, { project: 'moon' })
    expect(status, text).toBe(200)
    return json.deployments.map((one: { version: string }) => one.version)
  }

  test('sorts ties by number, newest first', async () => {
    expect(await versions('')).toEqual([...DEPLOYMENT_STATUSES].reverse())
  })

  test('is filtered by status, platform, build and all of them', async () => {
    for (const [i, status] of DEPLOYMENT_STATUSES.entries()) {
      expect(await versions(`status=${status}`)).toEqual([status])
      expect(await versions(`platform=${PLATFORMS[i]}`)).toEqual([status])
    }
    const build = id('build_runs', 'moons')
    expect(await versions(`build_run_id=${build}`)).toEqual(['uploading', 'submitted', 'pending'])
    expect(await versions(`build_run_id=${build}&status=pending&platform=${PLATFORMS[0]}`)).toEqual(['pending'])
    expect(await versions(`build_run_id=${build}&status=live`)).toEqual([])
  })

  test('is empty for a build without deployments, whatever the value', async () => {
    const wrong = [
      id('build_runs', 'unused'),
      id('build_runs', 'b'),
      '2000000000',
      '99999999999999999999',
      'x',
      '',
      '0',
      '-1',
      '%00',
    ]
    for (const build of wrong) expect(await versions(`build_run_id=${build}`), build).toEqual([])
  })

  test('accepts one status and one platform, by their own names', async () => {
    expect((await inside('/deployments?status=live,pending')).json.error).toBe('invalid_status')
    for (const platform of ['steamworks', 'ios', 'Steam'])
      expect((await inside(`/deployments?platform=${platform}`)).json).toMatchObject({
        error: 'invalid_platform',
        valid_platforms: [...PLATFORMS],
      })
  })

  test('has entries without the build itself', async () => {
    const { build_run, ...entry } = (await inside(`/deployments/${id('deployments', 'full')}`)).json
    expect((await inside('/deployments?limit=1')).json.deployments).toEqual([entry])
    expect(build_run.id).toBe(entry.build_run_id)
  })
})
