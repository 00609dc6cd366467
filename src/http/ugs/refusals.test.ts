import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepLog } from '../../../test/support/log.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import * as tokens from '../../domain/ugs/tokens.ts'

const { log, lines, text } = keepLog()
const LIMIT = 2_000

let studio: Studio
let token: string
beforeAll(async () => {
  const account = (key: string, more = {}) => ({ key, name: key, plan: 'team', payment_method: true, ...more })
  studio = await openStudio(
    {
      accounts: [account('owl'), account('fox'), account('show', { demo: true })],
      projects: [
        { key: 'star', account: 'owl', name: 'Star' },
        { key: 'moon', account: 'owl', name: 'Moon' },
        { key: 'den', account: 'fox', name: 'Den' },
        { key: 'still', account: 'owl', name: 'Still', status: 'paused' },
        { key: 'demo', account: 'show', name: 'Demo' },
      ],
    },
    { service: { log }, rates: { ugs: { points: LIMIT, seconds: 60 } } },
  )
  token = await tokenOf('star')
})
afterAll(() => studio.close())

const idOf = (key: string) => studio.world.projects[key]!.id as number
const tokenOf = async (key: string) => (await tokens.create(studio.db, idOf(key), 'everybody')).token
const POLL = 'metadata?stream=//ue5/main&project=shooter&minchange=0'
const BUILD = { Project: '//ue5/main/shooter', ChangeNumber: 7, BuildType: 'Editor', Result: 3, Url: '' }
const TOLD = { Stream: '//ue5/main', Project: 'shooter', Change: 7, UserName: 'anna', Vote: 'Good' }
const post = (path: string, body: unknown, as = token) =>
  studio.ask(`/ugs/${as}/api/${path}`, { method: 'POST', raw: typeof body === 'string' ? body : JSON.stringify(body) })
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

describe('a token', () => {
  test.each(['x', 'y'.repeat(43), 'z'.repeat(64), '%00', '..'])('that is invalid, %s, is refused', async (wrong) => {
    expect((await studio.ask(`/ugs/${wrong}/api/${POLL}`)).status).toBe(wrong === '..' ? 404 : 401)
  })

  test('is refused from the next request on when it is revoked', async () => {
    const made = await tokens.create(studio.db, idOf('star'), 'lost laptop')
    expect((await studio.ask(`/ugs/${made.token}/api/${POLL}`)).status).toBe(200)
    await tokens.revoke(studio.db, made.id)
    expect(await studio.ask(`/ugs/${made.token}/api/${POLL}`)).toMatchObject({ status: 401, json: { error: 'unauthorized' } })
    expect((await post('build', BUILD, made.token)).status).toBe(401)
  })

  test('is stored only as a hash', async () => {
    const rows = await studio.db.rows(sql`select t::text as row from ugs_tokens t`)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(await tokens.list(studio.db))).not.toContain(token)
  })

  test('works as the password of Basic authentication, whatever the user name', async () => {
    for (const user of ['', 'anna', 'ci'])
      expect((await studio.ask(`/ugs/api/${POLL}`, { headers: basic(user, token) })).status).toBe(200)
    const wrong = await studio.ask(`/ugs/api/${POLL}`, { headers: basic('anna', 'wrong') })
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic /)])
    expect((await studio.ask(`/ugs/api/${POLL}`)).status).toBe(401)
  })

  test('shows and changes nothing of other projects', async () => {
    await post('build', BUILD)
    await post('metadata', TOLD)
    for (const key of ['moon', 'den']) {
      const foreign = await tokenOf(key)
      expect((await studio.ask(`/ugs/${foreign}/api/${POLL}`)).json).toEqual({ SequenceNumber: 0, Items: [] })
      await post('build', { ...BUILD, Result: 1 }, foreign)
    }
    expect((await studio.ask(`/ugs/${token}/api/${POLL}`)).json.Items).toMatchObject([{ Badges: [{ State: 3 }] }])
  })

  test.each([
    ['still', 'project_inactive'],
    ['demo', 'demo_read_only'],
  ])('of a read-only project can read but not write: %s', async (key, error) => {
    const other = await tokenOf(key)
    expect((await studio.ask(`/ugs/${other}/api/${POLL}`)).status).toBe(200)
    expect(await post('build', BUILD, other)).toMatchObject({ status: 403, json: { error } })
  })

  test('has its own rate limit', async () => {
    const busy = await tokenOf('star')
    const { id } = (await tokens.list(studio.db, idOf('star')))[0]!
    for (let i = 0; i < LIMIT; i++) await studio.service.limits.ugs(String(id))
    expect((await studio.ask(`/ugs/${busy}/api/${POLL}`)).status).toBe(429)
    expect((await studio.ask(`/ugs/${token}/api/${POLL}`)).status).toBe(200)
  })
})

