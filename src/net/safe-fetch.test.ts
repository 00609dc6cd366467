import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { allowedHosts, isPrivate } from './addresses.ts'
import { resolveHost, safeFetch, Unreachable } from './safe-fetch.ts'

const local = allowedHosts(['127.0.0.0/8', '::1'])
const nobody = allowedHosts([])

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server on every local address, which counts connections. */
async function listen(answer: RequestListener, host = '127.0.0.1') {
  const server = createServer(answer)
  open.push(server)
  const seen = { connections: 0 }
  server.on('connection', () => seen.connections++)
  await new Promise<void>((done) => server.listen(0, host, done))
  return { port: (server.address() as AddressInfo).port, seen }
}

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.0.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '100::1',
    'not an address',
    '',
  ])('%s is private', (address) => {
    expect(isPrivate(address)).toBe(true)
  })

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.32.0.1',
    '198.20.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('%s is public', (address) => {
    expect(isPrivate(address)).toBe(false)
  })

  test('an operator allows names, addresses and ranges, and nothing else', () => {
    const allowed = allowedHosts(['CI.internal', '10.0.0.0/8', 'fd00::/8', '192.168.1.5'])
    expect(allowed('ci.internal.', '172.16.0.1')).toBe(true)
    expect(allowed('x', '10.9.9.9')).toBe(true)
    expect(allowed('x', 'fd12::1')).toBe(true)
    expect(allowed('x', '192.168.1.5')).toBe(true)
    expect(allowed('x', '192.168.1.6')).toBe(false)
    expect(allowed('xci.internal', '172.16.0.1')).toBe(false)
  })

  test('an entry with a use or a port applies only to that', () => {
    const entries = ['jenkins:10.0.0.0/8', 'perforce:P4.internal:1666', 'webhooks:[fd00::1]:8443', 'all.internal']
    const allowed = allowedHosts(entries, ['jenkins', 'perforce', 'webhooks'])
    const uses = ['jenkins', 'perforce', 'webhooks', undefined]
    const allowedFor = (host: string, address: string, port: number) => uses.filter((use) => allowed(host, address, port, use))
    expect(allowedFor('x', '10.1.1.1', 80)).toEqual(['jenkins'])
    expect(allowedFor('p4.internal', '172.16.0.1', 1666)).toEqual(['perforce'])
    expect(allowedFor('p4.internal', '172.16.0.1', 22)).toEqual([])
    expect(allowedFor('x', 'fd00::1', 8443)).toEqual(['webhooks'])
    expect(allowedFor('x', 'fd00::1', 443)).toEqual([])
    expect(allowedFor('all.internal', '172.16.0.1', 9)).toEqual([...uses])
  })
})

describe('a private host', () => {
  const spellings = (port: number) => [
    `http://127.0.0.1:${port}/`,
    `http://127.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://017700000001:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://0x7f000001:${port}/`,
    `http://0x7f.0.0.1:${port}/`,
    `http://①②⑦.⓪.⓪.①:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://0:${port}/`,
    `http://localhost:${port}/`,
    `http://localhost.:${port}/`,
    `http://LOCALHOST:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://[::ffff:7f00:1]:${port}/`,
    `http://[0:0:0:0:0:ffff:7f00:0001]:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://10.0.0.1/',
    `http://user:password@8.8.8.8:${port}/`,
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'not an address',
  ]

  test('is never connected to, however it is spelled', async () => {
    const { port, seen } = await listen((_, reply) => reply.end('inside'), '::')
    for (const url of spellings(port)) await expect(safeFetch(url, nobody, { timeout: 2_000 }), url).rejects.toThrow(Unreachable)
    expect(seen.connections).toBe(0)
    // The same address works once the operator allows it.
    expect((await safeFetch(`http://127.0.0.1:${port}/`, local)).body.toString()).toBe('inside')
    expect((await safeFetch(`http://localhost:${port}/`, allowedHosts(['localhost']))).status).toBe(200)
    expect(seen.connections).toBe(2)
  })

  test('cannot hide behind a name: every address of a name is checked', async () => {
    await expect(resolveHost('localhost', nobody)).rejects.toThrow('ALLOW_PRIVATE_HOSTS')
    await expect(resolveHost('no-such-host.invalid', nobody)).rejects.toThrow(Unreachable)
    expect((await resolveHost('localhost', local)).length).toBeGreaterThan(0)
  })
})

