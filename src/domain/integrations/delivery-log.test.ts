import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moveTimes } from '../../../test/support/aging.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { PROVIDERS } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { replay } from '../../intake/deliveries/replay.ts'
import { showDelivery } from '../../intake/deliveries/show-delivery.ts'
import { testDelivery } from '../../intake/deliveries/test-delivery.ts'
import { purge } from '../retention/retention.ts'
import * as log from './delivery-log.ts'
import { failingJobs, health } from './health.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall' },
      { key: 'moon', account: 'owl', name: 'Moonrise' },
    ],
    integrations: [
      ...PROVIDERS.map((provider) => ({ key: provider, project: 'star', provider })),
      { key: 'other', project: 'moon', provider: 'jenkins' },
      { key: 'tried', project: 'moon', provider: 'jenkins' },
    ],
  })
})
afterAll(() => studio.close())

const idOf = (key: string) => studio.world.integrations![key]!.id as number
const post = (key: string, path: string, body: object, headers = {}) =>
  studio.ask(`/webhooks/${path}?token=${studio.world.integrations![key]!.webhook_token}`, { method: 'POST', body, headers })
const ci = (key: string, number: number, more: object = {}) =>
  post(key, 'ci', { job_name: 'night', build_number: number, status: 'SUCCESS', ...more })

describe('the delivery log', () => {
  test('lists deliveries newest first, paged and filtered', async () => {
    for (let number = 0; number < 5; number++) await ci('tried', number)
    await ci('tried', 4)
    await ci('tried', 9, { status: 'EXPLODED' })
    const integration_id = idOf('tried')
    const first = await log.list(studio.db, { integration_id, limit: 4 })
    expect(first.deliveries.map(({ outcome, status }) => [outcome, status])).toEqual([
      ['failed', 422],
      ['duplicate', 200],
      ['processed', 200],
      ['processed', 200],
    ])
    expect(first.has_more).toBe(true)
    const second = await log.list(studio.db, { integration_id, limit: 4, before: first.deliveries.at(-1)!.id })
    expect(second).toMatchObject({ has_more: false })
    expect(second.deliveries).toHaveLength(3)
    expect(first.deliveries[0]).toMatchObject({
      provider: 'jenkins',
      path: 'ci',
      event: 'build report',
      message: expect.stringContaining('success'),
    })
    const count = async (filter: log.Filter) => (await log.list(studio.db, { integration_id, ...filter })).deliveries.length
    expect(await count({ outcome: 'duplicate' })).toBe(1)
    expect(await count({ event: 'build report' })).toBe(1)
    expect(await count({ since: new Date(Date.now() + 3_600_000).toISOString() })).toBe(0)
    expect(await count({ until: new Date(Date.now() - 3_600_000).toISOString() })).toBe(0)
    expect(await count({ project_id: studio.world.projects!.star!.id })).toBe(0)
  })

  test('shows a delivery without addresses and secrets, and only to its own project', async () => {
    const { json } = await post(
      'perforce',
      'perforce',
      { changelist: 77, user: 'kim@example.com', token: 'abc' },
      { 'x-note': 'kim@example.com' },
    )
    const shown = await showDelivery(studio.db, Number(json.delivery_id), {
      account_id: studio.world.accounts!.owl!.id,
      project_id: studio.world.projects!.star!.id,
    })
    expect(shown).toMatchObject({ outcome: 'accepted', status: 202, event: 'change-commit', body_cut: false })
    expect(shown.headers).toMatchObject({ 'content-type': 'application/json', 'x-note': 'kim' })
    expect(JSON.parse(shown.body!)).toEqual({ changelist: 77, user: 'kim', token: '[removed]' })
    await expect(
      showDelivery(studio.db, shown.id, {
        account_id: studio.world.accounts!.owl!.id,
        project_id: studio.world.projects!.moon!.id,
      }),
    ).rejects.toMatchObject({
      status: 404,
    })
    await expect(showDelivery(studio.db, 999_999)).rejects.toMatchObject({ status: 404 })
  })

  test('replays a delivery, which takes effect only once', async () => {
    const { json } = await ci('other', 50)
    const again = await replay(studio.db, Number(json.delivery_id))
    expect(again).toMatchObject({ status: 'processed', records: json.records })
    expect(again.delivery_id).not.toBe(json.delivery_id)
    expect(await showDelivery(studio.db, Number(again.delivery_id))).toMatchObject({ replay_of: Number(json.delivery_id) })
    expect(await studio.db.rows(sql`select id from build_runs where build_number = '50'`)).toHaveLength(1)
    // A repeated delivery of the tool itself is still recognized.
    expect((await ci('other', 50)).json.status).toBe('duplicate')
  })

  test('drops bodies after 30 days, and then a delivery cannot be replayed', async () => {
    const [old, young] = [await ci('other', 60), await ci('other', 61)]
    const age = (id: string, days: number) =>
      studio.db.execute(sql`update deliveries set received_at = now() - make_interval(days => ${days}) where id = ${Number(id)}`)
    await age(old.json.delivery_id, 31)
    await age(young.json.delivery_id, 29)
    expect(await purge(studio.db, 'bodies', 30)).toBe(1)
    expect(await showDelivery(studio.db, Number(old.json.delivery_id))).toMatchObject({
      body: null,
      outcome: 'processed',
      bytes: expect.any(Number),
    })
    expect((await showDelivery(studio.db, Number(young.json.delivery_id))).body).toContain('night')
    await expect(replay(studio.db, Number(old.json.delivery_id))).rejects.toMatchObject({ status: 410 })
  })
})

