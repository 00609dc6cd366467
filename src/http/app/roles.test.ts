import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../../../test/support/callers/listening.ts'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { registeredRoutes } from '../../../test/support/registered-routes.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { appRoutes, tokenRoutes } from '../../contract/app/routes.ts'
import { type Route, roleOf } from '../../contract/routes/route.ts'
import { artifactDownload, fileDownload, previewDownload } from '../../contract/routes.ts'
import {
  ACCOUNT_ROLES,
  type AccountRole,
  isAccountRole,
  PROJECT_ROLES,
  type ProjectRole,
  SCOPES,
  suffices,
} from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

/** Permissions: every route of both tables, by session and by token, for every role. */

const PASSWORD = 'a long enough password'
/** Every person with their role in the account and in the project `star`; `moon` lists nobody. */
const PEOPLE: Record<string, { account: AccountRole; project: ProjectRole | null; seen?: ProjectRole }> = {
  owner: { account: 'owner', project: null, seen: 'lead' },
  admin: { account: 'admin', project: null, seen: 'lead' },
  member: { account: 'member', project: null },
  worker: { account: 'member', project: 'contributor' },
  guest: { account: 'guest', project: null },
  viewer: { account: 'guest', project: 'viewer' },
  contributor: { account: 'guest', project: 'contributor' },
  approver: { account: 'guest', project: 'approver' },
  lead: { account: 'guest', project: 'lead' },
}
const seenAs = (who: string): ProjectRole | null => PEOPLE[who]!.seen ?? PEOPLE[who]!.project

let studio: Studio
const sessions: Record<string, Visitor> = {}
const at = (list: 'accounts' | 'projects' | 'users', key: string) => String(studio.world[list][key]!.id)
const tokenOf = (key: string) => studio.world.tokens[key]!.token

beforeAll(async () => {
  const names = [...Object.keys(PEOPLE), 'stranger']
  studio = await openStudio({
    accounts: [
      { key: 'owl', name: 'Owl', plan: 'team', payment_method: true, members_see_projects: false },
      { key: 'fox', name: 'Fox', plan: 'team', payment_method: true },
    ],
    users: names.map((key) => ({
      key,
      email: `${key}@example.com`,
      name: key,
      password: PASSWORD,
      accounts: PEOPLE[key] ? { owl: PEOPLE[key].account } : { fox: 'owner' },
    })),
    projects: [
      {
        key: 'star',
        account: 'owl',
        name: 'Star',
        members: Object.fromEntries(Object.entries(PEOPLE).flatMap(([key, { project }]) => (project ? [[key, project]] : []))),
      },
      { key: 'moon', account: 'owl', name: 'Moon' },
    ],
    deployments: ['star', 'moon'].map((project) => ({ project, platform: 'steam', version: project })),
    tasks: ['star', 'moon'].map((project) => ({ project, title: `Polish the ${project}` })),
    tokens: names.map((key) => ({ key, user: key, name: key, scopes: SCOPES })),
  })
  for (const name of names) sessions[name] = await signIn(studio, `${name}@example.com`, PASSWORD)
})
afterAll(() => studio.close())

interface GuardedRoute {
  name: string
  method: string
  path: string
  required: AccountRole | ProjectRole
  byToken: boolean
}

const inPlace = (path: string) => /:(?:account|project)_id/.test(path)
/** Their replies are files, so they are in no table. */
const FILE_ROUTES: GuardedRoute[] = Object.entries({
  downloadFile: fileDownload.path,
  showPreview: previewDownload.path,
  downloadArtifact: artifactDownload.path,
  downloadLatestArtifact: artifactDownload.latestPath,
}).map(([name, path]) => ({ name, method: 'GET', path, required: 'viewer', byToken: true }))