describe('a response', () => {
  test('that redirects elsewhere is refused and nothing is called there', async () => {
    const target = await listen((_, reply) => reply.end('inside'))
    for (const location of [
      `http://127.0.0.1:${target.port}/`,
      `http://localhost:${target.port}/`,
      '//example.com/',
      'file:///etc/passwd',
    ]) {
      const { port } = await listen((_, reply) => reply.writeHead(302, { location }).end())
      await expect(safeFetch(`http://127.0.0.1:${port}/`, local), location).rejects.toThrow('redirects elsewhere')
    }
    expect(target.seen.connections).toBe(0)
  })

  test('that redirects within its origin is followed, but not forever', async () => {
    const { port } = await listen((request, reply) => {
      if (request.url === '/end') reply.end('here')
      else reply.writeHead(302, { location: request.url === '/loop' ? '/loop' : '/end' }).end()
    })
    expect((await safeFetch(`http://127.0.0.1:${port}/`, local)).body.toString()).toBe('here')
    await expect(safeFetch(`http://127.0.0.1:${port}/loop`, local)).rejects.toThrow('without end')
  })

  test('without end, compressed or plain, is cut off at its limit', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const { port } = await listen((request, reply) => {
      if (request.url === '/bomb') return void reply.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
      const more = () => {
        while (reply.writable && reply.write(Buffer.alloc(65_536))) {}
      }
      reply.on('drain', more)
      more()
    })
    const before = process.memoryUsage().rss
    for (const path of ['', 'bomb'])
      await expect(safeFetch(`http://127.0.0.1:${port}/${path}`, local, { limit: 1_000_000 })).rejects.toThrow(
        'more than 1000000 bytes',
      )
    expect(process.memoryUsage().rss - before).toBeLessThan(50_000_000)
  })

  test('that is too slow is cut off after its timeout; a silent one too', async () => {
    const { port } = await listen((request, reply) => {
      if (request.url === '/drip') {
        const timer = setInterval(() => reply.write('.'), 20)
        reply.on('close', () => clearInterval(timer))
      }
    })
    for (const path of ['drip', 'silent'])
      await expect(safeFetch(`http://127.0.0.1:${port}/${path}`, local, { timeout: 300 })).rejects.toThrow('took too long')
  })

  test('that breaks off, has invalid compression, or never comes is an error', async () => {
    const { port } = await listen((request, reply) => {
      if (request.url === '/cut') reply.writeHead(200, { 'content-length': '100' }).write('half', () => reply.destroy())
      if (request.url === '/lie') reply.writeHead(200, { 'content-encoding': 'gzip' }).end('not packed')
      if (request.url === '/half')
        reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(100_000)).subarray(0, 60))
      if (request.url === '/br') reply.writeHead(200, { 'content-encoding': 'br' }).end('x')
    })
    for (const path of ['cut', 'lie', 'half', 'br'])
      await expect(safeFetch(`http://127.0.0.1:${port}/${path}`, local, { timeout: 3_000 }), path).rejects.toThrow(Unreachable)
    await expect(safeFetch('http://127.0.0.1:1/', local)).rejects.toThrow('ECONNREFUSED')
  })

  test('is decompressed, and its headers can be checked before its body is read', async () => {
    const { port } = await listen((_, reply) =>
      reply.writeHead(200, { 'content-encoding': 'gzip', 'x-size': '7' }).end(gzipSync('żółć')),
    )
    expect((await safeFetch(`http://127.0.0.1:${port}/`, local)).body.toString()).toBe('żółć')
    const peeked = await safeFetch(`http://127.0.0.1:${port}/`, local, { wanted: (_, headers) => headers['x-size'] !== '7' })
    expect(peeked).toMatchObject({ status: 200, body: Buffer.alloc(0) })
  })
})
