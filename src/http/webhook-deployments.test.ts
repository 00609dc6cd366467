import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTools, type Tools } from '../../test/tools.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

describe('a deployment', () => {
  test('follows its words, keeps an unknown one with a warning, and finds its build', async () => {
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
})