const GUARDED_ROUTES: GuardedRoute[] = [
  ...FILE_ROUTES,
  ...Object.entries(appRoutes as Record<string, Route>)
    .map(([name, route]) => ({
      name,
      ...route,
      // Everybody may remove themselves; the test uses another person's id.
      required: name === 'removeAccountMember' ? ('admin' as const) : (roleOf(route) as AccountRole),
      byToken: name in tokenRoutes,
    }))
    .filter(({ path }) => inPlace(path)),
]

/** Who may download an export depends on who requested it: `exports.test.ts`. */
const DECIDED_BY_RECORD = ['GET /app/api/v1/accounts/:account_id/exports/:id/file']

/** No record has this id: an authorized caller finds nothing to change. */
const pathOf = (path: string, project = 'star', account = 'owl') =>
  path
    .replace('/v1', '')
    .replace(':account_id', at('accounts', account))
    .replace(':project_id', at('projects', project))
    .replace(/:\w+/g, '999999')

const ask = (route: GuardedRoute, who: string, by: 'session' | 'token', path: string) =>
  by === 'session'
    ? sessions[who]!.app(path, { method: route.method })
    : studio.ask(`/api/v1${path}`, { method: route.method, token: tokenOf(who) })

test('every route of an account or project declares the role it needs there', () => {
  expect(GUARDED_ROUTES.length).toBeGreaterThanOrEqual(90)
  for (const { name, path, required } of GUARDED_ROUTES)
    expect(path.includes(':project_id') ? PROJECT_ROLES : ACCOUNT_ROLES, name).toContain(required)
})

test('every route of an account or project that the server answers is asked by every role', async () => {
  const served = (await registeredRoutes(studio)).filter(({ url }) => inPlace(url)).map(({ method, url }) => `${method} ${url}`)
  const asked = GUARDED_ROUTES.flatMap(({ method, path, byToken }) => [
    `${method} /app/api${path}`,
    ...(byToken ? [`${method} /api${path}`] : []),
  ])
  expect(served.filter((route) => !asked.includes(route))).toEqual(DECIDED_BY_RECORD)
  expect(asked.filter((route) => !served.includes(route))).toEqual([])
})

describe.each(GUARDED_ROUTES.map((route) => [route.name, route] as const))('%s', (_, route) => {
  const ways = route.byToken ? (['session', 'token'] as const) : (['session'] as const)

  test.each(ways)('allows callers with the role, and nobody else, by %s', async (by) => {
    for (const who of Object.keys(PEOPLE)) {
      const held = isAccountRole(route.required) ? PEOPLE[who]!.account : seenAs(who)
      const { status, json } = await ask(route, who, by, pathOf(route.path))
      if (held === null) expect({ who, status, json }).toMatchObject({ status: 404, json: { message: 'Project not found.' } })
      else if (suffices(held, route.required)) expect(json?.error, who).not.toBe('insufficient_role')
      else expect({ who, status, json }).toMatchObject({ status: 403, json: { required_role: route.required } })
    }
    const { status, json } = await ask(route, 'stranger', by, pathOf(route.path))
    expect({ status, error: json.error }).toEqual({ status: 404, error: 'not_found' })
  })
})

