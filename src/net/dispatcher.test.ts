import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type LocalServer, openLocalServer } from '../../test/support/servers/local-server.ts'
import { HOST_USES } from '../service/environment.ts'
import { allowedHosts } from './addresses.ts'
import { type Dispatcher, openDispatcher } from './dispatcher.ts'

const servers: LocalServer[] = []
const offices: Dispatcher[] = []
afterEach(async () => {
  for (const dispatcher of offices.splice(0)) dispatcher.close()
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function listen(answer: RequestListener) {
  const opened = await openLocalServer(answer)
  servers.push(opened)
  const sockets: Socket[] = []
  opened.server.on('connection', (socket) => sockets.push(socket))
  return { url: `${opened.url}/`, sockets }
}

function dispatcher(...allowed: string[]) {
  const opened = openDispatcher(allowedHosts(allowed.length > 0 ? allowed : ['127.0.0.1', 'localhost'], HOST_USES))
  offices.push(opened)
  return (url: string, signal = new AbortController().signal) =>
    opened.post({ url, headers: {}, body: '{}', timeout: 15_000, signal })
}

test('connections are kept alive, also by name', async () => {
  const { url, sockets } = await listen((_, response) => response.end('fine'))
  const post = dispatcher()
  for (let i = 0; i < 5; i++) expect(await post(url)).toEqual({ status: 200, error: '', response: 'fine', retryAfter: 0 })
  expect(sockets).toHaveLength(1)
  expect(await post(url.replace('127.0.0.1', 'localhost'))).toMatchObject({ status: 200 })
})

test('a kept connection that the receiver closed is not a failure', async () => {
  const { url, sockets } = await listen((_, response) => response.end())
  const post = dispatcher()
  await post(url)
  // A silent reset, as by a restarted receiver: the next message written to it is lost.
  sockets[0]!.resetAndDestroy()
  expect(await post(url)).toMatchObject({ status: 200 })
  expect(sockets).toHaveLength(2)
})

test('a redirect is a normal response and is not followed', async () => {
  let asked = 0
  const { url } = await listen((_, response) => {
    asked++
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  expect(await dispatcher()(url)).toMatchObject({ status: 307 })
  expect(asked).toBe(1)
})

test('the beginning of a long response is kept, without unstorable characters', async () => {
  const { url } = await listen((_, response) => response.writeHead(500).end(`\0bad\n${'x'.repeat(1_000_000)}`))
  const { status, response } = await dispatcher()(url)
  expect(status).toBe(500)
  expect(response).toMatch(/^ bad\nx+$/)
  expect(response).toHaveLength(1024)
})

test('an endless response counts by its status', async () => {
  const control = new AbortController()
  const { url } = await listen((_, response) => {
    response.writeHead(202).write('so far', () => setTimeout(() => control.abort(), 100))
  })
  expect(await dispatcher()(url, control.signal)).toMatchObject({ status: 202, response: 'so far' })
})

test('silence, a closed port and an unknown host are distinguished', async () => {
  const { url } = await listen(() => {})
  const control = new AbortController()
  setTimeout(() => control.abort(), 100)
  const post = dispatcher()
  expect(await post(url, control.signal)).toMatchObject({ status: null, error: 'broken off' })
  expect((await post('http://127.0.0.1:9/')).error).toContain('ECONNREFUSED')
  expect((await post('http://nobody.invalid/')).error).toContain('nobody.invalid is not known')
})

test('a private host that is allowed for another use, or on another port, is not called', async () => {
  const { url, sockets } = await listen((_, response) => response.end())
  const { port } = new URL(url)
  for (const entry of ['jenkins:127.0.0.1', `perforce:localhost:${port}`, 'webhooks:127.0.0.1:9', 'webhooks:localhost:9']) {
    const post = dispatcher(entry)
    for (const address of [url, `http://localhost:${port}/`])
      expect((await post(address)).error, entry).toContain('private address')
  }
  expect(sockets).toHaveLength(0)
  expect(await dispatcher(`webhooks:127.0.0.1:${port}`)(url)).toMatchObject({ status: 200 })
})

test('the requested waiting time of busy receivers is used, up to an hour', async () => {
  const { url } = await listen((request, response) => {
    const [, status, after] = request.url!.split('/')
    response.writeHead(Number(status), { 'retry-after': after }).end()
  })
  const wait = async (path: string) => (await dispatcher()(url + path)).retryAfter
  expect(await Promise.all(['429/120', '503/86400', '500/120', '429/tomorrow'].map(wait))).toEqual([120, 3600, 0, 0])
})
