import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overlapping } from '../../test/support/blocked.ts'
import { type Answer, openStudio, type Studio } from '../../test/support/studio.ts'
import { all, asker, BODIES, inProject, withRecord, writing } from '../../test/support/studios/every-route.ts'
import { nightOwl } from '../../test/support/studios/night-owl.ts'
import { sql } from '../db/database.ts'
import type { RouteName } from './routes.ts'
import { SCOPES, type Scope } from './sets.ts'

/** Rules of every route are tested for every route. */

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(nightOwl, { wideIds: true, service: { corsOrigins: ['https://tools.example'] } })
})
afterAll(() => studio.close())

const { id, tokenOf, recordOf, onlyRecordOf, pathOf, ask } = asker(() => studio)

/** No world has artifacts and links to them. */
const NOT_THERE: Partial<Record<RouteName, string>> = {
  createShareLink: 'Artifact not found.',
  revokeShareLink: 'Share link not found.',
}

/** These answer with a comment, which is read with the scope of its record. */
const ALSO_NEEDED: Partial<Record<RouteName, Scope>> = {
  showComment: 'read:tasks',
  editComment: 'read:tasks',
  deleteComment: 'read:tasks',
  attachToComment: 'read:tasks',
  resolveComment: 'read:assets',
  reactToComment: 'read:tasks',
}

/** No build of this world has a CI server: an authorized request is refused for that reason. */
function expectAnswer(name: RouteName, { status, json }: Answer) {
  if (name === 'actOnBuild') expect(json).toMatchObject({ error: 'cannot_act' })
  else if (NOT_THERE[name]) expect(json).toMatchObject({ error: 'not_found', message: NOT_THERE[name] })
  else expect([200, 201, 202]).toContain(status)
}

describe.each(all)('%s', (name, route) => {
  test('responds to a caller with the right token', async () => {
    expectAnswer(name, await ask(name))
  })

  test.each([
    ['missing', () => ({ token: null })],
    ['malformed', () => ({ token: null, headers: { authorization: 'Bearer' } })],
    ['of another scheme', () => ({ token: null, headers: { authorization: `Basic ${tokenOf('all')}` } })],
    ['with a comma', () => ({ token: `${tokenOf('all')},x` })],
    ['unknown', () => ({ token: 'A'.repeat(43) })],
    ['with only the right prefix', () => ({ token: tokenOf('all').slice(0, 8) })],
    ['revoked', () => ({ token: tokenOf('revoked') })],
    ['expired', () => ({ token: tokenOf('expired') })],
  ])('returns an empty 401 for a token that is %s', async (_, asking) => {
    const answer = await ask(name, undefined, asking())
    expect(answer).toMatchObject({ status: 401, text: '' })
  })

  test('names the scope a token lacks and echoes no token', async () => {
    const token = tokenOf(`without ${route.scope}`)
    const answer = await ask(name, undefined, { token })
    // Every token can ping, so this scope cannot be missing.
    if (route.scope === 'ping') return expect(answer.status).toBe(200)
    expect(answer.status).toBe(403)
    expect(answer.json).toEqual({
      error: 'insufficient_scope',
      message: expect.any(String),
      required_scope: route.scope,
      token_scopes: SCOPES.filter((scope) => scope !== route.scope),
    })
    expect(answer.text).not.toContain(token)
  })

  test(`needs no scope but its own${ALSO_NEEDED[name] ? ' and that of the record' : ''}`, async () => {
    const scopes = [...new Set([route.scope, ALSO_NEEDED[name] ?? route.scope])]
    const only = await studio.load({
      tokens: [{ key: 'only', user: String(studio.world.users!.lead!.id), name: 'only', scopes }],
    })
    expectAnswer(name, await ask(name, undefined, { token: only.tokens!.only!.token as string }))
  })

  test('refuses an unknown parameter by name, whatever its value', async () => {
    for (const query of ['surprise=1', 'surprise[]=1', 'surprise[x]=1', '__proto__=1', 'constructor=1', '=1']) {
      const answer = await ask(name, `${pathOf(name)}?${query}`)
      expect(answer.status, query).toBe(422)
      expect(answer.json, query).toEqual({ error: 'unknown_parameter', message: expect.any(String) })
    }
  })

  test('lists the allowed methods', async () => {
    const used = all.flatMap(([, other]) => (other.path === route.path ? [other.method as string] : []))
    const method = ['DELETE', 'PUT'].find((other) => !used.includes(other))!
    const answer = await ask(name, undefined, { method })
    expect(answer).toMatchObject({ status: 405, json: { error: 'method_not_allowed', message: expect.any(String) } })
    expect(answer.headers.get('allow')).toContain(route.method)
  })

  test('has no rate headers', async () => {
    const { headers } = await ask(name)
    expect([...headers.keys()].filter((header) => header.startsWith('x-ratelimit'))).toEqual([])
  })
})

