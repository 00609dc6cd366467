import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { signIn } from '../../../test/support/callers/visitor.ts'
import { keepLog } from '../../../test/support/log.ts'
import { type Asking, openStudio, type Studio, type StudioSettings } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'

const PASSWORD = 'a long enough password'
let main: Studio
beforeAll(async () => {
  main = await openStudio({
    ...workshop,
    users: workshop.users.map((user) => (user.key === 'lead' ? { ...user, password: PASSWORD } : user)),
    tokens: [...workshop.tokens, { key: 'reader', user: 'lead', name: 'reader', scopes: ['read:tasks'] }],
    tasks: [{ key: 't', project: 'star', title: 'Busy' }],
    assets: [{ key: 'a', project: 'star', name: 'a', path: 'a', asset_type: 'texture' }],
  })
})
afterAll(() => main.close())

const { id, tokenOf } = visitor(() => main)
const tasks = () => `/api/v1/projects/${id('projects', 'star')}/tasks`

/** A node over the same database with its own limits, closed when the work is done. */
async function withNode(settings: StudioSettings, work: (node: Studio) => Promise<void>) {
  const node = await openStudio({}, { beside: main, ...settings })
  await work(node).finally(() => node.close())
}
const create = (node: Studio, as = 'lead', more: Asking = {}) =>
  node.ask(tasks(), { method: 'POST', token: tokenOf(as), body: { task: { title: 'x' } }, ...more })
const statuses = async (answers: Promise<{ status: number }>[]) => (await Promise.all(answers)).map((answer) => answer.status)

describe('task writes', () => {
  const rates = (points: number, seconds = 60) => ({ rates: { taskWrites: { points, seconds } } })

  test('up to the limit pass, and the next gets a retry time', async () => {
    await withNode(rates(60, 600), async (node) => {
      const began = Date.now()
      const left = () => 600 - (Date.now() - began) / 1000
      const edit = () =>
        node.ask(`${tasks()}/${id('tasks', 't')}`, {
          method: 'PATCH',
          token: tokenOf('lead'),
          body: { task: { priority: 'low' } },
        })
      for (let i = 0; i < 30; i++) {
        expect((await create(node)).status).toBe(201)
        expect((await edit()).status).toBe(200)
      }
      for (const write of [() => create(node), edit]) {
        const before = left()
        const refused = await write()
        expect(refused).toMatchObject({ status: 429, json: { error: 'rate_limited', message: expect.any(String) } })
        // The window opened with the first request, a moment after `began`.
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(Math.floor(left()))
        expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(Math.ceil(before) + 1)
        expect([...refused.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
      }
      expect((await create(node, 'artist')).status).toBe(201)
      expect((await node.ask(tasks(), { token: tokenOf('lead') })).status).toBe(200)
      const decision = `/api/v1/projects/${id('projects', 'star')}/assets/${id('assets', 'a')}/approvals`
      const decided = await node.ask(decision, { method: 'POST', token: tokenOf('lead'), body: { status: 'approved' } })
      expect(decided.status).toBe(201)
    })
  })

  test('that are refused count as soon as the token is known; the limit comes before scope, project and body', async () => {
    await withNode(rates(4), async (node) => {
      expect((await create(node, 'reader')).status).toBe(403)
      expect((await create(node, 'reader')).status).toBe(403)
      expect((await create(node, 'reader', { raw: '{' })).status).toBe(403)
      expect((await create(node, 'reader')).status).toBe(403)
      expect((await create(node, 'reader')).status).toBe(429)
      expect((await create(node, 'reader', { raw: '{' })).status).toBe(429)
    })
    await withNode(rates(3), async (node) => {
      const foreign = `/api/v1/projects/${id('projects', 'den')}/tasks`
      const post = { method: 'POST', token: tokenOf('lead'), body: { task: { title: 'x' } } }
      expect((await node.ask(foreign, post)).status).toBe(404)
      expect((await node.ask(`${tasks()}?surprise=1`, post)).status).toBe(422)
      expect((await node.ask(tasks(), { ...post, body: {} })).status).toBe(422)
      expect((await node.ask(foreign, post)).status).toBe(429)
    })
  })

  test('without a token never reach a limit and do not count', async () => {
    await withNode(rates(1), async (node) => {
      for (let i = 0; i < 4; i++) expect((await create(node, 'lead', { token: 'A'.repeat(43) })).status).toBe(401)
      expect((await create(node)).status).toBe(201)
      expect((await create(node, 'lead', { token: null })).status).toBe(401)
      expect((await create(node)).status).toBe(429)
    })
  })

  test('in parallel pass up to the limit and not one more', async () => {
    await withNode(rates(10), async (node) => {
      const answers = await statuses(Array.from({ length: 25 }, () => create(node)))
      expect(answers.filter((status) => status === 201)).toHaveLength(10)
      expect(answers.filter((status) => status === 429)).toHaveLength(15)
    })
  })

  test('pass after the retry time, and attempts in between cost nothing', async () => {
    await withNode(rates(2), async (node) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      try {
        expect(await statuses([create(node), create(node)])).toEqual([201, 201])
        const refused = await create(node)
        expect(refused.status).toBe(429)
        await create(node)
        const wait = Number(refused.headers.get('retry-after'))
        expect(wait).toBeLessThanOrEqual(60)
        vi.setSystemTime(Date.now() + wait * 1000)
        expect((await create(node)).status).toBe(201)
      } finally {
        vi.useRealTimers()
      }
    })
  })

  test('with a clock that was set back wait no longer than the window', async () => {
    await withNode(rates(1), async (node) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      try {
        expect((await create(node)).status).toBe(201)
        vi.setSystemTime(Date.now() - 3_600_000)
        const refused = await create(node)
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
      } finally {
        vi.useRealTimers()
      }
    })
  })
})

