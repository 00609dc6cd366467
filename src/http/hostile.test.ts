import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RawAnswer, sendBytes } from '../../test/support/callers/raw-http.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { all, asker, BODIES } from '../../test/support/studios/every-route.ts'
import { nightOwl, sha } from '../../test/support/studios/night-owl.ts'
import type { RouteName } from '../contract/routes.ts'
import { sql } from '../db/database.ts'

/** Whatever is sent, the service responds in its own format: never a 5xx, and a refused request writes nothing. */

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(nightOwl)
})
afterAll(() => studio.close())

const { tokenOf, pathOf } = asker(() => studio)
/** A file may have any bytes. */
const writing = (Object.keys(BODIES) as RouteName[]).filter((name) => name !== 'attachToComment' && name !== 'uploadPreview')

const fingerprint = () =>
  studio.db.one(sql`
    select (select md5(string_agg(t::text, ',' order by id)) from tasks t) as tasks,
      (select md5(string_agg(p::text, ',' order by id)) from approvals p) as approvals,
      (select md5(string_agg(a::text, ',' order by id)) from assets a) as assets`)

interface Sending {
  path: string
  method?: string
  body?: Buffer | string
  headers?: string[]
  token?: string
}
const send = ({ path, method = 'GET', body, headers = [], token = tokenOf('all') }: Sending) => {
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: gold.example',
    `Authorization: Bearer ${token}`,
    ...(bytes ? [`Content-Length: ${bytes.length}`, 'Content-Type: application/json'] : []),
    'Connection: close',
    ...headers,
  ]
  return sendBytes(studio.site, [Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), ...(bytes ? [bytes] : [])])
}

/** An error in our format, or a plain success. */
function expectCivil({ status, body, headers }: RawAnswer, sent: string) {
  const what = sent.slice(0, 60)
  expect(status, `${what}: ${body.slice(0, 200)}`).toBeLessThan(500)
  expect(status, what).toBeGreaterThanOrEqual(200)
  if (status < 400) return
  if (status === 401) return expect(body, what).toBe('')
  expect(headers['content-type'], what).toMatch(/^application\/json/)
  expect(JSON.parse(body), what).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) })
  expect(Buffer.byteLength(body), `${what}: a refusal does not echo what was sent`).toBeLessThan(2500)
}

const VALUES = [
  '%00',
  'a%00b',
  '%',
  '%zz',
  '%E0%A4%A',
  '%ED%A0%80',
  '%F0%9F%8E%AE',
  '%0d%0aX-Evil:%201',
  '..%2f..%2fetc',
  "'%20or%201=1--",
  '%22',
  '%5c',
  '%2525',
  '99999999999999999999999',
  '1e400',
  '-0',
  'NaN',
  '%C0%80',
  '%FF',
  ' '.trim(),
  '__proto__',
  'constructor',
  '%E2%80%AE',
  'x'.repeat(8000),
]
const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '__proto__[x]',
  'constructor[prototype][x]',
  '',
  '%00',
  '%',
  '[]',
  '[',
  ']',
  'limit%00',
  'limit[',
  'x'.repeat(5000),
  '%ED%A0%80',
]

describe.each(all)('%s', (name, route) => {
  test('handles hostile values of every parameter', async () => {
    for (const param of Object.keys(route.query).length > 0 ? Object.keys(route.query) : ['surprise'])
      for (const value of VALUES)
        expectCivil(
          await send({ path: `${pathOf(name)}?${param}=${value}`, method: route.method, body: route.body && '{}' }),
          `${param}=${value}`,
        )
  })

  test('handles hostile parameter names', async () => {
    for (const param of NAMES) {
      const answer = await send({ path: `${pathOf(name)}?${param}=1`, method: route.method, body: route.body && '{}' })
      expectCivil(answer, param)
      expect(answer.status).toBe(422)
    }
    const many = Array.from({ length: 1000 }, (_, i) => `p${i}=1`).join('&')
    expectCivil(await send({ path: `${pathOf(name)}?${many}`, method: route.method }), 'a thousand parameters')
  })

  test('handles hostile path parameters', async () => {
    for (const value of VALUES.filter((one) => one !== '')) {
      const path = `/api${route.path.replace(/:\w+/g, value)}`
      if (path === `/api${route.path}`) return
      expectCivil(await send({ path, method: route.method, body: route.body && '{}' }), path)
    }
  })

  test('handles hostile tokens', async () => {
    for (const token of ['\x00', 'é', 'a'.repeat(8000), "' or 1=1--", 'Bearer x', '%00', '\t', ''])
      expect([400, 401], token).toContain((await send({ path: pathOf(name), method: route.method, token })).status)
  })
})

