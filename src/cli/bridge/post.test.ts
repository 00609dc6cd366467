import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { BridgeRefused, post } from './post.ts'

let server: Server | undefined
afterEach(() => server?.close())

async function listen(answer: RequestListener) {
  server = createServer(answer)
  await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/perforce`
}
const telling = (url: string, said: string[] = []) =>
  post({ url, token: 'the token', body: { changelist: 1 }, signal: AbortSignal.timeout(200_000), say: (text) => said.push(text) })

test('a bridge waits as long as requested, and through temporary failures', async () => {
  const replies = [429, 503, 403, 202]
  const seen: { at: number; token: unknown }[] = []
  const url = await listen((request, reply) => {
    seen.push({ at: Date.now(), token: request.headers['x-service-token'] })
    const status = replies.shift()!
    reply.writeHead(status, status === 429 ? { 'retry-after': '2' } : status === 202 ? {} : { 'retry-after': '0' }).end('{}')
  })
  const said: string[] = []
  await telling(url, said)
  expect(seen).toHaveLength(4)
  expect(seen[1]!.at - seen[0]!.at).toBeGreaterThanOrEqual(1_990)
  expect(seen.every(({ token }) => token === 'the token')).toBe(true)
  expect(said[0]).toContain('429')
})

test('a bridge waits for an unreachable service', async () => {
  const url = await listen((_, reply) => reply.end('{}'))
  const { port } = server!.address() as AddressInfo
  server!.close()
  const said: string[] = []
  const told = telling(url, said)
  await until(() => said.length > 0)
  server!.listen(port, '127.0.0.1')
  await told
  expect(said[0]).toContain('ECONNREFUSED')
})

test.each([401, 404, 413, 422, 302])('a bridge does not retry a permanent refusal: %i', async (status) => {
  const url = await listen((_, reply) => reply.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('{"error":"no"}'))
  await expect(telling(url)).rejects.toMatchObject({ status, message: expect.stringContaining('no') })
  await expect(telling(url)).rejects.toBeInstanceOf(BridgeRefused)
})