describe('a guest', () => {
  test('sees nothing of the account except their projects', async () => {
    const viewer = sessions.viewer!
    const names = (list: { name: string }[]) => list.map(({ name }) => name)
    expect(names((await viewer.app('/me')).json.projects)).toEqual(['Star'])
    expect(names((await studio.ask('/api/v1/projects', { token: tokenOf('viewer') })).json.projects)).toEqual(['Star'])
    expect((await sessions.guest!.app('/me')).json.projects).toEqual([])
    expect((await viewer.app('/search?q=polish')).json.hits.map(({ title }: { title: string }) => title)).toEqual([
      'Polish the star',
    ])
    expect((await sessions.guest!.app('/search?q=polish')).json.hits).toEqual([])
    const feed = (await viewer.app('/workspace/events')).json
    expect(new Set(feed.events.map(({ project_id }: { project_id: number }) => String(project_id)))).toEqual(
      new Set([at('projects', 'star')]),
    )
    expect(feed.rollup).toMatchObject({ open_tasks: 1, total_projects: 1 })
    expect((await sessions.owner!.app('/workspace/events')).json.rollup).toMatchObject({ open_tasks: 2, total_projects: 2 })
    expect((await viewer.app(`/workspace/events?project_id=${at('projects', 'moon')}`)).status).toBe(404)
    expect((await sessions.guest!.app('/workspace/events')).json.events).toEqual([])
    const timeline = (await viewer.app(`/accounts/${at('accounts', 'owl')}/deployments`)).json.deployments
    expect(timeline.map(({ version }: { version: string }) => version)).toEqual(['star'])
  })

  test('sees the names of people on their projects, and no others', async () => {
    const named = async (who: string) =>
      (await sessions[who]!.app('/people')).json.people.map(({ name }: { name: string }) => name).sort()
    expect(await named('guest')).toEqual(['guest'])
    expect(await named('viewer')).toEqual(['approver', 'contributor', 'lead', 'viewer', 'worker'])
    expect(await named('member')).toHaveLength(Object.keys(PEOPLE).length)
  })

  test('can be assigned records they have access to, and can assign people they know', async () => {
    const offered = async (who: string, project: string) => {
      const { json } = await sessions[who]!.app(`/projects/${at('projects', project)}/assignees`)
      return json.people.map(({ name }: { name: string }) => name).sort()
    }
    const listed = ['approver', 'contributor', 'lead', 'viewer', 'worker']
    expect(await offered('owner', 'star')).toEqual([...listed, 'admin', 'owner'].sort())
    expect(await offered('owner', 'moon')).toEqual(['admin', 'owner'])
    for (const who of ['viewer', 'contributor']) expect(await offered(who, 'star'), who).toEqual(listed)
  })

  test('who leads a project cannot add people they do not know', async () => {
    const put = (user: string, project_role: string) =>
      sessions.lead!.app(`/projects/${at('projects', 'star')}/people/${at('users', user)}`, {
        method: 'PUT',
        body: { project_role },
      })
    for (const user of ['owner', 'member', 'guest', 'stranger'])
      expect(await put(user, 'viewer'), user).toMatchObject({ status: 404, json: { message: 'Member not found.' } })
    expect((await put('worker', 'approver')).status).toBe(200)
    expect((await put('worker', 'contributor')).status).toBe(200)
  })

  test('gets notifications only about their projects, and none after being removed from one', async () => {
    const heard = await listen({ site: studio.site, token: tokenOf('contributor'), query: 'include=all' })
    const owner = await listen({ site: studio.site, token: tokenOf('owner'), query: 'include=all' })
    const create = (project: string, title: string) =>
      studio.ask(`/api/v1/projects/${at('projects', project)}/tasks`, {
        method: 'POST',
        token: tokenOf('owner'),
        body: { task: { title } },
      })
    const people = `/projects/${at('projects', 'star')}/people/${at('users', 'contributor')}`
    try {
      await create('moon', 'in moon')
      await create('star', 'in star')
      await heard.until(1)
      await owner.until(2)
      expect(heard.events.map(({ message }) => message)).toEqual([expect.stringContaining('in star')])
      expect((await sessions.lead!.app(people, { method: 'DELETE' })).status).toBe(200)
      await create('star', 'after')
      await owner.until(3)
      expect(heard.events).toHaveLength(1)
    } finally {
      heard.stop()
      owner.stop()
      await sessions.owner!.app(people, { method: 'PUT', body: { project_role: 'contributor' } })
    }
  })

  test('cannot be assigned a task of a project without access', async () => {
    const create = (user: string, project: string) =>
      studio.ask(`/api/v1/projects/${at('projects', project)}/tasks`, {
        method: 'POST',
        token: tokenOf('owner'),
        body: { task: { title: 'yours', user_id: Number(at('users', user)) } },
      })
    expect((await create('viewer', 'star')).status).toBe(201)
    expect((await create('viewer', 'moon')).status).toBe(422)
  })

  test('can be invited only to projects of the account', async () => {
    const invite = (project: string) =>
      sessions.admin!.app(`/accounts/${at('accounts', 'owl')}/invitations`, {
        method: 'POST',
        body: { email: 'new@example.com', role: 'guest', project_ids: [Number(at('projects', project))] },
      })
    const theirs = await studio.load({ projects: [{ key: 'den', account: Number(at('accounts', 'fox')), name: 'Den' }] })
    studio.world.projects.den = theirs.projects.den!
    expect((await invite('den')).status).toBe(404)
    const invited = await invite('star')
    expect(invited).toMatchObject({ status: 201, json: { role: 'guest', project_ids: [Number(at('projects', 'star'))] } })
    const joined = await studio.ask('/app/api/v1/sign_ups/invited', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: { name: 'New', email: 'new@example.com', password: PASSWORD, invitation: invited.json.url.split('/').at(-1) },
    })
    expect(joined.status).toBe(201)
    const { projects } = (await (await signIn(studio, 'new@example.com', PASSWORD)).app('/me')).json
    expect(projects).toMatchObject([{ name: 'Star', project_role: 'contributor' }])
  })
})

