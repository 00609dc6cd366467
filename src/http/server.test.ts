import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waiting } from '../../test/support/blocked.ts'
import { sendBytes } from '../../test/support/callers/raw-http.ts'
import { keepLog } from '../../test/support/log.ts'
import { type Asking, openStudio, type Studio } from '../../test/support/studio.ts'
import { asker } from '../../test/support/studios/every-route.ts'
import { nightOwl } from '../../test/support/studios/night-owl.ts'
import { until } from '../../test/support/until.ts'
import { openDatabase, sql } from '../db/database.ts'
import { buildServer } from './server.ts'

let studio: Studio
const kept = keepLog()
beforeAll(async () => {
  studio = await openStudio(nightOwl, { service: { log: kept.log } })
})
afterAll(() => studio.close())

const { id, tokenOf, pathOf, ask } = asker(() => studio)

describe('health', () => {
  test('is public', async () => {
    expect(await studio.ask('/healthz')).toMatchObject({ status: 200, json: { status: 'ok' } })
    expect(await studio.ask('/readyz')).toMatchObject({ status: 200, json: { status: 'ready' } })
  })

  test('metrics count requests by route and status, and show the pool', async () => {
    await ask('showTask')
    await studio.ask('/no/such/page')
    const { text, headers } = await studio.ask('/metrics')
    expect(headers.get('content-type')).toMatch(/^text\/plain/)
    const route = '/api/v1/projects/:project_id/tasks/:id'
    expect(text).toContain(`goldmaster_http_request_duration_seconds_count{method="GET",route="${route}",status="200"}`)
    expect(text).toMatch(/goldmaster_http_request_duration_seconds_count\{method="GET",route="unknown",status="404"\} \d/)
    expect(text).toMatch(/goldmaster_database_connections\{pool="statements",state="total"\} \d/)
    expect(text).toContain('# TYPE goldmaster_jobs gauge')
    expect(text).toMatch(/process_cpu_seconds_total|nodejs_/)
  })
})

