import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { COUNT_MAX } from '../../contract/limits.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const at = (hour: number) => new Date(Date.UTC(2026, 9, 1, hour)).toISOString()
const change = (n: number) => ({
  key: `c${n}`,
  project: 'star',
  identifier: `abc${n}`,
  source_type: 'GitCommit',
  timestamp: at(n),
})
const build = (n: number) => ({ key: `b${n}`, project: 'star', status: 'completed', commit_hash: `abc${n}`, created_at: at(n) })
const deployment = (key: string, n: number, more: object) => ({
  key,
  project: 'star',
  platform: 'steam',
  created_at: at(n),
  ...more,
})

let studio: Studio
let lead: Visitor
let place: string
beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
      users: ['lead', 'kim'].map((key) => ({
        key,
        email: `${key}@example.com`,
        name: key,
        password: PASSWORD,
        accounts: { owl: key === 'lead' ? 'owner' : 'member' },
      })),
      tokens: [
        { key: 'all', user: 'lead', name: 'all', scopes: ['read:tasks', 'write:tasks'] },
        { key: 'feed', user: 'lead', name: 'feed', scopes: SCOPES },
      ],
      projects: ['star', 'moon'].map((key) => ({ key, account: 'owl', name: key, members: { lead: 'owner' } })),
      changes: [change(1), change(2), { ...change(3), description: 'Third\n\nAt last' }, change(4)],
      build_runs: [
        ...[1, 3].map(build),
        { ...build(4), key: 'once', status: 'failed', ci_job_name: 'night' },
        { ...build(4), key: 'again', status: 'completed', ci_job_name: 'night', created_at: at(5) },
        { ...build(4), key: 'red', status: 'failed', ci_job_name: 'cook' },
        { ...build(4), key: 'under_way', status: 'building', ci_job_name: 'tests' },
        { key: 'now', project: 'moon', status: 'building', ci_job_name: 'live', build_number: '7' },
      ],
      deployments: [
        deployment('first', 1, { build_run: 'b1', status: 'live', live_at: at(2), version: '0.9' }),
        deployment('turned_down', 2, { build_run: 'b1', status: 'rejected' }),
        deployment('second', 3, { build_run: 'b3', status: 'in_review' }),
        deployment('unknown', 4, { status: 'pending' }),
      ],
      tasks: [
        { key: 'k', project: 'star', title: 'Old title', description: 'Old words' },
        {
          key: 'one',
          project: 'star',
          title: 'One',
          labels: ['ui'],
          links: { changes: ['c1'], build_runs: ['b1'], deployments: ['first'] },
        },
        { key: 'two', project: 'star', title: 'Two' },
        { key: 'far', project: 'moon', title: 'Far' },
      ],
    },
    { wideIds: true },
  )
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  place = `/projects/${studio.world.projects.star!.id}`
})
afterAll(() => studio.close())

const compare = async (key: string) => (await lead.app(`${place}/deployments/${studio.world.deployments[key]!.id}/changes`)).json

test('a batch returns each response as one line of JSON', async () => {
  const paths = [`${place}/tasks`, '/me']
  const { text } = await lead.app(`/batch?${new URLSearchParams(paths.map((path): [string, string] => ['get', `/v1${path}`]))}`)
  const parts = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const bodyOf = (part: number) => parts.find((one) => one.part === part).body
  expect(parts).toHaveLength(2)
  expect(bodyOf(0)).toEqual((await lead.app(`${place}/tasks`)).json)
  expect(bodyOf(0).tasks.length).toBeGreaterThan(1)
  expect(bodyOf(1).user.email).toBe('lead@example.com')
})

test('a batch renews the session if one of its parts does', async () => {
  const old = await signIn(studio, 'kim@example.com', PASSWORD)
  await studio.db.execute(sql`
    update sessions set expires_at = now() + interval '1 hour' where user_id = ${studio.world.users.kim!.id}`)
  const cookiesOf = async (path: string) => (await old.app(`/batch?get=/v1${path}`)).headers.getSetCookie()
  expect(await cookiesOf(`${place}/tasks`)).toEqual([])
  expect(await cookiesOf('/me')).toEqual([expect.stringMatching(/session_token=.*Max-Age/)])
})

