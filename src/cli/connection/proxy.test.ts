import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../../test/support/callers/command-line.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workshop } from '../../../test/support/studios/workshop.ts'
import { proxyFor } from './proxy.ts'

let studio: Studio
let line: CommandLine
let proxy: Server
let address: string
const seen: string[] = []
beforeAll(async () => {
  studio = await openStudio(workshop)
  line = new CommandLine({ GOLDMASTER_TOKEN: studio.world.tokens!.lead!.token as string })
  const target = new URL(studio.site)
  proxy = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url} ${incoming.headers['proxy-authorization'] ?? ''}`.trim())
    const { pathname, search } = new URL(incoming.url!)
    incoming.pipe(
      request(
        {
          host: target.hostname,
          port: target.port,
          path: pathname + search,
          method: incoming.method,
          headers: { ...incoming.headers, host: target.host },
        },
        (answer) => answer.pipe(outgoing.writeHead(answer.statusCode!, answer.headers)),
      ),
    )
  })
  proxy.on('connect', (incoming, socket) => {
    seen.push(`CONNECT ${incoming.url}`)
    if (incoming.url!.startsWith('refused.')) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    // The target speaks no TLS: the client's first bytes show that the tunnel is open.
    const inner = connect(Number(target.port), target.hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      inner.pipe(socket).pipe(inner)
    })
    inner.on('error', () => {})
    socket.on('error', () => {})
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  address = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
})
afterAll(async () => {
  line?.close()
  proxy?.close()
  proxy?.closeAllConnections()
  await studio?.close()
})

test('http uses the proxy of the environment, with its password', async () => {
  const env = { http_proxy: `http://me:se%3Acret@${address}` }
  expect(await line.run(['whoami', '--host', 'http://gold.example', '--pick', 'ok'], { env })).toMatchObject({
    code: 0,
    out: 'true\n',
  })
  expect(seen.splice(0)).toEqual([`GET http://gold.example/api/v1/ping Basic ${Buffer.from('me:se:cret').toString('base64')}`])
})

test('https uses a tunnel in which the proxy sees nothing', async () => {
  const env = { HTTPS_PROXY: address }
  const spoken = await line.run(['whoami', '--host', 'https://gold.example'], { env })
  expect(spoken).toMatchObject({ code: 1, err: expect.stringContaining('it does not support HTTPS') })
  const refused = await line.run(['whoami', '--host', 'https://refused.example'], { env })
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`through the proxy ${address}: it answered 403`) })
  expect(seen.splice(0)).toEqual(['CONNECT gold.example:443', 'CONNECT refused.example:443'])
})

test('excluded hosts, and this machine itself, are called directly', async () => {
  const env = { HTTP_PROXY: address }
  expect(await line.run(['whoami', '--host', studio.site, '--pick', 'ok'], { env })).toMatchObject({ code: 0 })
  expect(seen).toEqual([])
  const through = (url: string, no_proxy: string) =>
    proxyFor(new URL(url), { https_proxy: 'http://p.example:3128', no_proxy })?.host
  expect(through('https://gold.example', '')).toBe('p.example:3128')
  expect(through('https://gold.example', 'other.example, gold.example')).toBeUndefined()
  expect(through('https://gold.studio.example', '.studio.example')).toBeUndefined()
  expect(through('https://mygold.example', 'gold.example')).toBe('p.example:3128')
  expect(through('https://gold.example', 'gold.example:8443')).toBe('p.example:3128')
  expect(through('https://gold.example:8443', 'gold.example:8443')).toBeUndefined()
  expect(through('https://gold.example', '*')).toBeUndefined()
})
