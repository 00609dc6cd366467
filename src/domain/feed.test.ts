import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../test/studio.ts'
import { EVENT_TYPES, SCOPES } from '../contract/sets.ts'
import type { Event } from '../contract/shapes.ts'
import { sql } from '../db/database.ts'

const hour = 3_600_000
const now = Date.now()
/** Four rows share each hour, over all sources, so that ties cross tables. */
const ago = (i: number) => new Date(Math.floor(now / hour) * hour - Math.floor(i / 4) * hour).toISOString()
const N = 24
const rows = <T>(make: (i: number) => T) => Array.from({ length: N }, (_, i) => make(i))

const pipeline = (project: string) => ({
  changes: rows((i) => ({
    project,
    identifier: `${i}${project}`.padEnd(40, 'a'),
    source_type: 'GitCommit',
    author: `Kim Doe <kim${i}@example.com>`,
    description: `Paint ${i} for boss@example.com\nmore`,
    timestamp: ago(i),
    orphaned_at: i === 3 ? ago(0) : null,
  })),
  build_runs: rows((i) => ({
    project,
    status: ['completed', 'failed', 'passed_pending_approval', 'building'][i % 4],
    ci_job_name: 'Night Build',
    build_number: String(i),
    started_at: ago(i),
    finished_at: i % 4 === 3 ? null : ago(i),
    created_at: ago(i),
  })),
  assets: rows((i) => ({
    project,
    name: `T_${i}.png`,
    path: `${i}.png`,
    asset_type: 'texture',
    approvals: [
      {
        status: ['pending', 'approved', 'denied', 'ignored'][i % 4],
        stage: 'review',
        created_at: ago(i),
        ...(i % 4 ? { approver: 'kim', decided_at: ago(i) } : {}),
      },
    ],
  })),
  deployments: rows((i) => ({ project, platform: 'steam', version: `1.${i}`, status: 'live', created_at: ago(i) })),
  tasks: rows((i) => ({
    project,
    title: `Task ${i}`,
    state: i % 2 ? 'completed' : 'in_progress',
    assignee_handle: i % 3 ? null : 'cook-doctor',
    user: i % 3 === 1 ? 'kim' : null,
    created_at: ago(i + 8),
    updated_at: ago(i),
  })),
})
const [star, moon, fox] = [pipeline('star'), pipeline('moon'), pipeline('fox')]
const together = (kind: keyof typeof star) => [...star[kind], ...moon[kind], ...fox[kind]]

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [
      { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true, timezone: 'America/New_York' },
      { key: 'fox', name: 'Red Fox', plan: 'enterprise', payment_method: true },
      { key: 'small', name: 'Small', plan: 'free' },
    ],
    users: [
      {
        key: 'kim',
        email: 'kim@example.com',
        name: 'Kim Member',
        accounts: { owl: 'owner', small: 'owner', fox: 'member' },
        default_account: 'owl',
      },
      { key: 'lee', email: 'lee@example.com', name: 'Lee', accounts: { small: 'owner' } },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall' },
      { key: 'moon', account: 'owl', name: 'Moonrise', status: 'paused' },
      { key: 'fox', account: 'fox', name: 'Foxhole' },
    ],
    tokens: [
      { key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES },
      { key: 'lee', user: 'lee', name: 'lee', scopes: SCOPES },
    ],
    changes: together('changes'),
    build_runs: together('build_runs'),
    assets: together('assets'),
    deployments: together('deployments'),
    tasks: together('tasks'),
  })
})
afterAll(() => studio.close())

const id = (kind: string, key: string) => studio.world[kind as 'projects']![key]!.id as number
const ask = (query = '', token = 'kim') =>
  studio.ask(`/api/v1/workspace/events${query && `?${query}`}`, { token: studio.world.tokens![token]!.token as string })