describe('every answer', () => {
  test('has its own request id, which is in the log', async () => {
    const answers = await Promise.all([ask('ping'), studio.ask('/no/page'), studio.ask('/%zz'), studio.ask('/api/v1/ping')])
    const ids = answers.map((answer) => answer.headers.get('x-request-id')!)
    expect(new Set(ids).size).toBe(4)
    for (const one of ids) expect(one).toMatch(/^[0-9a-f-]{36}$/)
    expect(kept.lines.find((line) => line.reqId === ids[0])).toMatchObject({
      msg: 'request',
      method: 'GET',
      path: '/api/v1/ping',
      status: 200,
    })
  })

  test('to HEAD is that to GET without its body', async () => {
    for (const name of ['listTasks', 'showTask', 'readBuildLog'] as const) {
      const [get, head] = [
        await ask(name),
        await fetch(`${studio.site}${pathOf(name)}`, { method: 'HEAD', headers: { authorization: `Bearer ${tokenOf('all')}` } }),
      ]
      expect(head.status).toBe(200)
      expect(await head.text()).toBe('')
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    }
    expect((await fetch(`${studio.site}/api/v1/ping`, { method: 'HEAD' })).status).toBe(401)
  })

  test('to a wrong method lists the allowed ones', async () => {
    const { headers, status } = await studio.ask(pathOf('listTasks'), { method: 'PUT' })
    expect(status).toBe(405)
    expect(headers.get('allow')!.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST'])
  })
})

describe('the log', () => {
  test('contains no token, no query and no body', async () => {
    const token = tokenOf('all')
    await studio.ask(`${pathOf('listTasks')}?label=hush-hush&cursor=private`, { token })
    await studio.ask(`/webhooks/github?token=${'ab'.repeat(32)}`, { method: 'POST', body: { hush: 'payload' } })
    await studio.ask(`/no/page?token=${token}`)
    await ask('createTask', undefined, { body: { task: { title: 'hush title' } } })
    await ask('createTask', undefined, { body: { task: { title: 'x', hush_field: 1 } } })
    await studio.ask('/api/v1/ping', { token: 'unknown-token-value' })
    const text = kept.text()
    expect(text).toContain(pathOf('listTasks'))
    for (const secret of [token, 'hush', 'cursor=', 'ab'.repeat(32), 'unknown-token-value', 'Bearer', 'authorization'])
      expect(text).not.toContain(secret)
  })
})

test('a client that hangs up in the middle of a body is not logged as an error', async () => {
  const before = kept.lines.length
  const socket = connect(Number(new URL(studio.site).port), '127.0.0.1')
  const head = `POST ${pathOf('createTask')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokenOf('all')}\r\n`
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{`)
  await new Promise((resolve) => setTimeout(resolve, 300))
  socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect((await ask('ping')).status).toBe(200)
  expect(kept.lines.slice(before).filter(({ level }) => Number(level) >= 50)).toEqual([])
})

describe('without a database', () => {
  test('every route returns 503 with a retry time', async () => {
    const nowhere = openDatabase('postgres://nobody@127.0.0.1:1/nowhere')
    const away = await openStudio({}, { beside: studio, service: { db: nowhere } })
    try {
      for (const [path, asking] of [
        ['/api/v1/ping'],
        [pathOf('listTasks')],
        [pathOf('showBuild')],
        [pathOf('createTask'), { method: 'POST', body: { task: { title: 'x' } } }],
        [`/webhooks/github?token=${'ab'.repeat(32)}`, { method: 'POST', body: {} }],
      ] as [string, Asking?][]) {
        const answer = await away.ask(path, { token: tokenOf('all'), ...asking })
        expect(answer, path).toMatchObject({ status: 503, json: { error: 'unavailable', message: expect.any(String) } })
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      for (const [path, status] of Object.entries({
        '/readyz': 503,
        '/healthz': 200,
        '/metrics': 200,
        '/api/docs': 200,
        '/no': 404,
      }))
        expect((await away.ask(path)).status, path).toBe(status)
    } finally {
      await away.close()
      await nowhere.close()
    }
  })

  test('a connection lost in the middle is 503 once, and the next request works', async () => {
    await ask('ping')
    await Promise.all(Array.from({ length: 6 }, () => ask('ping')))
    const others = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    expect((await studio.db.rows(others)).length).toBeGreaterThan(0)
    for (const { status } of await Promise.all(Array.from({ length: 6 }, () => ask('ping')))) expect([200, 503]).toContain(status)
    expect((await ask('ping')).status).toBe(200)
  })
})

describe('closing', () => {
  /** An unused connection ends by itself after a minute: waiting for that takes longer than this. */
  const IDLE_MS = 50_000
  /** A server whose database waits until it is released: a request runs for as long as a test wants. */
  async function slowNode() {
    const app = await buildServer(studio.service)
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const task = Number(id('tasks', 'task4'))
    const { account_id } = (await studio.db.one<{ account_id: number }>(sql`select account_id from tasks where id = ${task}`))!
    const lock = await studio.db.pool.connect()
    await lock.query('begin')
    await lock.query(`select id from tasks where account_id = ${account_id} and id = ${task} for update`)
    return { app, port: Number(port), release: async () => lock.query('rollback').finally(() => lock.release()) }
  }
  const edit = (port: number, agent: Agent) =>
    new Promise<{ status: number; connection?: string }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${tokenOf('all')}`, 'content-type': 'application/json' }
      const sent = request({ port, agent, path: pathOf('editTask'), method: 'PATCH', headers }, (reply) => {
        reply.resume().on('end', () => resolve({ status: reply.statusCode!, connection: reply.headers.connection! }))
      })
      sent.on('error', reject).end('{"task":{"priority":"high"}}')
    })
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

  test('finishes running requests, keeps no connection open and ends soon after', async () => {
    const { app, port, release } = await slowNode()
    const agent = new Agent({ keepAlive: true })
    const under = Promise.all([edit(port, agent), edit(port, agent), edit(port, agent)])
    await until(async () => (await waiting(studio.db)) >= 3)
    let ended = false
    const closing = app.close().then(() => {
      ended = true
    })
    await pause(200)
    expect(ended).toBe(false)
    await release()
    for (const answer of await under) expect(answer).toEqual({ status: 200, connection: 'close' })
    const began = Date.now()
    await closing
    expect(Date.now() - began).toBeLessThan(IDLE_MS)
    await expect(edit(port, agent)).rejects.toThrow()
    agent.destroy()
  })

  test('does not wait for unused connections', async () => {
    const { app, port, release } = await slowNode()
    await release()
    const agent = new Agent({ keepAlive: true })
    expect((await edit(port, agent)).status).toBe(200)
    const began = Date.now()
    await app.close()
    expect(Date.now() - began).toBeLessThan(IDLE_MS)
    agent.destroy()
  })

  test('does not wait for connections without any request', async () => {
    const app = await buildServer(studio.service)
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const accepted = once(app.server, 'connection')
    const silent = connect(Number(port), '127.0.0.1')
    await accepted
    const began = Date.now()
    await app.close()
    expect(Date.now() - began).toBeLessThan(IDLE_MS)
    silent.destroy()
  })
})

describe('security headers', () => {
  const asked = () =>
    [
      ['/healthz'],
      ['/readyz'],
      ['/metrics'],
      ['/no/such/page'],
      ['/%zz'],
      ['/'],
      ['/api/openapi.json'],
      ['/api/v1/projects'],
      ['/app/api/v1/welcome'],
      ['/app/api/v1/me'],
      ['/webhooks/github', 'POST'],
      ['/webhooks/github/verify'],
      ['/oauth/authorize'],
      ['/oauth/token', 'POST'],
      ['/oauth/revoke', 'POST'],
      ['/mcp', 'POST'],
      [pathOf('listTasks')],
      [pathOf('listTasks'), 'PUT'],
      [pathOf('readBuildLog')],
    ] as const

  test('are on every response: no content sniffing, and https only', async () => {
    for (const [path, method = 'GET'] of asked()) {
      const { headers } = await studio.ask(path, { method, token: tokenOf('all') })
      expect(headers.get('x-content-type-options'), path).toBe('nosniff')
      expect(headers.get('strict-transport-security'), path).toBe('max-age=31536000')
    }
    const stream = await fetch(`${studio.site}/api/v1/workspace/events/stream`, {
      headers: { authorization: `Bearer ${tokenOf('all')}` },
    })
    expect(stream.headers.get('x-content-type-options')).toBe('nosniff')
    expect(stream.headers.get('strict-transport-security')).toBe('max-age=31536000')
    await stream.body!.cancel()
    const garbled = await sendBytes(studio.site, [Buffer.from('GARBLED\r\n\r\n')])
    expect(garbled.headers['x-content-type-options']).toBe('nosniff')
  })

  test('do not require https if the service is reached without it', async () => {
    const plain = await openStudio({}, { beside: studio, service: { site: 'http://localhost:8080' } })
    try {
      const { headers } = await plain.ask('/healthz')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.has('strict-transport-security')).toBe(false)
    } finally {
      await plain.close()
    }
  })
})
