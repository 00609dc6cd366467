import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Issue, openTracker, TRACKERS } from '../../../test/support/servers/history-trackers.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOffAll } from '../../../test/support/work-off.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { history as monday } from '../providers/monday/history.ts'
import { startNightlyLooks } from './start-import.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
      users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
      tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    },
    { service: { allowedHosts: (host) => host === '127.0.0.1' } },
  )
})
afterAll(() => studio.close())

const NUMBERS = 130
const CLOSED = { trello: ['Archived'], asana: ['Completed'], jira: [], linear: [], monday: [] }
const at = (minutes: number) =>
  new Date(Math.floor(Date.now() / 1000) * 1000 - minutes * 60_000).toISOString().replace('.000Z', 'Z')

describe.each(TRACKERS)('$name', (tracker) => {
  const { provider } = tracker
  const states = ['To do', 'Doing', 'Done', ...CLOSED[provider]]
  /** Issues of the last month, a deleted one that the server doesn't list, and one that is too old. */
  const issues: Issue[] = Array.from({ length: NUMBERS }, (_, index) => ({
    number: index + 1,
    title: `Issue ${index + 1}`,
    state: states[index % states.length]!,
    assignee: [null, '11', '12'][index % 3]!,
    updated: at((NUMBERS - index) * 300),
  }))
  const deleted: Issue = { ...issues[0]!, number: 999, title: 'Deleted' }
  const old: Issue = { ...issues[0]!, number: 998, title: 'Old', updated: at(200 * 1440) }
  let server: Awaited<ReturnType<typeof openTracker>>
  beforeAll(async () => {
    server = await openTracker(tracker, [...issues, old])
  })
  afterAll(() => server.close())

  async function room(more: object = {}) {
    const account = studio.world.accounts.owl!.id as number
    const { projects } = await studio.load({ projects: [{ key: 'p', account, name: `Room ${Math.random()}` }] })
    const project = projects!.p!.id as number
    const { integrations } = await studio.load({ integrations: [{ key: 't', project, provider }] })
    const { id, webhook_token } = integrations!.t! as { id: number; webhook_token: string }
    await studio.db.execute(sql`
      update integrations set config = ${JSON.stringify({ ...tracker.config(server.url), ...more })}::jsonb where id = ${id}`)
    const app = (path: string, asking: { method?: string; body?: object } = {}) =>
      studio.ask(`/api/v1/projects/${project}${path}`, { token: studio.world.tokens.kim!.token as string, ...asking })
    const post = async (body: object) =>
      expect((await studio.ask(`/webhooks/${provider}?token=${webhook_token}`, { method: 'POST', body })).status).toBe(200)
    return {
      id,
      project,
      app,
      tell: async (told: Issue[]) => {
        for (const issue of told) for (const body of tracker.told(issue)) await post(body)
      },
      remove: () => post(tracker.deleted(deleted)),
      import: async () => {
        expect(await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 90 } })).toMatchObject({ status: 201 })
        await workOffAll(studio, account)
        return (await app(`/integrations/${id}/imports`)).json.imports[0]
      },
      workOff: () => workOffAll(studio, account),
      world: () =>
        studio.db.rows<Record<string, unknown>>(sql`
          select key, title, state, url, assignee_uid from external_references where project_id = ${project} and deleted_at is null
          order by length(key), key`),
      noise: () => studio.db.rows(sql`select event_type from outbox where project_id = ${project}`),
    }
  }

  test('webhooks and imports tell the same, in either order and half and half', async () => {
    const imported = await room()
    expect(await imported.import()).toMatchObject({ state: 'done', counts: { issues: { read: NUMBERS, added: NUMBERS } } })
    const expected = await imported.world()
    expect(expected.map(({ title, state, assignee_uid }) => [title, state, assignee_uid])).toEqual(
      issues.map(({ title, state, assignee }) => [title, state, assignee]),
    )
    expect(await imported.noise()).toEqual([])
    expect(await imported.import()).toMatchObject({ counts: { issues: { read: NUMBERS, added: 0 } } })

    const some = issues.slice(0, 40)
    const told = await room()
    await told.tell(some)
    const [first] = await told.world()
    if (tracker.compact) expect(first).toMatchObject({ key: expected[0]!.key, url: expected[0]!.url, assignee_uid: null })
    else expect(await told.world()).toEqual(expected.slice(0, 40))
    // Half and half, with one that was deleted meanwhile.
    await told.tell([deleted])
    await told.remove()
    expect(await told.import()).toMatchObject({ state: 'done' })
    expect(await told.world()).toEqual(expected)

    await imported.tell(some)
    expect(await imported.world()).toEqual(expected)
  })

  test('an undo deletes what only the import told', async () => {
    const { tell, import: load, app, world, workOff } = await room()
    await tell(issues.slice(0, 3))
    const { id } = await load()
    await tell(issues.slice(5, 7))
    expect(await app(`/imports/${id}/undo`, { method: 'POST' })).toMatchObject({ status: 200 })
    await workOff()
    expect((await world()).map(({ title }) => title)).toEqual(['Issue 1', 'Issue 2', 'Issue 3', 'Issue 6', 'Issue 7'])
  })

  test('a night that finds nothing new leaves nothing, and finds what webhooks lost', async () => {
    const { id, import: load, world, workOff } = await room()
    await load()
    const night = async () => {
      await studio.db.execute(sql`update integrations set active = id = ${id}`)
      await startNightlyLooks(studio.db)
      await workOff()
      await studio.db.execute(sql`update integrations set active = true`)
      return studio.db.rows(sql`select counts from imports where integration_id = ${id} and nightly`)
    }
    expect(await night()).toEqual([])
    const last = issues.at(-1)!
    const before = { ...last }
    Object.assign(last, { title: 'Renamed', updated: at(5) })
    try {
      expect(await night()).toMatchObject([{ counts: { issues: { added: 1 } } }])
      expect((await world()).at(-1)).toMatchObject({ title: 'Renamed' })
    } finally {
      Object.assign(last, before)
    }
  })

  test('an import waits if the tracker asks for it, and loses no page', async () => {
    const { id, app, workOff, world, project } = await room()
    expect(await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 90 } })).toMatchObject({ status: 201 })
    let refusals = 2
    server.state.instead = () => (refusals-- > 0 ? tracker.limited : undefined)
    try {
      await workOff()
    } finally {
      server.state.instead = undefined
    }
    expect(refusals).toBeLessThan(0)
    expect(await world()).toHaveLength(NUMBERS)
    expect(await studio.db.rows(sql`select state from imports where project_id = ${project}`)).toEqual([{ state: 'done' }])
  })

  test('an import that the token or the settings forbid says so before', async () => {
    const why = async (more: object) => {
      const { id, app } = await room(more)
      const { json } = await app(`/integrations/${id}/import_preview`)
      const started = await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 30 } })
      expect(started).toMatchObject({ status: 422, json: { error: 'cannot_import' } })
      return json.problem ?? json.parts[0].problem
    }
    expect(await why({ api_token: 'wrong' })).toContain('does not accept the login')
    if (['jira', 'linear', 'monday'].includes(provider))
      expect(await why({ projects: '', teams: '', board: '' })).toMatch(
        /^Enter "(Project keys|Team keys|Board)" under Server access/,
      )
  })

  test('odd answers end an import and write nothing wrong', async () => {
    const { import: load, world, id, app } = await room()
    const { state } = server
    try {
      // A sign-in page instead of data.
      state.instead = () => '<html>Sign in</html>'
      const { problem, parts } = (await app(`/integrations/${id}/import_preview`)).json
      expect(problem ?? parts[0].problem).toContain('no JSON')
      for (const body of [
        [],
        {},
        null,
        { issues: 'x', data: { issues: { nodes: [{}], pageInfo: { hasNextPage: true } } } },
        [null, { id: 7 }],
      ]) {
        state.instead = ({ url }) => (url.pathname.endsWith('/serverInfo') ? undefined : { body })
        expect(await load()).toMatchObject({ state: 'done', counts: { issues: { read: 0, added: 0 } } })
      }
      // Every page is the first one again.
      let pages = 0
      state.instead = (asked) => {
        const cursor = ['nextPageToken', 'startAt', 'offset', 'before'].find((name) => asked.url.searchParams.has(name))
        const isLater = cursor !== undefined && asked.url.searchParams.get(cursor) !== '0'
        if (isLater || asked.body?.variables?.after || asked.body?.variables?.cursor) pages++
        if (pages > 20) throw new Error('The import does not end.')
        if (cursor) asked.url.searchParams.delete(cursor)
        if (!asked.body?.variables) return tracker.answer(asked, issues)
        const { after: _, cursor: __, ...variables } = asked.body.variables
        const first = tracker.answer({ ...asked, body: { variables: { ...variables, after: null, board: ['4321'] } } }, issues)
        return first
      }
      expect(await load()).toMatchObject({ state: 'done' })
    } finally {
      state.instead = undefined
    }
    expect((await world()).length).toBeLessThanOrEqual(NUMBERS)
  })

  test('names with control characters and issues with other keys do no harm', async () => {
    const { import: load, world } = await room()
    const [one] = issues
    const before = { ...one! }
    try {
      Object.assign(one!, { title: 'Bad\u0000 \u001b[31mname\r\nX', state: 'To do' })
      expect(await load()).toMatchObject({ state: 'done', counts: { issues: { read: NUMBERS } } })
      expect((await world())[0]!.title).not.toContain('\u0000')
      // Moved to another project or team: the tracker knows it under its new key only.
      Object.assign(one!, { number: 5001, updated: at(1) })
      expect(await load()).toMatchObject({ state: 'done', counts: { issues: { read: NUMBERS, added: 1 } } })
      expect(await world()).toHaveLength(NUMBERS + 1)
    } finally {
      Object.assign(one!, before)
    }
  })
})

test('monday.com is left alone for the rest of a minute when little complexity is left', () => {
  const page = (after: number) => ({
    headers: {},
    details: new Map(),
    body: {
      data: {
        complexity: { after, reset_in_x_seconds: 40 },
        next_items_page: { cursor: 'k2', items: [{ id: '1', name: 'One', updated_at: at(1), column_values: [] }] },
      },
    },
  })
  const read = (after: number) =>
    monday.parts[0]!.read(page(after), { cursor: { next: 'k1' }, since: at(9), until: at(0), config: {}, about: {}, jobs: [] })
  expect(read(4_000_000)).toMatchObject({ next: { next: 'k2' }, wait: 0 })
  expect(read(20_000)).toMatchObject({ next: { next: 'k2' }, wait: 40 })
})