test('email addresses are visible to owners and admins, not to project leads', async () => {
  const addresses = async (who: string) => {
    const { members } = (await sessions[who]!.app(`/projects/${at('projects', 'star')}/people`)).json
    return members.flatMap(({ email }: { email: string | null }) => email ?? [])
  }
  expect(await addresses('admin')).toContain('viewer@example.com')
  for (const who of ['lead', 'worker', 'viewer']) expect(await addresses(who), who).toEqual([])
})

test('members have access to every project if the account says so', async () => {
  const account = `/accounts/${at('accounts', 'owl')}`
  const projects = async () => (await sessions.member!.app('/me')).json.projects
  expect(await projects()).toEqual([])
  const set = (members_see_projects: boolean) => sessions.admin!.app(account, { method: 'PATCH', body: { members_see_projects } })
  expect((await set(true)).json.members_see_projects).toBe(true)
  expect(await projects()).toMatchObject([{ project_role: 'approver' }, { project_role: 'approver' }])
  await set(false)
})

describe('an admin', () => {
  const member = (who: string) => `/accounts/${at('accounts', 'owl')}/members/${at('users', who)}`
  test('cannot make anybody an owner or edit one', async () => {
    const owned = { status: 403, json: { error: 'insufficient_role', required_role: 'owner' } }
    const set = (who: string, role: string) => sessions.admin!.app(member(who), { method: 'PATCH', body: { role } })
    expect(await set('member', 'owner')).toMatchObject(owned)
    expect(await set('owner', 'member')).toMatchObject(owned)
    expect(await sessions.admin!.app(member('owner'), { method: 'DELETE' })).toMatchObject(owned)
    const invitations = `/accounts/${at('accounts', 'owl')}/invitations`
    const body = { email: 'boss@example.com', role: 'owner' }
    expect(await sessions.admin!.app(invitations, { method: 'POST', body })).toMatchObject(owned)
    expect((await set('member', 'guest')).status).toBe(200)
    expect((await set('member', 'member')).status).toBe(200)
  })
})

