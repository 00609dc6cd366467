import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openNode } from './support/killing.ts'
import { openStudio, type Studio } from './support/studio.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team' }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'all', user: 'kim', name: 'all', scopes: ['read:workspace_events'] }],
    integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
  })
})
afterAll(() => studio.close())

/** Writes the chunks one after the other, each after a response or a moment, and then disconnects. */
function disturb(site: string, pieces: (string | Buffer)[], end: 'destroy' | 'reset' | 'half'): Promise<void> {
  const { hostname, port } = new URL(site)
  return new Promise((done) => {
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, async () => {
      for (const piece of pieces) {
        socket.write(piece)
        await new Promise((next) => setTimeout(next, 30))
      }
      if (end === 'reset') socket.resetAndDestroy()
      else if (end === 'destroy') socket.destroy()
      else socket.end()
    })
    const timer = setTimeout(() => socket.destroy(), 2_000)
    socket.on('error', () => {}).resume()
    socket.on('close', () => {
      clearTimeout(timer)
      done()
    })
  })
}

test('whatever one connection sends, it ends that connection and not the service', async () => {
  const node = await openNode(studio)
  const { token } = studio.world.tokens.all!
  const hook = `POST /webhooks/ci?token=${studio.world.integrations.ci!.webhook_token} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
  const stream = `GET /api/v1/workspace/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const bytes = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 197) % 256))
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'
  const conversations: (string | Buffer)[][] = [
    [bytes],
    ['\r\n\r\n\r\n'],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', bytes],
    [Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), bytes],
    [`GET /healthz HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`, bytes],
    [`GET /api/v1/workspace/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${upgrade}\r\n`, bytes],
    [
      `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
      bytes,
    ],
    [`${hook}${upgrade}Content-Length: 10\r\n\r\n`, bytes],
    ['CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', bytes],
    [stream, bytes],
    [stream, 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', bytes],
    ['GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: 200-maybe\r\n\r\n', bytes],
    [`${hook}Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n`, bytes],
    [`${hook}Transfer-Encoding: chunked\r\n\r\n`, 'ffffffffffffffffffff\r\n', bytes],
    [`${hook}Transfer-Encoding: chunked\r\n\r\n`, '5\r\n{"a":\r\n', 'ZZ\r\n', bytes],
    [`${hook}Transfer-Encoding: chunked\r\n\r\n0\r\n`, `Trailer: ${'x'.repeat(100_000)}\r\n`, bytes],
    [`${hook}Transfer-Encoding: gzip, chunked\r\n\r\n`, '5\r\nhello\r\n0\r\n\r\n'],
    [`${hook}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`],
    [`${hook}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, bytes],
    [`${hook}Content-Length: 99999999999999999999\r\n\r\n`, bytes],
    [`${hook}Content-Length: -1\r\n\r\n`, bytes],
    [`${hook}Content-Length: 2000000\r\n\r\n{"a":"`, bytes],
    [`GET /${'a'.repeat(200_000)} HTTP/1.1\r\n\r\n`],
    [`GET /healthz HTTP/1.1\r\n${'x: y\r\n'.repeat(5_000)}\r\n`],
    ['GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000)],
    [`${'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20)}\0\0\0`],
    ['GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['GET //%zz%00?%zz HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['GET /healthz HTTP/1.0\r\n\r\n', bytes],
    ['GET /healthz HTTP/9.9\r\n\r\n'],
    ...['/mcp', '/app/auth/sign-in/email', '/api/v1/cli/token_exchange'].flatMap((path) => {
      const post = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n`
      const call = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
      return [
        [`${post}Transfer-Encoding: chunked\r\n\r\n`, '5\r\n{"a":\r\n', 'ZZ\r\n', bytes],
        [`${post}Content-Length: ${call.length}\r\n\r\n${call}`, bytes],
        [`${post}Content-Length: ${call.length}\r\n\r\n${call}${'\0'.repeat(100)}`],
      ]
    }),
    [`GET /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`, bytes],
    ['BREW /pot HTTP/1.1\r\n\r\n'],
  ]
  for (const end of ['destroy', 'reset', 'half'] as const)
    await Promise.all(conversations.map((pieces) => disturb(node.site, pieces, end)))
  const answer = await fetch(`${node.site}/readyz`).catch(() => undefined)
  const ended = await node.kill('SIGTERM')
  expect({ ready: answer?.status, ended }).toEqual({ ready: 200, ended: 0 })
})
