import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Assistant, connectHttpPinned } from '../../../test/support/callers/assistant.ts'
import { listen } from '../../../test/support/callers/listening.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { SCOPES } from '../../contract/sets.ts'

const PATH = '/api/v1/workspace/events/stream'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tasks: [{ key: 'sky', project: 'star', title: 'Sky' }],
    tokens: ['kim', 'other', 'assistant', 'refused'].map((key) => ({ key, user: 'kim', name: key, scopes: SCOPES })),
  })
})
afterAll(() => studio.close())

const tokenOf = (key: string) => studio.world.tokens![key]!.token as string
const follow = (key: string, query = '') => listen({ site: studio.site, token: tokenOf(key), query })
const opens = async (key: string) => {
  const stream = await follow(key)
  stream.stop()
  await stream.ended
  return stream.status === 200
}

describe('a token', () => {
  test('has at most ten streams at once, even if more are opened at the same moment, and another when one ends', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, () => follow('kim')))
    const open = all.filter(({ status }) => status === 200)
    expect(open).toHaveLength(10)
    expect(all.filter(({ status }) => status === 429)).toHaveLength(20)

    const { status, json, headers } = await studio.ask(PATH, { token: tokenOf('kim') })
    expect([status, json, headers.get('retry-after')]).toEqual([
      429,
      {
        error: 'too_many_streams',
        message: 'This token has 10 event streams open, which is the limit. Close one, or use another token.',
        limit: 10,
      },
      '30',
    ])
    // Another token of the same person has its own.
    expect(await opens('other')).toBe(true)

    open[0]!.stop()
    await until(() => opens('kim'))
    for (const stream of open) stream.stop()
  })

  test('is not charged for refused streams', async () => {
    for (let n = 0; n < 12; n++) expect((await follow('refused', 'event_type=nonsense')).status).toBe(422)
    for (let n = 0; n < 12; n++) expect((await follow('refused', 'account_id=999999')).status).toBe(404)
    expect(await opens('refused')).toBe(true)
  })

  test('shares the ten with the streams of assistants', async () => {
    const assistants: Assistant[] = []
    const subscribe = async () => {
      const assistant = await connectHttpPinned(studio.site, tokenOf('assistant'))
      assistants.push(assistant)
      const uri = `goldmaster://projects/${studio.world.projects.star!.id}/tasks/${studio.world.tasks!.sky!.id}`
      return assistant.client.listen({ resourceSubscriptions: [uri] })
    }
    const listening = await Promise.all(Array.from({ length: 10 }, subscribe))
    await expect(subscribe()).rejects.toThrow('This token has 10 event streams open')
    expect((await follow('assistant')).status).toBe(429)
    await Promise.all(listening.map((each) => each.close()))
    await until(() => opens('assistant'))
    for (const { client } of assistants) await client.close()
  })
})
