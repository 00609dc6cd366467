import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTools, type Tools } from '../../../test/support/tools.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

describe('a deployment', () => {
  test('follows its status words, stores an unknown one with a warning, and finds its build', async () => {
    const built = await tools.post(`ci?token=${tools.tokenOf('jenkins')}`, {
      job_name: 'ship',
      build_number: 300,
      status: 'SUCCESS',
    })
    const say = (event: string) =>
      tools.deployment({
        platform: 'steamworks',
        event,
        build_number: 300,
        steam_app_id: '480',
      })
    const first = await say('upload_started')
    const id = first.json.records[0].id
    const status = async () => await tools.api(`deployments/${id}`)
    expect(await status()).toMatchObject({
      platform: 'steam',
      status: 'uploading',
      external_id: '480',
      build_run_id: String(built.json.records[0].id),
    })
    expect((await say('uploaded')).json.records).toEqual([{ type: 'deployment', id }])
    expect(await status()).toMatchObject({ status: 'approved', deployed_at: expect.any(String) })
    const odd = await say('teleported')
    expect(odd).toMatchObject({ status: 200, json: { status: 'processed', warning: expect.any(String) } })
    expect(await status()).toMatchObject({ status: 'approved' })
    await say('released')
    expect(await status()).toMatchObject({ status: 'live', live_at: expect.any(String) })
  })

  test('that goes live again has the time of the last release, and still that of the first upload', async () => {
    const say = async (event: string, hour: number) => {
      const timestamp = new Date(Date.UTC(2026, 9, 1, hour)).toISOString()
      const { json } = await tools.deployment({ platform: 'steam', event, build_number: 301, timestamp })
      return tools.api(`deployments/${json.records[0].id}`)
    }
    await say('uploaded', 8)
    expect((await say('live', 9)).live_at).toBe('2026-10-01T09:00:00.000Z')
    expect((await say('rolled_back', 10)).live_at).toBe('2026-10-01T09:00:00.000Z')
    expect(await say('live', 11)).toMatchObject({
      status: 'live',
      deployed_at: '2026-10-01T08:00:00.000Z',
      live_at: '2026-10-01T11:00:00.000Z',
    })
  })

  test.each([
    ['steam', ['steam', 'steamworks', 'Steamworks']],
    ['reddit_devvit', ['reddit_devvit', 'reddit', 'devvit']],
    ['youtube_playables', ['youtube_playables', 'youtube', 'playables']],
    ['epic_games_store', ['epic_games_store', 'epic', 'epic_games']],
    ['google_play', ['google_play', 'google', 'android']],
    ['apple_app_store', ['apple_app_store', 'apple', 'ios', 'app_store']],
    ['unity_cloud', ['unity_cloud', 'unity']],
    ['custom', ['custom', 'itch', 'constructor']],
  ])('to %s is recorded as that under each of its names', async (platform, names) => {
    for (const name of names) {
      const { status, json } = await tools.deployment({ platform: name, event: 'created', build_number: `${platform}-${name}` })
      expect(status, name).toBe(200)
      expect(await tools.api(`deployments/${json.records[0].id}`), name).toMatchObject({ platform, status: 'pending' })
    }
  })

  test('of an app in review is reported by the store itself', async () => {
    const say = (id: string, newValue: string) =>
      tools.deployment({
        data: {
          type: 'appStoreVersionAppVersionStateUpdated',
          id,
          version: 1,
          attributes: { newValue, oldValue: 'PREPARE_FOR_SUBMISSION', timestamp: '2026-10-01T10:00:00Z' },
          relationships: { instance: { data: { type: 'appStoreVersions', id: 'version-1' } } },
        },
      })
    const { json } = await say('1', 'WAITING_FOR_REVIEW')
    const status = async () => (await tools.api(`deployments/${json.records[0].id}`)).status
    expect(await status()).toBe('submitted')
    for (const [id, word, becomes] of [
      ['2', 'IN_REVIEW', 'in_review'],
      ['3', 'REJECTED', 'rejected'],
      ['4', 'READY_FOR_DISTRIBUTION', 'live'],
    ] as const) {
      expect((await say(id, word)).json.records).toEqual(json.records)
      expect(await status()).toBe(becomes)
    }
    expect((await say('4', 'READY_FOR_DISTRIBUTION')).json.status).toBe('duplicate')
  })

  test('of Unity Build Automation is a build in the CI intake', async () => {
    const body = {
      projectName: 'Star',
      buildTargetName: 'ios',
      buildNumber: 7,
      buildStatus: 'success',
      startedBy: 'K <k@owl.example>',
    }
    const headers = { 'x-unitycloudbuild-event': 'ProjectBuildSuccess', 'x-unitycloudbuild-deliveryid': 'a' }
    const { json } = await tools.post(`ci?token=${tools.tokenOf('jenkins')}`, body, headers)
    expect(json.records).toMatchObject([{ type: 'build_run' }])
    expect(await tools.api(`build_runs/${json.records[0].id}`)).toMatchObject({
      status: 'completed',
      build_type: 'unity',
      build_number: '7',
    })
    const shipped = await tools.deployment(body)
    expect(shipped.json.records).toMatchObject([{ type: 'deployment' }])
    expect((await tools.api(`deployments/${shipped.json.records[0].id}`)).platform).toBe('unity_cloud')
  })
})