describe('the content of a deployment', () => {
  test('is the changes after the previously live build, up to its own', async () => {
    const { since, basis, changes } = await compare('second')
    expect(since.id).toBe(studio.world.deployments.first!.id)
    expect(basis).toBe('time')
    expect(changes.map(({ identifier }: { identifier: string }) => identifier)).toEqual(['abc3', 'abc2'])
  })

  test('is everything so far if nothing was live before', async () => {
    expect(await compare('first')).toMatchObject({ since: null, basis: 'time', changes: [{ identifier: 'abc1' }] })
  })

  test('is unknown if its build is unknown', async () => {
    expect(await compare('unknown')).toMatchObject({ basis: 'unknown', changes: [] })
  })

  test('is summarized for the newest deployment of each store, if it is known', async () => {
    const news = async () => (await lead.app(`${place}/deployments/news`)).json.news
    expect(await news()).toEqual([])
    await studio.db.execute(
      sql`update deployments set created_at = ${at(0)} where id = ${studio.world.deployments.unknown!.id}::uuid`,
    )
    const second = studio.world.deployments.second!.id
    expect(await news()).toEqual([{ deployment_id: second, changes: 2, has_more: false, since: '0.9', newest: 'Third' }])
  })
})

describe('tasks are counted', () => {
  const moon = () => studio.world.projects.moon!.id as number
  const counts = async () => (await lead.app(`/projects/${moon()}/tasks/counts`)).json

  test('by their state', async () => {
    const before = await counts()
    await lead.app(`/projects/${moon()}/tasks`, { method: 'POST', body: { task: { title: 'Stuck', state: 'blocked' } } })
    expect(await counts()).toEqual({ ...before, blocked: before.blocked + 1 })
  })

  test('up to the shown maximum', async () => {
    await studio.db.transaction(async (db) => {
      await db.execute(sql`set local session_replication_role = replica`)
      await db.execute(sql`
        insert into tasks (account_id, project_id, title, state)
        select account_id, id, 'one of many', 'completed' from projects, generate_series(1, ${COUNT_MAX + 5}::integer)
        where id = ${moon()}`)
    })
    expect((await counts()).completed).toBe(COUNT_MAX)
    await studio.db.execute(sql`delete from tasks where title = 'one of many'`)
  })
})

describe('a task created by a person', () => {
  test("has its creator's id in the feed, and in the task only for the web app", async () => {
    const made = (await lead.app(`${place}/tasks`, { method: 'POST', body: { task: { title: 'By hand' } } })).json
    const user = studio.world.users.lead!.id
    expect(made).not.toHaveProperty('created_by_user_id')
    expect((await lead.app(`${place}/tasks/${made.id}`)).json.created_by_user_id).toBe(user)
    const { events } = (await lead.app('/workspace/events')).json
    const event = events.find(({ target_ref }: { target_ref: string }) => target_ref === `task #${made.id}`)
    expect(event).toMatchObject({ actor: `user:${user}` })
    expect(JSON.stringify(event)).not.toContain('Lead')
    const token = studio.world.tokens.all!.token as string
    const detail = (await studio.ask(`/api/v1${place}/tasks/${made.id}`, { token })).json
    expect(detail.title).toBe('By hand')
    expect(detail).not.toHaveProperty('created_by_user_id')
  })

  test('without a known creator has none', async () => {
    const { json } = await lead.app(`${place}/tasks/${studio.world.tasks.k!.id}`)
    expect(json.created_by_user_id).toBeNull()
  })
})

describe('the text of a task', () => {
  const revise = (body: object) => lead.app(`${place}/tasks/${studio.world.tasks.k!.id}/words`, { method: 'PATCH', body })

  test('is changed if it is still what the caller read', async () => {
    const { status, json } = await revise({ seen: { description: 'Old words' }, task: { description: 'New words' } })
    expect([status, json.description, json.title]).toEqual([200, 'New words', 'Old title'])
  })

  test('is kept when somebody else was faster, and returned with the error', async () => {
    const { status, json } = await revise({ seen: { description: 'Old words' }, task: { description: 'Mine' } })
    expect([status, json.error, json.current.description]).toEqual([409, 'edited_meanwhile', 'New words'])
    expect((await lead.app(`${place}/tasks/${studio.world.tasks.k!.id}`)).json.description).toBe('New words')
  })

  test('is refused as usual when it is too long', async () => {
    expect((await revise({ seen: {}, task: { title: '   ' } })).status).toBe(422)
  })
})