describe('a token', () => {
  const make = async (who: string, held: object) => {
    const made = await sessions[who]!.app('/me/tokens', { method: 'POST', body: { name: 'held', scopes: SCOPES, ...held } })
    return { ...made, token: made.json?.token as string }
  }
  const names = async (token: string) =>
    (await studio.ask('/api/v1/projects', { token })).json.projects.map(({ name }: { name: string }) => name).sort()
  const owl = () => Number(at('accounts', 'owl'))
  const project = (key: string) => Number(at('projects', key))

  test('is limited to its account and its projects', async () => {
    await studio.db.execute(sql`insert into account_members (account_id, user_id, role)
      values (${at('accounts', 'fox')}::integer, ${at('users', 'owner')}::integer, 'member') on conflict do nothing`)
    const free = await make('owner', {})
    expect(await names(free.token)).toEqual(expect.arrayContaining(['Den', 'Moon', 'Star']))
    const held = await make('owner', { account_id: owl() })
    expect(held.json).toMatchObject({ account_id: owl(), project_ids: null })
    expect(await names(held.token)).toEqual(['Moon', 'Star'])
    const fox = `/api/v1/accounts/${at('accounts', 'fox')}/projects`
    expect((await studio.ask(fox, { method: 'POST', token: held.token, body: { name: 'X', engine: '' } })).status).toBe(404)
    const narrow = await make('owner', { account_id: owl(), project_ids: [project('star')] })
    expect(await names(narrow.token)).toEqual(['Star'])
    const ask = (token: string, path: string) => studio.ask(`/api/v1${path}`, { token })
    expect((await ask(narrow.token, `/projects/${project('moon')}/tasks`)).status).toBe(404)
    expect((await ask(narrow.token, `/projects/${project('moon')}/settings`)).status).toBe(404)
    expect((await ask(narrow.token, `/projects/${project('star')}/tasks`)).status).toBe(200)
    expect((await ask(narrow.token, `/accounts/${owl()}/webhooks`)).status).toBe(404)
    expect((await ask(held.token, `/accounts/${owl()}/webhooks`)).status).toBe(200)
    const { events } = (await ask(narrow.token, `/workspace/events?account_id=${owl()}`)).json
    expect(new Set(events.map(({ project_id }: { project_id: number }) => project_id))).toEqual(new Set([project('star')]))
    expect((await ask(held.token, `/workspace/events?account_id=${at('accounts', 'fox')}`)).status).toBe(404)
    const wider = (body: object) =>
      studio.ask('/api/v1/me/tokens', { method: 'POST', token: narrow.token, body: { name: 'w', scopes: [], ...body } })
    expect((await wider({ account_id: owl(), project_ids: [project('moon')] })).status).toBe(404)
    expect((await wider({})).json).toMatchObject({ account_id: owl(), project_ids: [project('star')] })
  })

  test('is recorded in the log of the account that it is limited to, and tokens created or revoked by it in no other', async () => {
    const fox = Number(at('accounts', 'fox'))
    await studio.db.execute(sql`
      insert into account_members (account_id, user_id, role) values (${fox}, ${at('users', 'owner')}::integer, 'member') on conflict do nothing`)
    const toldIn = async (action: string, id: number) =>
      (
        await studio.db.rows<{ account_id: number }>(sql`
          select account_id from audit_log where action = ${action} and subject = ${`token/${id}`} order by 1`)
      ).map(({ account_id }) => account_id)
    const [free, held, theirs] = [
      await make('owner', {}),
      await make('owner', { account_id: owl() }),
      await make('owner', { account_id: fox }),
    ]
    expect(await toldIn('createToken', free.json.id)).toEqual([owl(), fox])
    expect(await toldIn('createToken', held.json.id)).toEqual([owl()])
    expect(await toldIn('createToken', theirs.json.id)).toEqual([fox])
    const by = (token: string, method: string, path = '', body?: object) =>
      studio.ask(`/api/v1/me/tokens${path}`, { method, token, ...(body && { body }) })
    const made = await by(theirs.token, 'POST', '', { name: 'next', scopes: [] })
    expect(await toldIn('createToken', made.json.id)).toEqual([fox])
    const known = (await by(theirs.token, 'GET')).json.tokens.map(({ account_id }: { account_id: number }) => account_id)
    expect(new Set(known)).toEqual(new Set([fox]))
    for (const { json } of [free, held]) expect((await by(theirs.token, 'DELETE', `/${json.id}`)).status).toBe(404)
    expect((await by(theirs.token, 'DELETE', `/${made.json.id}`)).status).toBe(200)
    expect(await toldIn('revokeToken', made.json.id)).toEqual([fox])
    expect((await studio.ask('/api/v1/ping', { token: theirs.token })).json.account_id).toBe(fox)
    const narrow = await make('owner', { account_id: owl(), project_ids: [project('star')] })
    expect((await by(narrow.token, 'DELETE', `/${held.json.id}`)).status).toBe(404)
    // Also once its user has left.
    const owned = sql`account_id = ${fox} and user_id = ${at('users', 'owner')}::integer`
    await studio.db.execute(sql`delete from account_members where ${owned}`)
    expect((await sessions.owner!.app(`/me/tokens/${theirs.json.id}`, { method: 'DELETE' })).status).toBe(200)
    expect(await toldIn('revokeToken', theirs.json.id)).toEqual([fox])
    await studio.db.execute(sql`
      insert into account_members (account_id, user_id, role) values (${fox}, ${at('users', 'owner')}::integer, 'member')`)
  })

  test('cannot be limited to something its user has no access to', async () => {
    expect((await make('viewer', { account_id: Number(at('accounts', 'fox')) })).status).toBe(404)
    expect((await make('viewer', { account_id: owl(), project_ids: [project('moon')] })).status).toBe(404)
    expect((await make('viewer', { project_ids: [project('star')] })).status).toBe(422)
  })

  test('that is too old for the account has no access to it, a newer one has', async () => {
    const { token, json } = await make('lead', {})
    const account = `/accounts/${owl()}`
    const limit = (token_days_max: number | null) => sessions.admin!.app(account, { method: 'PATCH', body: { token_days_max } })
    await studio.db.execute(sql`update api_tokens set created_at = now() - interval '31 days' where id = ${json.id}`)
    expect(await names(token)).toEqual(['Star'])
    const listed = async () =>
      (await sessions.admin!.app(`${account}/tokens`)).json.tokens.some(({ id }: { id: number }) => id === json.id)
    expect(await listed()).toBe(true)
    await limit(30)
    expect(await names(token)).toEqual([])
    expect(await listed()).toBe(false)
    expect((await sessions.lead!.app('/me')).json.projects).toHaveLength(1)
    const made = await studio.ask('/api/v1/me/tokens', { method: 'POST', token, body: { name: 'young', scopes: SCOPES } })
    expect(await names(made.json.token)).toEqual([])
    await limit(32)
    expect(await names(token)).toEqual(['Star'])
    const next = await studio.ask('/api/v1/me/tokens', { method: 'POST', token, body: { name: 'next', scopes: SCOPES } })
    expect(await names(next.json.token)).toEqual(['Star'])
    expect(Date.parse(next.json.expires_at)).toBeLessThan(Date.now() + 86_400_000)
    await limit(null)
  })

  test('is visible to admins and revoked by them: entirely if it is limited to the account, otherwise only for the account', async () => {
    const path = `/accounts/${owl()}/tokens`
    const held = await make('owner', { account_id: owl() })
    const free = await make('owner', {})
    const { tokens } = (await sessions.admin!.app(path)).json
    expect(tokens.find(({ id }: { id: number }) => id === held.json.id)).toMatchObject({ user_name: 'owner', account_id: owl() })
    for (const { json } of [held, free])
      expect((await sessions.admin!.app(`${path}/${json.id}`, { method: 'DELETE' })).status).toBe(200)
    expect((await studio.ask('/api/v1/ping', { token: held.token })).status).toBe(401)
    expect((await studio.ask('/api/v1/ping', { token: free.token })).status).toBe(200)
    expect(await names(free.token)).toEqual(['Den'])
    const made = await studio.ask('/api/v1/me/tokens', { method: 'POST', token: free.token, body: { name: 'x', scopes: SCOPES } })
    expect(await names(made.json.token)).toEqual(['Den'])
    const { id } = studio.world.tokens.stranger!
    expect((await sessions.admin!.app(`${path}/${id}`, { method: 'DELETE' })).status).toBe(404)
  })
})