describe.each(all.filter(([, route]) => Object.keys(route.query).length > 0))('%s: parameters', (name, route) => {
  const refused = (query: string) => ask(name, `${pathOf(name)}?${query}`)

  test.each(Object.keys(route.query).filter((param) => !route.query[param]!.list))(
    '%s sent as a list or an object has the wrong type',
    async (param) => {
      for (const query of [`${param}=a&${param}=b`, `${param}[]=a`, `${param}[x]=a`, `${param}[x][y]=a`, `${param}%5B%5D=a`]) {
        const answer = await refused(query)
        expect(answer.status, query).toBe(422)
        expect(answer.json.error, query).toBe('invalid_parameter_type')
      }
    },
  )

  test.each(Object.entries(route.query).filter(([, param]) => param.values))(
    '%s outside its set returns the valid values',
    async (key, param) => {
      for (const value of ['nonsense', '', `${param.values![0]}x`, param.values![0]!.toUpperCase(), ` ${param.values![0]}`]) {
        // Only source types have upper-case letters, and they are case-sensitive.
        if (param.values!.includes(value)) continue
        const { status, json } = await refused(`${key}=${encodeURIComponent(value)}`)
        expect({ status, error: json.error }, value).toEqual({ status: 422, error: `invalid_${key}` })
        const [list] = Object.keys(json).filter((field) => field.startsWith('valid_'))
        expect(json[list!]).toEqual(param.values)
      }
      for (const value of param.values!) expect((await refused(`${key}=${value}`)).status).toBe(200)
    },
  )

  test('an unknown name has priority over a wrong type, which has priority over a wrong value', async () => {
    const [first] = Object.keys(route.query)
    expect((await refused(`${first}[]=1&surprise=1`)).json.error).toBe('unknown_parameter')
    if ('limit' in route.query) expect((await refused(`limit=abc&${first}[]=1`)).json.error).toBe('invalid_parameter_type')
  })
})

describe.each(inProject)('%s: projects', (name) => {
  const others = () => ({
    "another account's": id('projects', 'fox'),
    'no such': '2000000000',
    'beyond all numbers': '99999999999999999999',
    prefixed: `proj_${id('projects', 'star')}`,
    'no number': 'starfall',
    zero: '0',
    negative: '-1',
    padded: `0${id('projects', 'star')}`,
    escaped: '%00',
  })

  test("hides another account's project like one that does not exist", async () => {
    const bodies = new Set<string>()
    for (const [kind, project] of Object.entries(others())) {
      const answer = await ask(name, pathOf(name, project, recordOf(name, kind === "another account's" ? 'fox-' : '')))
      expect(answer.status, kind).toBe(404)
      bodies.add(answer.text)
    }
    expect([...bodies]).toEqual([JSON.stringify({ error: 'not_found', message: 'Project not found.' })])
  })

  test("an invalid parameter on another account's project is still 404", async () => {
    const path = pathOf(name, id('projects', 'fox'), recordOf(name, 'fox-'))
    expect((await ask(name, `${path}?surprise=1&limit=abc`)).status).toBe(404)
  })
})

describe.each(withRecord)('%s: records', (name) => {
  test("a record of another project, its own account's or another's, is not found, nor is a malformed id", async () => {
    const bodies = new Set<string>()
    const wrong = [
      recordOf(name, 'moon-')!,
      recordOf(name, 'fox-')!,
      '2000000000',
      '00000000-0000-4000-8000-000000000000',
      'x',
      '%00',
      '1e3',
      '-1',
      '%F0',
    ]
    for (const record of wrong) {
      const answer = await ask(name, pathOf(name, undefined, record))
      expect(answer.status, record).toBe(404)
      // An invalid escape never reaches a route.
      if (record !== '%F0') bodies.add(answer.text)
    }
    expect(bodies.size).toBe(1)
  })

  test('an unknown parameter has priority over a missing record, which has priority over the body', async () => {
    const missing = pathOf(name, undefined, '2000000000')
    expect((await ask(name, `${missing}?surprise=1`)).status).toBe(422)
    if (BODIES[name]) expect((await ask(name, missing, { body: { nonsense: 1 } })).status).toBe(404)
    if (BODIES[name]) expect((await ask(name, missing, { raw: '{', body: undefined })).status).toBe(404)
  })
})

describe.each(writing)('%s: writing', (name, route) => {
  const at = (project: string) => pathOf(name, id('projects', project), onlyRecordOf(name, project))

  test('is refused on a demo account, without an upgrade link', async () => {
    const answer = await ask(name, at('demo'))
    expect(answer.status).toBe(403)
    expect(answer.json).toEqual({ error: 'demo_read_only', reason: 'demo', message: expect.any(String) })
  })

  test('is refused on an ended trial, with a way to continue', async () => {
    const answer = await ask(name, at('lapsed'))
    expect(answer.status).toBe(403)
    expect(answer.json).toEqual({
      error: 'demo_read_only',
      reason: 'trial_expired',
      message: expect.any(String),
      upgrade_url: 'https://gold.example/settings/billing',
    })
  })

  test('read-only has priority over an invalid parameter and body; a missing scope has priority over read-only', async () => {
    expect((await ask(name, `${at('demo')}?surprise=1`, { body: { nonsense: 1 } })).json.error).toBe('demo_read_only')
    expect((await ask(name, at('demo'), { token: tokenOf(`without ${route.scope}`) })).json.error).toBe('insufficient_scope')
  })

  test('reading is still allowed there', async () => {
    const list = name === 'decideAsset' ? 'listAssets' : 'listTasks'
    for (const key of ['demo', 'lapsed']) expect((await ask(list, pathOf(list, id('projects', key)))).status).toBe(200)
  })
})

