import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RawAnswer, sendBytes } from '../../test/support/callers/raw-http.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { visitor, workshop } from '../../test/support/studios/workshop.ts'
import { sql } from '../db/database.ts'

/** Requests that are invalid before they reach a route: each gets an error in the same format, and the service keeps running. */

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
})
afterAll(() => studio.close())

const { id, tokenOf } = visitor(() => studio)
const tasks = () => `/api/v1/projects/${id('projects', 'star')}/tasks`
const auth = () => `Host: x\r\nAuthorization: Bearer ${tokenOf('lead')}\r\n`
const count = async () => (await studio.db.one<{ n: number }>(sql`select count(*) as n from tasks`))!.n

function expectRefusal({ status, headers, body }: RawAnswer, expected: number, error: string) {
  expect(status, body).toBe(expected)
  expect(headers['content-type']).toMatch(/^application\/json/)
  expect(JSON.parse(body)).toEqual({ error, message: expect.any(String) })
}

describe('headers', () => {
  test('that are too long are 431', async () => {
    for (const header of [`X-Long: ${'x'.repeat(20_000)}`, `${'x'.repeat(20_000)}: 1`, `Cookie: ${'a=b; '.repeat(5000)}`])
      expectRefusal(
        await sendBytes(studio.site, `GET /api/v1/ping HTTP/1.1\r\n${auth()}${header}\r\n\r\n`),
        431,
        'headers_too_large',
      )
  })

  test('that are too many never cause a 5xx', async () => {
    const many = Array.from({ length: 1500 }, (_, i) => `a${i}: 1\r\n`).join('')
    const { status } = await sendBytes(studio.site, `GET /api/v1/ping HTTP/1.1\r\n${auth()}${many}\r\n`)
    expect([200, 401, 431]).toContain(status)
  })

  test('with a broken line or a NUL are 400', async () => {
    for (const lines of [`${auth()}X: a\0b\r\n`, `${auth()}no colon\r\n`, `${auth()}: 1\r\n`])
      expectRefusal(await sendBytes(studio.site, `GET /api/v1/ping HTTP/1.1\r\n${lines}\r\n`), 400, 'bad_request')
  })

  test('without a host are handled like others', async () => {
    const { status } = await sendBytes(
      studio.site,
      `GET /api/v1/ping HTTP/1.1\r\nAuthorization: Bearer ${tokenOf('lead')}\r\n\r\n`,
    )
    expect(status).toBe(200)
  })

  test('of an unsupported content type are 415', async () => {
    for (const type of [
      '',
      ';',
      '/',
      'application',
      'application/json, text/html',
      'application/jsonx',
      'é',
      'text/plain',
      'multipart/form-data',
    ]) {
      const body = '{"task":{"title":"x"}}'
      const answer = await sendBytes(
        studio.site,
        Buffer.from(
          `POST ${tasks()} HTTP/1.1\r\n${auth()}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
          'latin1',
        ),
      )
      expectRefusal(answer, 415, 'unsupported_media_type')
    }
  })

  test('of a content type with parameters or a suffix are read as JSON', async () => {
    const body = '{"task":{"title":"x"}}'
    for (const type of ['application/json;charset=utf-8', 'Application/JSON ; charset="UTF-8"', 'application/vnd.gold+json']) {
      const head = `POST ${tasks()} HTTP/1.1\r\n${auth()}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`
      expect((await sendBytes(studio.site, head + body)).status, type).toBe(201)
    }
  })
})

describe('addresses', () => {
  test('that are too long are 431 or 404, nothing else', async () => {
    expectRefusal(await sendBytes(studio.site, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${auth()}\r\n`), 431, 'headers_too_large')
    expectRefusal(await sendBytes(studio.site, `GET /${'x'.repeat(12_000)} HTTP/1.1\r\n${auth()}\r\n`), 404, 'not_found')
    const id = '1'.repeat(12_000)
    expectRefusal(await sendBytes(studio.site, `GET /api/v1/projects/${id} HTTP/1.1\r\n${auth()}\r\n`), 404, 'not_found')
  })

  test('in absolute form are accepted', async () => {
    const answer = await sendBytes(studio.site, `GET http://gold.example/api/v1/ping HTTP/1.1\r\n${auth()}\r\n`)
    expect(answer.status).toBe(200)
    const filtered = await sendBytes(studio.site, `GET http://gold.example${tasks()}?state=nonsense HTTP/1.1\r\n${auth()}\r\n`)
    expectRefusalOf(filtered, 422, 'invalid_state')
  })

  test('without a page are 404 in JSON', async () => {
    for (const path of [
      '/api',
      '/api/',
      '/api/v1',
      '/api/v1/',
      '/api/v2/ping',
      '//',
      '/api//v1/ping',
      '/api/v1/ping/',
      '/API/v1/ping',
      '/.env',
      '/%2e%2e/x',
      '/%',
      '/%zz',
      '/api/v1/projects/%E0%A4%A',
      '/a%00b',
      '/\\',
      '/api/v1/ping;x=1',
    ])
      expectRefusal(await sendBytes(studio.site, `GET ${path} HTTP/1.1\r\n${auth()}\r\n`), 404, 'not_found')
  })

  test('with bytes outside ASCII are 400 or 404', async () => {
    const { status } = await sendBytes(studio.site, Buffer.from(`GET /\xe9 HTTP/1.1\r\n${auth()}\r\n`, 'latin1'))
    expect([400, 404]).toContain(status)
  })
})

const expectRefusalOf = ({ status, body }: RawAnswer, expected: number, error: string) => {
  expect(status).toBe(expected)
  expect(JSON.parse(body)).toMatchObject({ error })
}

describe('methods', () => {
  test('that are unknown are 400, 404 or 405', async () => {
    for (const method of ['FOO', 'get', 'TRACE', 'CONNECT', 'PROPFIND', 'QUERY', 'PUT', 'OPTIONS', 'G\0T']) {
      const { status } = await sendBytes(studio.site, `${method} /api/v1/ping HTTP/1.1\r\n${auth()}\r\n`).catch(() => ({
        status: 400,
      }))
      expect([400, 404, 405], method).toContain(status)
    }
  })

  test('another protocol than HTTP is 400', async () => {
    for (const garbage of ['\x16\x03\x01\x02\x00\x01\x00\x01', 'GET / HTTP/9.9\r\n\r\n', 'hello\r\n\r\n', '\0\0\0\0\r\n\r\n'])
      expectRefusal(await sendBytes(studio.site, Buffer.from(garbage, 'latin1')), 400, 'bad_request')
  })
})

describe('bodies', () => {
  const json = 'Content-Type: application/json\r\n'

  test('that never end are cut off at a megabyte', async () => {
    const before = await count()
    const { hostname, port } = new URL(studio.site)
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname)
      let said = ''
      let sent = 0
      socket.write(`POST ${tasks()} HTTP/1.1\r\n${auth()}${json}Transfer-Encoding: chunked\r\n\r\n`)
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
      const more = () => {
        while (!socket.destroyed && sent < 64 * 1024 * 1024) {
          sent += chunk.length
          if (!socket.write(chunk)) return
        }
      }
      socket.on('drain', more)
      socket.on('data', (data) => {
        said += data
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(said))
      setTimeout(() => socket.destroy(), 60_000).unref()
      more()
    })
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toContain('"error":"body_too_large"')
    expect(await count()).toBe(before)
  })

  test('announced as too large are refused before they are sent', async () => {
    const answer = await sendBytes(studio.site, `POST ${tasks()} HTTP/1.1\r\n${auth()}${json}Content-Length: 99999999999\r\n\r\n`)
    expectRefusal(answer, 413, 'body_too_large')
  })

  test('with an invalid length are 400', async () => {
    for (const lines of [
      'Content-Length: -1',
      'Content-Length: x',
      'Content-Length: 1\r\nContent-Length: 2',
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: gzip',
    ])
      expectRefusalOf(
        await sendBytes(studio.site, `POST ${tasks()} HTTP/1.1\r\n${auth()}${json}${lines}\r\n\r\n{}`),
        400,
        'bad_request',
      )
  })

  test('with invalid chunks are 400 and write nothing', async () => {
    const before = await count()
    for (const chunks of ['zz\r\n{}\r\n0\r\n\r\n', '-1\r\n', '5\r\n{"task":{"title":"x"}}\r\n0\r\n\r\n']) {
      const { status } = await sendBytes(
        studio.site,
        `POST ${tasks()} HTTP/1.1\r\n${auth()}${json}Transfer-Encoding: chunked\r\n\r\n${chunks}`,
      )
      expect(status).toBe(400)
    }
    expect(await count()).toBe(before)
  })

  test('longer than announced are cut off there, and the rest is not a request', async () => {
    const body = '{"task":{"title":"cut"}}'
    const head = `POST ${tasks()} HTTP/1.1\r\n${auth()}${json}Content-Length: ${body.length}\r\n\r\n`
    const before = await count()
    const answer = await sendBytes(studio.site, `${head}${body}${body}\r\n\r\n`)
    expect([201, 400]).toContain(answer.status)
    expect((await count()) - before).toBeLessThanOrEqual(1)
  })

  test('that stop halfway write nothing', async () => {
    const { hostname, port } = new URL(studio.site)
    const socket = connect(Number(port), hostname)
    socket.write(`POST ${tasks()} HTTP/1.1\r\n${auth()}${json}Content-Length: 50\r\n\r\n{"task":{"title":"half`)
    await new Promise((resolve) => setTimeout(resolve, 200))
    socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await studio.db.rows(sql`select id from tasks where title like 'half%'`)).toEqual([])
    expect((await studio.ask('/api/v1/ping', { token: tokenOf('lead') })).status).toBe(200)
  })

  test('on a request without a body are ignored', async () => {
    const answer = await sendBytes(studio.site, `GET /api/v1/ping HTTP/1.1\r\n${auth()}${json}Content-Length: 1\r\n\r\n{`)
    expect(answer.status).toBe(200)
  })
})