describe('several tasks at once', () => {
  const idOf = (key: string) => studio.world.tasks[key]!.id as number
  const read = async (key: string) => (await lead.app(`${place}/tasks/${idOf(key)}`)).json
  const told = async (key: string) => (await lead.app(`${place}/tasks/${idOf(key)}/history`)).json.history
  const bulk = (body: object, path = '', method = path ? 'POST' : 'PATCH') =>
    lead.app(`${place}/tasks/bulk${path}`, { method, body })

  test('can be edited together, and their history shows who changed what', async () => {
    const kim = studio.world.users.kim!.id
    const ids = [idOf('two'), idOf('one')]
    expect((await bulk({ ids, task: { state: 'blocked', user_id: kim }, add_label: 'wip' })).status).toBe(200)
    expect(await read('one')).toMatchObject({ state: 'blocked', user_id: kim, labels: ['ui', 'wip'] })
    expect(await read('two')).toMatchObject({ state: 'blocked', user_id: kim, labels: ['wip'] })
    await bulk({ ids, remove_label: 'wip' })
    await bulk({ ids: [idOf('one')], task: { state: 'blocked' } })
    const token = studio.world.tokens.all!.token as string
    const body = { task: { title: 'First', description: 'Long' } }
    await studio.ask(`/api/v1${place}/tasks/${idOf('one')}`, { method: 'PATCH', token, body })
    const { history } = (await lead.app(`${place}/tasks/${idOf('one')}/history`)).json
    const by = { user_id: studio.world.users.lead!.id }
    expect(history).toMatchObject([
      { ...by, via_token: true, changes: { title: { from: 'One', to: 'First' }, description: null } },
      { ...by, via_token: false, changes: { labels: { from: ['ui', 'wip'], to: ['ui'] } } },
      {
        ...by,
        via_token: false,
        changes: { state: { from: 'to_do', to: 'blocked' }, labels: { from: ['ui'], to: ['ui', 'wip'] } },
      },
      { kind: 'created' },
    ])
  })

  test('all stay unchanged if one does not exist or belongs to another project', async () => {
    for (const [stranger, path] of [
      [999_999, ''],
      [idOf('far'), ''],
      [idOf('far'), '/delete'],
    ] as const) {
      const body = { ids: [idOf('two'), stranger], ...(path === '' && { task: { state: 'completed' } }) }
      expect((await bulk(body, path)).status).toBe(404)
    }
    expect(await read('two')).toMatchObject({ state: 'blocked' })
    expect((await bulk({ ids: [idOf('two')], task: { state: 'gone' } })).status).toBe(422)
    expect((await bulk({ ids: [idOf('two')], add_label: 'x'.repeat(101) })).status).toBe(422)
    expect((await bulk({ ids: [] })).status).toBe(422)
  })

  test('can be deleted and restored unchanged', async () => {
    const before = await read('one')
    const ids = [idOf('one'), idOf('two')]
    expect((await bulk({ ids }, '/delete')).status).toBe(200)
    for (const key of ['one', 'two']) expect((await lead.app(`${place}/tasks/${idOf(key)}`)).status).toBe(404)
    expect((await bulk({ ids }, '/delete')).status).toBe(404)
    const by = { user_id: studio.world.users.lead!.id, via_token: false }
    expect((await told('one'))[0]).toMatchObject({ ...by, kind: 'deleted' })
    expect(JSON.stringify((await lead.app('/workspace/events')).json)).not.toContain(`task #${idOf('one')}"`)
    expect((await bulk({ ids }, '/restore')).status).toBe(200)
    const { updated_at, ...after } = await read('one')
    expect(after).toEqual({ ...before, updated_at: undefined })
    expect(updated_at > before.updated_at).toBe(true)
    expect((await lead.app(`${place}/tasks?label=ui`)).json.tasks).toHaveLength(1)
    expect((await told('one')).slice(0, 2)).toMatchObject([
      { ...by, kind: 'restored' },
      { ...by, kind: 'deleted' },
    ])
    expect((await bulk({ ids }, '/restore')).status).toBe(404)
  })

  test('do not get a label twice', async () => {
    expect((await bulk({ ids: [idOf('one')], add_label: 'ui' })).status).toBe(200)
    expect((await read('one')).labels).toEqual(['ui'])
  })
})