describe.each(writing)('%s: bodies', (name) => {
  const method = all.find(([other]) => other === name)![1].method
  const inTask = (json: string) => {
    if (name === 'correctBuild') return `{"cause":${json}}`
    if (name === 'decideAsset') return `{"status":"approved","comments":${json}}`
    if (name === 'markBranchGood') return `{"branch":"main","change":"${sha(4)}","reason":${json}}`
    if (name === 'editTest') return `{"quarantined_until":"${new Date(Date.now() + 86_400_000).toISOString()}","reason":${json}}`
    if (name === 'createComment') return `{"record":"task/1","body":${json}}`
    if (name === 'createShareLink') return `{"artifact_id":${json}}`
    if (name === 'editComment' || /^create\w+Comment$/.test(name)) return `{"body":${json}}`
    if (name === 'muteAgent') return `{"agent":"BUILD-07","reason":${json}}`
    return name === 'editBreakage' || name === 'editDeployment' ? `{"note":${json}}` : `{"task":{"title":${json}}}`
  }
  const deep = (n: number) => `${'['.repeat(n)}${']'.repeat(n)}`
  const nested = (n: number) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`
  const keys = (n: number) => `{${Array.from({ length: n }, (_, i) => `"k${i}":1`).join(',')}}`

  test.each<[what: string, body: Buffer | string]>([
    ['nothing', ''],
    ['blanks', ' \n '],
    ['null', 'null'],
    ['true', 'true'],
    ['a number', '1e400'],
    ['text', '"x"'],
    ['an empty list', '[]'],
    ['a list 100,000 deep', deep(100_000)],
    ['an object 100,000 deep', nested(100_000)],
    ['a task 100,000 deep', `{"task":${nested(100_000)}}`],
    ['labels 100,000 deep', `{"task":{"title":"x","labels":${deep(100_000)}}}`],
    ['metadata 50,000 deep', `{"task":{"title":"x","metadata":${nested(50_000)}}}`],
    ['a title 100,000 deep', inTask(deep(100_000))],
    ['an unclosed list', '['.repeat(100_000)],
    ['NUL written plainly', '{"task":{"title":"\x00"}}'],
    ['NUL as an escape', inTask('"a\\u0000b"')],
    ['a NUL in a key', '{"\\u0000":1}'],
    ['a prototype', '{"__proto__":{"task":{"title":"x"}}}'],
    ['a prototype inside', '{"task":{"__proto__":{"title":"x"},"constructor":1}}'],
    ['a task that is a prototype', '{"constructor":{"prototype":{"title":"x"}}}'],
    ['a huge number', inTask('123456789012345678901234567890')],
    ['100,000 keys', keys(50_000)],
    ['100,000 keys in the task', `{"task":${keys(50_000)}}`],
    ['a name of 100 KB', `{"${'x'.repeat(100_000)}":1}`],
    ['a name of 100 KB in the task', `{"task":{"${'x'.repeat(100_000)}":1}}`],
    ['metadata with a number out of range', '{"task":{"title":"x","metadata":{"n":1e400}}}'],
    ['a user id out of range', '{"task":{"title":"x","user_id":1e400}}'],
    ['broken UTF-8', Buffer.concat([Buffer.from('{"task":{"title":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}}')])],
    ['UTF-16', Buffer.from('{"task":{"title":"x"}}', 'utf16le')],
    ['something compressed', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
    ['two documents', '{"task":{"title":"x"}}{"task":{"title":"y"}}'],
    ['a comment', '{"task":{"title":"x"}/* */}'],
    ['a trailing comma', '{"task":{"title":"x",}}'],
    ['a title of 100 KB', inTask(`"${'x'.repeat(100_000)}"`)],
    ['a title of a megabyte', inTask(`"${'x'.repeat(1_000_000)}"`)],
    ['more than a megabyte', inTask(`"${'x'.repeat(1_100_000)}"`)],
  ])('refuses %s and writes nothing', async (what, body) => {
    const before = await fingerprint()
    const answer = await send({ path: pathOf(name), method, body })
    expectCivil(answer, what)
    expect(answer.status, what).toBeGreaterThanOrEqual(400)
    expect(await fingerprint()).toEqual(before)
  })

  test('replaces lone surrogates, accepts CRLF and other odd text as written', async () => {
    for (const json of ['"\\ud800 half"', '"a\\r\\nSet-Cookie: x\\r\\n"', '"\\u202e\\ufeff\\u2028"', '"<script>"']) {
      const answer = await send({ path: pathOf(name), method, body: inTask(json) })
      expectCivil(answer, json)
      // These have no text, and one has only an id.
      const isTextless = ['actOnBuild', 'reactToComment', 'resolveComment'].includes(name)
      expect(name === 'createShareLink' ? [404] : isTextless ? [422] : [200, 201], json).toContain(answer.status)
      expect(answer.headers['set-cookie']).toBe(undefined)
    }
  })
})

describe('generated requests', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom(
      '\0',
      '__proto__',
      'constructor',
      '',
      '\r\n',
      '\ud800',
      'to_do',
      'user:1',
      'handle:x',
      '2026-01-01',
      'true',
      '50',
      '💥',
    ),
  )
  const key = fc.oneof(
    text,
    fc.constantFrom(
      'task',
      'title',
      'state',
      'labels',
      'metadata',
      'user_id',
      'status',
      'comments',
      'stage',
      'description_append',
      'via_api_token_id',
    ),
  )
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.double(),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
    ),
    object: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
  }))
  const task = fc.record({ task: fc.oneof(json.object, json.value) })
  const body = fc.oneof(
    json.value,
    task,
    fc.record({ status: fc.oneof(fc.constant('denied'), json.value), comments: json.value }, { requiredKeys: [] }),
  )
  const names = [...new Set(all.flatMap(([, route]) => Object.keys(route.query)))]
  const query = fc.array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom(...names),
        fc.constantFrom(...names).map((one) => `${one}[]`),
        text,
      ),
      text,
    ),
    { maxLength: 4 },
  )

  test('never cause a 5xx, and accepted values can be read back', async () => {
    const runs = Number(process.env.HOSTILE_RUNS ?? 250)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...all), query, body, async ([name, route], pairs, sent) => {
        const search = pairs.map(
          ([param, value]) => `${encodeURIComponent(param.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
        )
        // Half of the bodies are sent without a query, or none would ever be read.
        const url = `${studio.site}${pathOf(name)}${route.body && search.length < 3 ? '' : `?${search.join('&')}`}`
        const response = await fetch(url, {
          method: route.method,
          headers: { authorization: `Bearer ${tokenOf('all')}`, 'content-type': 'application/json' },
          ...(route.body ? { body: JSON.stringify(sent) } : {}),
        })
        const answer = await response.text()
        expect(response.status, answer).toBeLessThan(500)
        if (response.status >= 400)
          expect(JSON.parse(answer)).toMatchObject({ error: expect.any(String), message: expect.any(String) })
        else if (route.body && name !== 'decideAsset') {
          const { id: made, ...rest } = JSON.parse(answer)
          const read = await studio.ask(pathOf('showTask', undefined, String(made)), { token: tokenOf('all') })
          expect(read.json).toEqual({ id: made, ...rest })
        }
      }),
      { numRuns: runs },
    )
  })
})
