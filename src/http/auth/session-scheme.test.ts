import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor, visit } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { nightOwl, ROWS } from '../../../test/support/studios/night-owl.ts'
import { type AppName, appRoutes } from '../../contract/app/routes.ts'
import type { Route } from '../../contract/routes/route.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const world = { ...nightOwl, users: nightOwl.users.map((user) => ({ ...user, password: PASSWORD })) }

let studio: Studio
let lead: Visitor
let star: number
let fox: number
beforeAll(async () => {
  studio = await openStudio(world)
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  star = studio.world.projects.star!.id
  fox = studio.world.projects.fox!.id
})
afterAll(() => studio.close())

const all = Object.entries(appRoutes) as [AppName, Route][]
const closed = all.filter(([, route]) => route.role !== 'anyone')
/** A path of another account: their project, their account, anything in it. */
const foreign = ({ path }: Route) =>
  path
    .slice(3)
    .replace(':project_id', String(fox))
    .replace(':account_id', String(studio.world.accounts.fox!.id))
    .replace(/:\w+/g, '1')

test.each(closed)('%s returns an empty 401 without a session', async (_, route) => {
  expect(await visit(studio).app(foreign(route), { method: route.method })).toMatchObject({ status: 401, text: '' })
})

const placed = closed.filter(([, route]) => /:(project|account)_id/.test(route.path))
test.each(placed)("%s hides another account's records", async (_, route) => {
  const { status } = await lead.app(foreign(route), { method: route.method, ...(route.method === 'GET' ? {} : { body: {} }) })
  expect(status).toBe(404)
})

const changing = closed.filter(([, route]) => route.method !== 'GET')
test.each(changing)('%s refuses requests that other sites send with our cookie', async (_, route) => {
  for (const site of ['cross-site', 'same-site', 'none']) {
    const answer = await lead.app(foreign(route), { method: route.method, headers: { 'sec-fetch-site': site } })
    expect(answer).toMatchObject({ status: 403, json: { error: 'foreign_origin' } })
  }
})

const open = all.filter(([, route]) => route.role === 'anyone' && route.method !== 'GET')
test.each(open)('%s, which needs no session, refuses requests of other sites', async (_, route) => {
  const asking = { method: route.method, headers: { 'sec-fetch-site': 'cross-site' } }
  expect(await visit(studio).app(foreign(route), asking)).toMatchObject({ status: 403, json: { error: 'foreign_origin' } })
})

describe('a request from a browser without Sec-Fetch-Site', () => {
  const ask = (headers: Record<string, string>) =>
    studio.ask('/app/api/v1/me', { method: 'PATCH', body: {}, headers: { cookie: lead.cookie, ...headers } })

  test('is accepted when its origin is the requested host', async () => {
    expect((await ask({ origin: studio.site })).status).toBe(200)
  })

  test('is refused from another origin, and without one', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}] as Record<string, string>[])
      expect((await ask(headers)).status).toBe(403)
  })
})

describe('a route of the shared table', () => {
  test('accepts a session, and no token', async () => {
    expect((await lead.app(`/projects/${star}/tasks`)).status).toBe(200)
    const { token } = studio.world.tokens.all!
    expect((await studio.ask(`/app/api/v1/projects/${star}/tasks`, { token })).status).toBe(401)
    expect((await studio.ask(`/api/v1/projects/${star}/tasks`, { headers: { cookie: lead.cookie } })).status).toBe(401)
  })

  test.each([['build_runs'], ['assets']])('pages through all %s by cursor, which tokens cannot', async (kind) => {
    const seen = new Set<string>()
    let cursor: string | null = ''
    while (cursor !== null) {
      const { json } = await lead.app(`/projects/${star}/${kind}?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`)
      for (const { id } of json[kind]) seen.add(id)
      cursor = json.pagination.next_cursor
    }
    expect(seen.size).toBe(ROWS)
    const refused = await studio.ask(`/api/v1/projects/${star}/${kind}?cursor=x`, { token: studio.world.tokens.all!.token })
    expect(refused).toMatchObject({ status: 422, json: { error: 'unknown_parameter' } })
  })

  test('writes as the person, without a token', async () => {
    const { status, json } = await lead.app(`/projects/${star}/tasks`, { method: 'POST', body: { task: { title: 'By hand' } } })
    expect(status).toBe(201)
    expect(json.metadata).toEqual({})
  })

  test('refuses writes on read-only accounts with the reason', async () => {
    const project = studio.world.projects.lapsed!.id
    const refused = await lead.app(`/projects/${project}/tasks`, { method: 'POST', body: { task: { title: 'No' } } })
    expect(refused).toMatchObject({ status: 403, json: { error: 'demo_read_only', reason: 'trial_expired' } })
  })

  test('is refused after signing out', async () => {
    const other = await signIn(studio, 'lead@example.com', PASSWORD)
    const sessions = (await lead.app('/me/sessions')).json.sessions as { id: number; current: boolean }[]
    expect(sessions.filter(({ current }) => current)).toHaveLength(1)
    for (const { id, current } of sessions) if (!current) await lead.app(`/me/sessions/${id}`, { method: 'DELETE' })
    expect((await other.app(`/projects/${star}/tasks`)).status).toBe(401)
    expect((await lead.app(`/projects/${star}/tasks`)).status).toBe(200)
  })

  test('is refused once the session has expired', async () => {
    const late = await signIn(studio, 'rival@example.com', PASSWORD)
    await studio.db.execute(sql`update sessions set expires_at = now() where user_id = ${studio.world.users.rival!.id}`)
    expect((await late.app('/workspace/events')).status).toBe(401)
  })
})

describe('the stream', () => {
  test('accepts a session and ends with it', async () => {
    const visitor = await signIn(studio, 'lead@example.com', PASSWORD)
    const response = await fetch(`${studio.site}/app/api/v1/workspace/events/stream`, { headers: { cookie: visitor.cookie } })
    expect(response.status).toBe(200)
    const reader = response.body!.getReader()
    const decoder = new TextDecoder()
    let heard = ''
    const until = async (text: string) => {
      while (!heard.includes(text)) {
        const { done, value } = await reader.read()
        if (done) throw new Error(`ended before ${text}`)
        heard += decoder.decode(value)
      }
    }
    await until('retry')
    await lead.app(`/projects/${star}/tasks`, { method: 'POST', body: { task: { title: 'Heard at once' } } })
    await until('Heard at once')
    await visitor.ask('/app/auth/sign-out', { method: 'POST' })
    await expect(until('never said')).rejects.toThrow('ended before')
  })
})

test('display names are visible to people who share an account, and to nobody else', async () => {
  const rival = await signIn(studio, 'rival@example.com', PASSWORD)
  expect((await lead.app('/people')).json.people).toMatchObject([{ name: 'Leading Lady' }])
  expect((await rival.app('/people')).json.people).toMatchObject([{ name: 'Rival' }])
})
