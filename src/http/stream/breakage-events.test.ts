import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../../../test/support/callers/listening.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { breakageRoom, brokenLog, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { until } from '../../../test/support/until.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())

const userId = (key: string) => studio.world.users![key]!.id as number
const token = () => studio.world.tokens!.kim!.token as string

test('a stream with include=all can be filtered to breakages, and their events have the actor', async () => {
  const { report, work, only, api, project } = await breakageRoom(studio)
  const query = (types: string) =>
    `account_id=${studio.world.accounts!.owl!.id}&project_id=${project}&include=all&event_type=${types}`
  const breakages = await listen({ site: studio.site, token: token(), query: query('breakage.*') })
  const builds = await listen({ site: studio.site, token: token(), query: query('build_run.*') })
  await report({ number: 5, log: brokenLog('part5') })
  await work()
  const { id } = await only()
  await api(`/breakages/${id}`, { owner_user_id: userId('ann') })
  await api(`/breakages/${id}`, { state: 'muted' })
  await report({ number: 6, status: 'success' })
  await work()
  await breakages.until(4)
  expect(breakages.events.map(({ event_type, actor }) => [event_type, actor])).toEqual([
    ['breakage.opened', 'system'],
    ['breakage.claimed', `user:${userId('kim')}`],
    ['breakage.muted', `user:${userId('kim')}`],
    ['breakage.fixed', 'system'],
  ])
  await until(() => builds.events.some(({ event_type }) => String(event_type) === 'build_run.fixed'))
  const types = builds.events.map(({ event_type }) => event_type)
  expect(types).toContain('build_run.failed')
  expect(types.filter((type) => !type.startsWith('build_run.'))).toEqual([])
  breakages.stop()
  builds.stop()
})

test('a type outside the feed is refused without include=all, and an unknown one always', async () => {
  const ask = (query: string) =>
    studio.ask(`/api/v1/workspace/events/stream?account_id=${studio.world.accounts!.owl!.id}&${query}`, { token: token() })
  const plain = await ask('event_type=breakage.*')
  expect([plain.status, plain.json.error]).toEqual([422, 'invalid_event_type'])
  expect(plain.json.valid_event_types).not.toContain('breakage.opened')
  const all = await ask('include=all&event_type=nonsense.*')
  expect([all.status, all.json.error]).toEqual([422, 'invalid_event_type'])
  expect(all.json.valid_event_types).toContain('breakage.opened')
})