describe.each(writing.filter(([, route]) => route.body))('%s: bodies', (name) => {
  test.each([
    ['not JSON', '{', 'application/json', 400, 'invalid_json'],
    ['of another type', 'task=1', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['a list', '[]', 'application/json', 422, 'invalid_parameter'],
    ['too large', `"${'x'.repeat(1024 * 1024)}"`, 'application/json', 413, 'body_too_large'],
  ])('refuses a body that is %s', async (_, raw, type, status, error) => {
    const answer = await ask(name, undefined, { raw, headers: { 'content-type': type } })
    expect({ status: answer.status, error: answer.json.error, message: typeof answer.json.message }).toEqual({
      status,
      error,
      message: 'string',
    })
  })
})

describe('a single record', () => {
  const EDITS = [
    ['editTask', 'showTask', { task: { description: 'edited' } }],
    ['editBreakage', 'showBreakage', { note: 'edited' }],
    ['editDeployment', 'showDeployment', { status: 'rolled_back', note: 'edited' }],
  ] as const

  test.each(all.filter(([, { method, path }]) => method === 'GET' && /\/:\w+$/.test(path)))(
    '%s has an ETag, and is not sent again to a client that has it',
    async (name) => {
      const first = await ask(name)
      const tag = first.headers.get('etag')!
      expect(tag).toMatch(/^"[\w-]{22}"$/)
      for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*'])
        expect(await ask(name, undefined, { headers: { 'if-none-match': known } })).toMatchObject({ status: 304, text: '' })
      expect((await ask(name, undefined, { headers: { 'if-none-match': '"other"' } })).text).toBe(first.text)
    },
  )

  test.each(EDITS)('%s changes only the version that was read, if the request says so', async (edit, show, body) => {
    const path = pathOf(edit)
    const patch = (match: string) => ask(edit, path, { body, headers: { 'if-match': match } })
    const { headers } = await ask(show, path, { method: 'GET' })
    const read = headers.get('etag')!
    const changed = await patch(read)
    expect(changed.status).toBe(200)
    const tag = (await ask(show, path, { method: 'GET' })).headers.get('etag')
    expect(changed.headers.get('etag')).toBe(tag)
    const refused = await patch(read)
    expect(refused).toMatchObject({
      status: 412,
      json: { error: 'precondition_failed', message: expect.stringContaining('changed since you read it') },
    })
    expect(refused.headers.get('etag')).toBe(tag)
    expect((await ask(show, path, { method: 'GET' })).headers.get('etag'), 'nothing changed').toBe(tag)
    expect((await patch('*')).status).toBe(200)
  })

  test('one of two concurrent edits of the same version is refused', async () => {
    const path = pathOf('editTask')
    const tag = (await ask('showTask', path, { method: 'GET' })).headers.get('etag')!
    const patch = (title: string) => ask('editTask', path, { body: { task: { title } }, headers: { 'if-match': tag } })
    const held = sql`select from tasks where account_id = ${Number(id('accounts', 'owl'))} and id = ${Number(path.split('/').at(-1))} for update`
    const ended = await overlapping(studio.db, held, 2, () => [patch('mine'), patch('yours')])
    expect(ended.map((one) => (one as PromiseFulfilledResult<{ status: number }>).value.status).sort()).toEqual([200, 412])
  })
})

describe('pages of another site', () => {
  const from = (origin: string, more = {}) => ask('listProjects', undefined, { headers: { origin }, ...more })
  const allowed = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin')

  test('can call the API with a token if the operator allows their origin, without cookies', async () => {
    const answer = await from('https://tools.example')
    expect(allowed(answer)).toBe('https://tools.example')
    expect(answer.headers.get('vary')).toBe('origin')
    expect(answer.headers.get('access-control-allow-credentials')).toBe(null)
    expect(allowed(await from('https://tools.example', { token: null }))).toBe('https://tools.example')
    const preflight = await from('https://tools.example', { method: 'OPTIONS', token: null })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('if-match')
    const stream = await fetch(`${studio.site}/api/v1/workspace/events/stream`, {
      headers: { origin: 'https://tools.example', authorization: `Bearer ${tokenOf('all')}` },
    })
    expect(allowed(stream)).toBe('https://tools.example')
    await stream.body!.cancel()
  })

  test('of any other origin cannot, and no other site can call the web app', async () => {
    expect(allowed(await from('https://other.example'))).toBe(null)
    expect(await from('https://other.example', { method: 'OPTIONS', token: null })).toMatchObject({ status: 405 })
    expect(allowed(await studio.ask('/app/api/v1/me', { headers: { origin: 'https://tools.example' } }))).toBe(null)
  })
})