describe('requests per address', () => {
  const rates = (points: number) => ({ rates: { requests: { points, seconds: 300 } } })
  const raw = async (node: Studio, path: string) => {
    const { request } = await import('node:http')
    return new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(node.site)
      const sent = request({ hostname, port, path }, (reply) => resolve(reply.resume().statusCode!))
      sent.on('error', reject).end()
    })
  }

  test('count over the whole application and come before the token', async () => {
    const asked: [path: string, status: number, asking?: Asking][] = [
      ['/no/such/page', 404],
      ['/api/docs', 200],
      ['/api/openapi.json', 200],
      ['/api/v1/ping', 401],
      ['/api/v1/ping', 405, { method: 'DELETE' }],
      ['/webhooks/github', 401, { method: 'POST', body: {} }],
      ['/no/page/either', 404],
    ]
    await withNode(rates(asked.length + 2), async (node) => {
      for (const [path, status, asking] of asked) expect((await node.ask(path, asking)).status, path).toBe(status)
      expect(await raw(node, '/%E0%A4%A')).toBe(404)
      expect((await node.ask('/api/v1/ping', { token: tokenOf('lead') })).status).toBe(200)
      for (const [path, , asking] of [...asked, ['/api/v1/ping', 200, { token: tokenOf('lead') }] as const]) {
        const answer = await node.ask(path, asking)
        expect(answer, path).toMatchObject({ status: 429, json: { error: 'rate_limited', message: expect.any(String) } })
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(295)
      }
      expect(await raw(node, '/%E0%A4%A')).toBe(429)
      expect(await raw(node, `/api/v1/projects/${'9'.repeat(5000)}`)).toBe(429)
    })
  })

  test("exclude the operators' probes", async () => {
    await withNode(rates(1), async (node) => {
      for (let i = 0; i < 3; i++)
        for (const path of ['/healthz', '/readyz', '/metrics', '/healthz?x=1'])
          expect((await node.ask(path)).status, path).toBe(200)
      expect((await node.ask('/api/docs')).status).toBe(200)
      expect((await node.ask('/api/docs')).status).toBe(429)
      for (const path of ['/healthz', '/readyz', '/metrics']) expect((await node.ask(path)).status).toBe(200)
    })
  })

  test('ignore headers with another address', async () => {
    await withNode(rates(2), async (node) => {
      const from = (address: string) =>
        node.ask('/api/docs', { headers: { 'x-forwarded-for': address, forwarded: `for=${address}` } })
      expect(await statuses([from('203.0.113.1'), from('203.0.113.2')])).toEqual([200, 200])
      expect((await from('203.0.113.3')).status).toBe(429)
    })
  })

  test('trust a configured proxy, and only the address that the proxy itself saw', async () => {
    await withNode({ ...rates(1), service: { trustProxy: ['127.0.0.1'] } }, async (node) => {
      const from = (address: string) => node.ask('/api/docs', { headers: { 'x-forwarded-for': address } })
      expect((await from('203.0.113.1')).status).toBe(200)
      expect((await from('203.0.113.2')).status).toBe(200)
      expect((await from('203.0.113.1')).status).toBe(429)
      expect((await from('198.51.100.7, 203.0.113.1')).status).toBe(429)
    })
  })

  test('show the operator who was refused and which setting to raise: a metric, and a log line per minute', async () => {
    const { log, lines } = keepLog()
    await withNode({ ...rates(1), service: { log } }, async (node) => {
      expect(await statuses([1, 2, 3, 4].map(() => node.ask('/api/docs')))).toEqual(expect.arrayContaining([200, 429]))
      const { text } = await node.ask('/metrics')
      expect(text).toContain('goldmaster_rate_limited_total{setting="LIMIT_REQUESTS_PER_IP"} 3')
      expect(text).toContain('goldmaster_rate_limited_total{setting="LIMIT_WEBHOOKS"} 0')
      const told = lines.filter(({ setting }) => setting !== undefined)
      expect(told).toEqual([expect.objectContaining({ level: 40, setting: 'LIMIT_REQUESTS_PER_IP', by: '127.0.0.1' })])
    })
  })

  test('count a batch of a session once, and its parts respond as they would alone', async () => {
    const { cookie } = await signIn(main, 'lead@example.com', PASSWORD)
    const alone = async (path: string) => (await main.ask(`/app/api${path}`, { headers: { cookie } })).json
    const star = `/v1/projects/${id('projects', 'star')}`
    const parts = [
      '/v1/me',
      `${star}/overview`,
      `/v1/projects/${id('projects', 'den')}/overview`,
      `${star}/tasks?state=nowhere`,
      star,
    ]
    const batchOf = (paths: string[]) =>
      `/app/api/v1/batch?${new URLSearchParams(paths.map((path): [string, string] => ['get', path]))}`
    await withNode(rates(6), async (node) => {
      const ask = (paths: string[], headers: Record<string, string> = { cookie }) => node.ask(batchOf(paths), { headers })
      const { status, text } = await ask(parts)
      expect(status).toBe(200)
      const lines = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const answers = lines.sort((a, b) => a.part - b.part)
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 404, 422, 200])
      expect(answers.map(({ body }) => body)).toEqual(await Promise.all(parts.map(alone)))
      // Too many parts, a write, the batch itself, an endless stream, and a caller without a session.
      expect((await ask(Array(21).fill('/v1/me'))).status).toBe(422)
      expect((await ask(['/v1/me/password'])).status).toBe(422)
      expect((await ask(['/v1/batch?get=/v1/me'])).status).toBe(422)
      expect((await ask(['/v1/workspace/events/stream?account_id=1'])).status).toBe(422)
      expect((await ask(['/v1/me'], { authorization: `Bearer ${tokenOf('lead')}` })).status).toBe(401)
      expect((await ask(parts)).status).toBe(429)
    })
  })
})