describe('a body', () => {
  const fingerprint = () =>
    studio.db.one(sql`
      select (select md5(string_agg(b::text, ',' order by b)) from ugs_badges b) as badges,
        (select md5(string_agg(u::text, ',' order by u)) from ugs_user_metadata u) as users`)

  test.each([
    ['build', ''],
    ['build', '{'],
    ['build', '[]'],
    ['build', 'null'],
    ['build', {}],
    ['build', { ...BUILD, ChangeNumber: 0 }],
    ['build', { ...BUILD, ChangeNumber: -1 }],
    ['build', { ...BUILD, ChangeNumber: 2 ** 31 }],
    ['build', { ...BUILD, ChangeNumber: 1.5 }],
    ['build', { ...BUILD, ChangeNumber: '1e3' }],
    ['build', { ...BUILD, Result: 5 }],
    ['build', { ...BUILD, Result: 'Exploded' }],
    ['build', { ...BUILD, Result: [3] }],
    ['build', { ...BUILD, Project: 'shooter' }],
    ['build', { ...BUILD, Project: '//ue5' }],
    ['build', { ...BUILD, Project: `//ue5/${'x'.repeat(600)}` }],
    ['build', { ...BUILD, Project: `//ue5/${'é'.repeat(400)}` }],
    ['build', { ...BUILD, Project: '//ue5/ma\0in' }],
    ['build', { ...BUILD, BuildType: '' }],
    ['build', { ...BUILD, BuildType: 'x'.repeat(5_000) }],
    ['build', { ...BUILD, Url: 'file:///c:/windows/system32/calc.exe' }],
    ['build', { ...BUILD, Url: 'javascript:alert(1)' }],
    ['metadata', { ...TOLD, UserName: null }],
    ['metadata', { ...TOLD, UserName: ' ' }],
    ['metadata', { ...TOLD, UserName: 'x'.repeat(500) }],
    ['metadata', { ...TOLD, Vote: 'Maybe' }],
    ['metadata', { ...TOLD, Starred: 'yes' }],
    ['metadata', { ...TOLD, Comment: 'x'.repeat(100_000) }],
    ['metadata', { ...TOLD, Badges: 'Editor' }],
    ['metadata', { ...TOLD, Badges: [null] }],
    ['metadata', { ...TOLD, Badges: Array(1_000).fill({ Name: 'x', State: 1 }) }],
    ['event', { Project: '//ue5/main', Change: 7, UserName: 'anna', Type: 10 }],
    ['event', { Project: '//ue5/main', Change: 7, Type: 1 }],
    ['comment', { Project: '//ue5/main', ChangeNumber: 7, UserName: 'anna', Text: null }],
  ])('%s %j is refused and writes nothing', async (path, body) => {
    const before = await fingerprint()
    const { status } = await post(path, body)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(await fingerprint()).toEqual(before)
  })

  test('of any content never causes a 5xx', async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary' }), fc.integer())
    const names = [...Object.keys({ ...BUILD, ...TOLD }), 'Badges', 'Synced', 'Type', 'Text']
    const body = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('build', 'metadata', 'event', 'comment'), body, async (path, told) => {
        expect((await post(path, { ...BUILD, ...TOLD, ...told })).status).toBeLessThan(500)
      }),
      { seed: 13, numRuns: 200 },
    )
  })

  test('with a lone surrogate is repaired', async () => {
    expect((await post('metadata', `{"Stream":"//ue5/main","Change":8,"UserName":"a\\ud800","Vote":"Good"}`)).status).toBe(200)
  })
})

test.each([
  'metadata',
  'metadata?stream=ue5',
  'metadata?stream=//ue5/main&minchange=x',
  'metadata?stream=//ue5/main&minchange=-1',
  'metadata?stream=//ue5/main&minchange=99999999999',
  'metadata?stream=//ue5/main&sequence=9999999999999999999',
  'metadata?stream=//ue5/%00&minchange=1',
  'build?lastbuildid=1',
  'event?project=//ue5/main&lasteventid=x',
  'user',
])('an invalid query is refused: %s', async (path) => {
  const { status } = await studio.ask(`/ugs/${token}/api/${path}`)
  expect(status).toBe(422)
})

test('no log and no metric contains a token, wherever it was sent', async () => {
  const before = lines.length
  const secret = 'sEcReT0123456789abcdefghijklmnopqrstuvwxyz0'
  const asked: [string, object?][] = [
    [`/ugs/${token}/api/${POLL}`],
    [`/ugs/${secret}/api/latest`],
    [`/ugs/${secret}/api/nothing`],
    [`/ugs/${secret}`],
    [`/UGS/${secret}/api/latest`],
    [`/ugs//${secret}/api/latest`],
    [`/ugs/${secret}/api/build`, { method: 'DELETE' }],
    [`/ugs/api/latest`, { headers: basic('anna', secret) }],
    [`/ugs/${secret}/api/build`, { method: 'POST', raw: '{' }],
  ]
  for (const [path, asking] of asked) await studio.ask(path, asking)
  await until(() => lines.slice(before).filter(({ msg }) => msg === 'request').length >= asked.length)
  const metrics = (await studio.ask('/metrics')).text
  for (const told of [text(), metrics]) {
    expect(told).not.toContain(secret)
    expect(told).not.toContain(token)
  }
  expect(metrics).toContain('route="/ugs/:token/api/metadata"')
})