async function walk(query: string, between = async () => {}): Promise<Event[]> {
  const seen: Event[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, json } = await ask(`${query}${cursor && `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    seen.push(...json.events)
    expect(json.pagination.next_cursor === null).toBe(!json.pagination.has_more)
    cursor = json.pagination.next_cursor
    await between()
  }
  return seen
}
const keys = (events: Event[]) => events.map((event) => event.cursor_key)
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
    ...EVENT_TYPES,
    'build_run.*',
    'approval.*',
    'approval.denied,approval.ignored',
    'change.submitted,build_run.failed',
  ])('filtered by %s it is the whole feed filtered', async (filter) => {
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

  test('events that arrive meanwhile disturb nothing that was there', async () => {
    const before = keys(await walk('limit=50'))
    const [account, project] = [id('accounts', 'owl'), id('projects', 'star')]
    const walked = keys(
      await walk('limit=7', async () => {
        for (const at of [new Date().toISOString(), ago(9)])
          await studio.db.count(
            sql`insert into deployments (account_id, project_id, platform, version, created_at) values (${account}, ${project}, 'custom', 'late', ${at})`,
          )
      }),
    )
    expect(walked.filter((key) => before.includes(key))).toEqual(before)
    await studio.db.count(sql`delete from deployments where version = 'late'`)
  })

  test('several types may come as a list under either name, not under both', async () => {
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

describe('what an event says', () => {
  const find = async (type: string, target: string) =>
    (await walk(`limit=50&event_type=${type}`)).find((event) => event.target_ref === target)

  test('a change names its sanitized author and its first line', async () => {
    const change = (await walk('limit=50&event_type=change.submitted')).at(-1)!
    expect(change).toMatchObject({
      actor: 'Kim Doe',
      status: 'info',
      url: expect.stringMatching(/^\/projects\/\d+\/changes\/\d+$/),
    })
    expect(change.message).toBe(
      `Kim Doe submitted ${change.target_ref}: Paint ${change.message.match(/Paint (\d+)/)![1]} for boss`,
    )
  })

  test('builds, approvals, tasks and deployments carry their pills and references', async () => {
    expect(await find('build_run.failed', 'Night Build #1')).toMatchObject({
      status: 'err',
      actor: 'system',
      message: expect.stringContaining('Night Build #1 failed'),
    })
    expect(await find('build_run.completed', 'Night Build #2')).toMatchObject({ status: 'warn' })
    expect(await find('build_run.completed', 'Night Build #0')).toMatchObject({ status: 'ok' })
    expect(await find('approval.requested', 'T_0.png')).toMatchObject({ status: 'warn', actor: 'system' })
    expect(await find('approval.granted', 'T_1.png')).toMatchObject({ status: 'ok', actor: `user:${id('users', 'kim')}` })
    expect(await find('approval.denied', 'T_2.png')).toMatchObject({ status: 'err' })
    expect(await find('approval.ignored', 'T_3.png')).toMatchObject({ status: 'neutral' })
    expect(await find('deployment.created', 'steam 1.0')).toMatchObject({ status: 'info', message: 'steam 1.0 is live' })
    const tasks = await walk('limit=50&event_type=task.state_changed')
    expect(new Set(tasks.map((event) => event.actor))).toEqual(
      new Set(['agent:cook-doctor', `user:${id('users', 'kim')}`, 'system']),
    )
  })

  test("no member's name and no address appears anywhere", async () => {
    const text = JSON.stringify(await walk('limit=50'))
    expect(text).not.toContain('Kim Member')
    expect(text).not.toContain('@')
  })
})

describe('parameters', () => {
  const refused = async (query: string) => {
    const { status, json } = await ask(query)
    return [status, json.error]
  }

  test('days_back is clamped on both sides, since on the far one', async () => {
    await studio.db.count(sql`update deployments set created_at = now() - interval '80 days' where version = '1.23'`)
    const old = async (query: string) =>
      (await walk(`limit=50&event_type=deployment.created&${query}`)).some((event) => event.target_ref === 'steam 1.23')
    expect(await old('days_back=7')).toBe(false)
    expect(await old('days_back=90')).toBe(true)
    expect(await old('days_back=9999')).toBe(true)
    expect(await old('days_back=-4')).toBe(false)
    expect(await old('since=1999-01-01T00:00:00Z')).toBe(true)
    expect(await old('since=1999-01-01T00:00:00Z&days_back=1')).toBe(true)
    for (const bad of ['', 'x', '1.5', '1e2']) expect(await refused(`days_back=${bad}`)).toEqual([422, 'invalid_parameter'])
  })

  test("since without an offset is read in the account's own zone, daylight saving included", async () => {
    const wallClock = (at: Date) =>
      new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/New_York', dateStyle: 'short', timeStyle: 'medium' })
        .format(at)
        .replace(' ', 'T')
    const seen = async (since: string) =>
      (await walk(`limit=50&event_type=deployment.created&since=${encodeURIComponent(since)}`)).map((event) => event.target_ref)
    // Every eleventh day back: whenever this runs within seven weeks of a change of the clocks, both sides of it are asked.
    // At noon in London: an hour that happens twice on the day of a change would have two answers.
    for (let days = 3; days < 88; days += 11) {
      const at = new Date(Math.floor(now / (24 * hour)) * 24 * hour + 12 * hour - days * 24 * hour)
      await studio.db.count(sql`insert into deployments (account_id, project_id, platform, version, created_at)
        values (${id('accounts', 'owl')}, ${id('projects', 'star')}, 'custom', ${`day ${days}`}, ${at.toISOString()})`)
      expect(await seen(wallClock(at))).toContain(`custom day ${days}`)
      expect(await seen(wallClock(new Date(at.getTime() + 1000)))).not.toContain(`custom day ${days}`)
      expect(await seen(at.toISOString().replace('.000Z', '+00:00'))).toContain(`custom day ${days}`)
    }
    await studio.db.count(sql`delete from deployments where platform = 'custom'`)
  })

  test('since needs a time, and a plus sign its escape', async () => {
    for (const bad of ['2026-11-01', '', 'yesterday', '2026-11-01T12:00:00+02:00', '2026-11-01T25:00'])
      expect(await refused(`since=${bad}`), bad).toEqual([422, 'invalid_parameter'])
    expect((await ask('since=2026-11-01T12:00:00%2B02:00')).status).toBe(200)
  })

  test('an unknown event type names the known ones', async () => {
    for (const bad of [
      '',
      'build',
      'build.*',
      '*',
      '.*',
      'build_run.',
      'BUILD_RUN.FAILED',
      'build_run.failed,',
      'build_run.*,x',
    ]) {
      const { status, json } = await ask(`event_type=${bad}`)
      expect({ status, ...json }, bad).toMatchObject({ status: 422, error: 'invalid_event_type', valid_event_types: EVENT_TYPES })
    }
  })

  test('lists and objects are of the wrong type everywhere but in event types', async () => {
    for (const query of ['limit[]=1', 'since[x]=1', 'project_id=1&project_id=2', 'account_id[]=1', 'event_type[x]=task.*'])
      expect(await refused(query), query).toEqual([422, 'invalid_parameter_type'])
  })

  test('an account is named by number or prefix; a foreign one is not there', async () => {
    const owl = id('accounts', 'owl')
    const own = keys((await ask()).json.events)
    for (const name of [owl, `acct_${owl}`]) expect(keys((await ask(`account_id=${name}`)).json.events)).toEqual(own)
    expect(keys((await ask(`account_id=${id('accounts', 'fox')}`)).json.events)).not.toEqual(own)
    for (const name of ['999999', 'acct_', `account_${owl}`, 'owl', '', '0'])
      expect(await refused(`account_id=${name}`), name).toEqual([404, 'not_found'])
    expect((await ask(`account_id=${owl}`, 'lee')).status).toBe(404)
  })

  test('a project must belong to the account', async () => {
    for (const project of [id('projects', 'fox'), 999999, 'x', `proj_${id('projects', 'star')}`, ''])
      expect(await refused(`project_id=${project}`), String(project)).toEqual([404, 'not_found'])
  })

  test('names outrank the account, the account its plan, the plan values, values the project, the project the cursor', async () => {
    const small = id('accounts', 'small')
    expect(await refused('account_id=999999&surprise=1')).toEqual([422, 'unknown_parameter'])
    expect(await refused('account_id=999999&limit=x')).toEqual([404, 'not_found'])
    expect((await ask(`account_id=${small}&limit=x`)).status).toBe(403)
    expect(await refused('limit=x&project_id=999999')).toEqual([422, 'invalid_parameter'])
    expect(await refused('project_id=999999&cursor=x')).toEqual([404, 'not_found'])
    expect(await refused('cursor=x')).toEqual([400, 'invalid_cursor'])
  })
})

test('a plan below Team is told so in two fields', async () => {
  const { status, json } = await ask(`account_id=${id('accounts', 'small')}`)
  expect(status).toBe(403)
  expect(json).toEqual({ error: expect.stringContaining('account_id'), upgrade_url: 'https://gold.example/settings/billing' })
  expect((await ask('', 'lee')).status).toBe(403)
})

describe('the rollup', () => {
  test('stands on the first unfiltered page only', async () => {
    const { json } = await ask('limit=5&days_back=30')
    expect(json.rollup).toEqual({
      changes_24h: expect.any(Number),
      builds_passed_24h: expect.any(Number),
      builds_failed_24h: expect.any(Number),
      open_tasks: N,
      total_projects: 2,
      active_projects: 1,
    })
    const star = id('projects', 'star')
    for (const query of [
      `cursor=${json.pagination.next_cursor}`,
      `since=2026-01-01T00:00:00Z`,
      'event_type=task.*',
      'event_types=task.*',
      `project_id=${star}`,
    ])
      expect((await ask(query)).json).toHaveProperty('rollup', null)
  })
})
