import { describe, expect, test } from 'vitest'
import { ago, keys, N, openNewsroom } from '../../../test/support/studios/newsroom.ts'
import { FEED_EVENT_TYPES } from '../../contract/events.ts'
import { sql } from '../../db/database.ts'

const { studio, id, ask, walk } = openNewsroom()

// Each project: 23 changes, 18 finished builds, 24 approvals, deployments and tasks.
const PER_PROJECT = N - 1 + (N / 4) * 3 + 3 * N

describe('walking', () => {
  test('pages of every size give the same events, ties across sources included', async () => {
    const whole = await walk('limit=50')
    expect(whole).toHaveLength(2 * PER_PROJECT)
    expect(new Set(keys(whole)).size).toBe(whole.length)
    const times = whole.map((event) => event.timestamp)
    expect(times).toEqual(times.toSorted().reverse())
    for (const limit of [1, 7, 20]) expect(keys(await walk(`limit=${limit}`))).toEqual(keys(whole))
  })

  test.each([
    'project',
    ...FEED_EVENT_TYPES,
    'build_run.*',
    'approval.*',
    'approval.denied,approval.ignored',
    'change.submitted,build_run.failed',
  ])('filtered by %s equals the whole feed filtered', async (filter) => {
    const whole = await walk('limit=50')
    const star = id('projects', 'star')
    const wanted =
      filter === 'project'
        ? whole.filter((event) => event.project_id === star)
        : whole.filter((event) =>
            filter
              .split(',')
              .some(
                (type) => type === event.event_type || (type.endsWith('.*') && event.event_type.startsWith(type.slice(0, -1))),
              ),
          )
    const query = filter === 'project' ? `project_id=${star}` : `event_type=${filter}`
    expect(wanted.length).toBeGreaterThan(0)
    for (const limit of [1, 7, 50]) expect(keys(await walk(`limit=${limit}&${query}`))).toEqual(keys(wanted))
  })

  test('events that arrive meanwhile do not affect existing ones', async () => {
    const before = keys(await walk('limit=50'))
    const [account, project] = [id('accounts', 'owl'), id('projects', 'star')]
    const walked = keys(
      await walk('limit=7', async () => {
        for (const at of [new Date().toISOString(), ago(9)])
          await studio().db.execute(
            sql`insert into deployments (account_id, project_id, platform, version, created_at) values (${account}, ${project}, 'custom', 'late', ${at})`,
          )
      }),
    )
    expect(walked.filter((key) => before.includes(key))).toEqual(before)
    await studio().db.execute(sql`delete from deployments where version = 'late'`)
  })

  test('several types may be sent as a list under either name, not under both', async () => {
    const type = 'build_run.failed'
    const one = keys(await walk(`limit=50&event_type=${type},task.*`))
    for (const query of [
      `event_types=${type}&event_types=task.*`,
      `event_types[]=${type}&event_types[]=task.*`,
      `event_type[]=${type},task.*`,
    ])
      expect(keys(await walk(`limit=50&${query}`))).toEqual(one)
    expect(await ask(`event_type=${type}&event_types=task.*`)).toMatchObject({
      status: 422,
      json: { error: 'invalid_parameter' },
    })
  })
})