describe('a saved view', () => {
  const views = () => `/accounts/${studio.world.accounts.owl!.id}/views`
  const save = (body: object) => lead.app(views(), { method: 'PUT', body })

  test('is stored under its name for its creator, and for nobody else', async () => {
    const path = `${place}/builds`
    const { status, json } = await save({ name: 'Red', path, query: 'status=failed' })
    expect([status, json]).toEqual([200, { id: json.id, name: 'Red', path, query: 'status=failed' }])
    for (const list of ['/feed', '/inbox', `${place}/approvals`, `${place}/branches`]) {
      const kept = await save({ name: 'Some', path: list, query: 'q=a' })
      expect((await lead.app(`${views()}/${kept.json.id}`, { method: 'DELETE' })).status, list).toBe(200)
    }
    expect((await save({ name: ' Red ', path, query: 'status=failed&branch=main' })).json.id).toBe(json.id)
    expect((await lead.app(views())).json.views).toEqual([{ ...json, query: 'status=failed&branch=main' }])
    const kim = await signIn(studio, 'kim@example.com', PASSWORD)
    expect((await kim.app(views())).json.views).toEqual([])
    expect((await kim.app(`${views()}/${json.id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await lead.app(`${views()}/${json.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await lead.app(views())).json.views).toEqual([])
  })

  test.each(['https://evil.example/feed', '//evil.example', '/settings/tokens'])('cannot link elsewhere: %s', async (path) => {
    expect((await save({ name: 'Away', path, query: '' })).status).toBe(422)
  })
})

describe('the list of changes in the web app', () => {
  const listed = async (query: string) => (await lead.app(`${place}/${query}`)).json.changes

  test.each(['changes', 'search/changes'])(
    '%s includes the build results of each, with the last run of a repeated job',
    async (list) => {
      const [newest, third] = await listed(`${list}?builds=true`)
      expect(newest.builds).toEqual({ passed: 1, failed: 1, running: 1 })
      expect(third.builds).toEqual({ passed: 1, failed: 0, running: 0 })
      expect((await listed(list))[0]).not.toHaveProperty('builds')
    },
  )

  test('can be filtered by time', async () => {
    const found = await listed(`changes?since=${at(2)}&until=${at(4)}`)
    expect(found.map(({ identifier }: { identifier: string }) => identifier)).toEqual(['abc3', 'abc2'])
  })
})

describe('the feed of the web app', () => {
  test('lists the running builds, without lost ones', async () => {
    const { build_runs } = (await lead.app(`/accounts/${studio.world.accounts.owl!.id}/running_builds`)).json
    expect(build_runs).toMatchObject([
      { id: String(studio.world.build_runs.now!.id), project_name: 'moon', ci_job_name: 'live', build_number: '7' },
    ])
  })

  test("can be filtered to the reader's own events, which the REST API does not support", async () => {
    const kim = await signIn(studio, 'kim@example.com', PASSWORD)
    const mine = async (who: Visitor) =>
      (await who.app('/workspace/events?mine=true')).json.events.map(({ target_ref }: { target_ref: string }) => target_ref)
    const { one, two } = studio.world.tasks
    expect((await mine(kim)).sort()).toEqual([`task #${one!.id}`, `task #${two!.id}`].sort())
    expect(await mine(lead)).toEqual([])
    const token = studio.world.tokens.feed!.token as string
    expect((await studio.ask('/api/v1/workspace/events?mine=true', { token })).json.error).toBe('unknown_parameter')
  })
})
