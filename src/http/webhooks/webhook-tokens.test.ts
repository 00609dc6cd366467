import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTools, push, type Tools } from '../../../test/support/tools.ts'
import { PROVIDERS } from '../../contract/sets.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

describe('the token', () => {
  test.each(PROVIDERS)('of %s is refused if missing or malformed, and unknown if it belongs to nobody', async (provider) => {
    const path = provider === 'game_engine' ? 'game_engine/build_completed' : provider
    for (const token of ['', '?token=', '?token=abc', `?token=${'g'.repeat(64)}`])
      expect((await tools.post(`${path}${token}`, {})).status, token).toBe(401)
    expect((await tools.post(`${path}?token=${'0'.repeat(64)}`, {})).status).toBe(404)
    const other = provider === 'github' ? 'jira' : 'github'
    expect((await tools.post(`${path}?token=${tools.tokenOf(other)}`, {})).status).toBe(404)
  })

  test('of an inactive integration is unknown', async () => {
    expect((await tools.github(push([]), {}, 'off')).status).toBe(404)
  })

  test('of a paused or archived project is refused with 403', async () => {
    const report = { job_name: 'night', build_number: 1, status: 'SUCCESS' }
    for (const key of ['paused', 'archived'])
      expect(await tools.post(`jenkins?token=${tools.tokenOf(key)}`, report)).toMatchObject({
        status: 403,
        json: { error: 'project_inactive' },
      })
  })

  test('is accepted in the headers of each tool, and a header is preferred to the query', async () => {
    const report = (n: number) => ({ job_name: 'headers', build_number: n, status: 'SUCCESS' })
    const basic = `Basic ${Buffer.from(`ci:${tools.tokenOf('jenkins')}`).toString('base64')}`
    expect((await tools.post('jenkins', report(1), { 'x-webhook-token': tools.tokenOf('jenkins') })).status).toBe(200)
    expect((await tools.post('ci', report(2), { authorization: basic })).status).toBe(200)
    expect((await tools.post(`ci?token=${tools.tokenOf('jenkins')}`, report(3))).status).toBe(200)
    expect((await tools.post('jenkins', report(4), { 'x-service-token': tools.tokenOf('jenkins') })).status).toBe(401)
    expect((await tools.post(`ci?token=${tools.tokenOf('jenkins')}`, report(5), { 'x-webhook-token': 'nonsense' })).status).toBe(
      401,
    )
    const headers = { 'x-github-event': 'ping', 'x-github-delivery': randomUUID() }
    expect((await tools.post('github', { zen: 'x' }, { ...headers, 'x-service-token': tools.tokenOf('github') })).status).toBe(
      200,
    )
    expect((await tools.post('github', {}, { ...headers, 'x-webhook-token': tools.tokenOf('github') })).status).toBe(401)
    expect((await tools.post('deployment', {}, { 'x-service-token': tools.tokenOf('deployment') })).status).toBe(401)
  })

  test('of Perforce may be in its form', async () => {
    const raw = `changelist=4410&token=${tools.tokenOf('perforce')}`
    const answer = await tools.studio.ask('/webhooks/perforce', {
      method: 'POST',
      raw,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(answer).toMatchObject({ status: 202, json: { status: 'accepted', delivery_id: expect.any(String) } })
  })

  test('of Perforce is not searched in a form of more than 64 KiB', async () => {
    const form = (length: number) => {
      const start = `token=${tools.tokenOf('perforce')}&changelist=4411&description=`
      return start + 'x'.repeat(length - start.length)
    }
    const post = (raw: string) =>
      tools.studio.ask('/webhooks/perforce', {
        method: 'POST',
        raw,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    expect((await post(form(64 * 1024))).status).toBe(202)
    expect((await post(form(64 * 1024 + 1))).status).toBe(401)
  })

  test('an API token is not a webhook token', async () => {
    expect((await tools.post('ci', {}, { 'x-webhook-token': tools.studio.world.tokens.all!.token })).status).toBe(401)
  })
})