describe('a test delivery', () => {
  /** Everything that a delivery can write except the delivery log. */
  const traces = () =>
    studio.db.one(sql`
      select (select count(*) from changes) as changes, (select count(*) from build_runs) as builds, (select count(*) from tasks) as tasks,
        (select count(*) from deployments) as deployments, (select count(*) from assets) as assets, (select count(*) from outbox) as outbox,
        (select count(*) from search_queue) as search, (select count(*) from jobs) as jobs`)

  test.each(PROVIDERS)('of %s is processed like a real one and changes nothing, also when repeated', async (provider) => {
    const before = await traces()
    const [first, second] = [await testDelivery(studio.db, idOf(provider)), await testDelivery(studio.db, idOf(provider))]
    expect([first.status, second.status]).toEqual(['processed', 'processed'])
    expect(second.note).toMatch(/^A test: it would have made \d/)
    expect(await traces()).toEqual(before)
    expect(await showDelivery(studio.db, Number(second.delivery_id))).toMatchObject({
      outcome: 'processed',
      test: true,
      records: [],
      message: second.note,
    })
  })

  test('stays a test when it is replayed, and does not count as activity of the tool', async () => {
    const [before, mine] = [await traces(), idOf('other')]
    const spoken = async () => (await health(studio.db)).find((one) => one.integration_id === mine)
    const heard = await spoken()
    const { delivery_id } = await testDelivery(studio.db, mine)
    const again = await replay(studio.db, Number(delivery_id))
    expect(await showDelivery(studio.db, Number(again.delivery_id))).toMatchObject({ test: true, replay_of: Number(delivery_id) })
    expect(await traces()).toEqual(before)
    expect(await spoken()).toEqual(heard)
  })
})

describe('integration health', () => {
  test('shows when a tool last sent something and how much of it failed', async () => {
    const [tried] = (await health(studio.db, studio.world.projects!.moon!.id)).filter(
      (one) => one.integration_id === idOf('tried'),
    )
    expect(tried).toMatchObject({
      deliveries: 7,
      failed: 1,
      error_rate: 0.143,
      last_outcome: 'failed',
      failing_jobs: 0,
      active: true,
    })
    expect(Date.now() - Date.parse(tried!.last_delivery_at!)).toBeLessThan(3_600_000)
  })

  test('lists failing jobs with their reason', async () => {
    expect((await post('lore', 'lore', { repository: 'star', revision: 'ab'.repeat(32), revision_number: 1 })).status).toBe(202)
    await studio.db.execute(sql`
      update jobs set last_error = ${'asked kim@example.com\n at x'}, attempts = 3
      where (payload ->> 'delivery_id') = (select max(id)::text from deliveries where integration_id = ${idOf('lore')})`)
    expect(await failingJobs(studio.db)).toMatchObject([
      { kind: 'ingest', integration_id: idOf('lore'), attempts: 3, given_up: false, error: 'asked kim' },
    ])
    expect((await health(studio.db)).find((one) => one.provider === 'lore')).toMatchObject({ failing_jobs: 1 })
  })

  test("counts only each tool's own deliveries of the last day", async () => {
    await moveTimes(studio.db, 'deliveries', ['received_at'], sql`interval '-25 hours'`)
    const counted = async () =>
      (await health(studio.db)).filter((one) => one.deliveries > 0).map((one) => [one.integration_id, one.deliveries])
    expect(await counted()).toEqual([])
    for (const number of [70, 71]) await ci('other', number)
    expect(await counted()).toEqual([[idOf('other'), 2]])
  })
})
