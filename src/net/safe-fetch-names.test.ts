import dns from 'node:dns/promises'
import { createServer, type Server } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { allowedHosts } from './addresses.ts'
import { safeFetch } from './safe-fetch.ts'

// A name server that changes its answer between two lookups.
const lookup = vi.spyOn(dns, 'lookup')
syncBuiltinESMExports()
const answers = (...lists: string[][]) => {
  for (const list of lists)
    lookup.mockResolvedValueOnce(list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })) as never)
}

let server: Server
let connections = 0
let url: string
beforeAll(async () => {
  server = createServer((request, reply) => reply.end(request.headers.host))
  server.on('connection', () => connections++)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://rebinding.example:${(server.address() as AddressInfo).port}/`
})
afterAll(() => {
  server.close()
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})
beforeEach(() => {
  lookup.mockReset()
  connections = 0
})

test('a name is resolved once, and the checked address is the one that is called', async () => {
  answers(['127.0.0.1'], ['127.0.0.2'])
  const { body } = await safeFetch(url, allowedHosts(['127.0.0.1']))
  expect(body.toString()).toBe(new URL(url).host)
  expect(lookup).toHaveBeenCalledTimes(1)
  expect(connections).toBe(1)
})

test('one private address among public ones is enough to refuse', async () => {
  for (const hidden of ['127.0.0.1', '::1', '10.0.0.1', '::ffff:127.0.0.1', '169.254.169.254']) {
    answers(['93.184.216.34', hidden])
    await expect(safeFetch(url, allowedHosts([]))).rejects.toThrow('ALLOW_PRIVATE_HOSTS')
  }
  expect(connections).toBe(0)
})

test('a name in a redirect is resolved and checked again', async () => {
  const turning = createServer((_, reply) => reply.writeHead(302, { location: '/next' }).end())
  await new Promise<void>((done) => turning.listen(0, '127.0.0.1', done))
  answers(['127.0.0.1'], ['127.0.0.9'])
  const address = `http://rebinding.example:${(turning.address() as AddressInfo).port}/`
  await expect(safeFetch(address, allowedHosts(['127.0.0.1']))).rejects.toThrow('private address')
  turning.close()
})
