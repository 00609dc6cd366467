import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type LocalServer, openLocalServer } from '../../../test/support/servers/local-server.ts'
import { allowedHosts } from '../../net/addresses.ts'
import type { JobContext } from '../job-context.ts'
import { servers } from '../providers/servers.ts'

const FILE = Buffer.from('0123456789'.repeat(10))
let server: LocalServer
/** Elsewhere: gets no token. */
let storage: LocalServer
let asked: IncomingMessage[] = []
let bodies: string[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.end(FILE)

const record = (request: IncomingMessage, response: ServerResponse) => {
  asked.push(request)
  let body = ''
  request.on('data', (part) => {
    body += part
  })
  request.on('end', () => {
    bodies.push(body)
    answer(request, response)
  })
}
beforeAll(async () => {
  server = await openLocalServer(record)
  storage = await openLocalServer(record)
})
afterAll(async () => {
  await server.close()
  await storage.close()
})
beforeEach(() => {
  asked = []
  bodies = []
  answer = (request, response) =>
    request.url === '/oauth2/token' ? response.end('{"access_token":"short"}') : response.end(FILE)
})

const settings = {
  github: () => ({ server: `${server.url}/repos/owl/star`, api_token: 'secret' }),
  gitlab: () => ({ server: server.url, api_token: 'secret', gitlab_project: '/owl/star/' }),
  diversion: () => ({ server: `${server.url}/v0`, api_token: 'secret', diversion_repository: 'dv.repo.1' }),
} as const
type Name = keyof typeof settings
const names = Object.keys(settings) as Name[]
const read = (name: Name, path: string, { limit = 1000, identifier = 'c1', more = {} } = {}) =>
  servers[name].file(
    { allowed: allowedHosts(['127.0.0.1']) } as JobContext,
    { ...settings[name](), ...more },
    { path, identifier },
    limit,
  )

test.each([
  ['github', '/repos/owl/star/contents/Art/T%20Rock%23%C3%A4.png?ref=c1', { authorization: 'Bearer secret' }],
  [
    'gitlab',
    '/api/v4/projects/owl%2Fstar/repository/files/Art%2FT%20Rock%23%C3%A4.png/raw?ref=c1&lfs=true',
    { 'private-token': 'secret' },
  ],
  ['diversion', '/v0/repos/dv.repo.1/blobs/c1/Art/T%20Rock%23%C3%A4.png', { authorization: 'Bearer short' }],
] as const)('%s is asked for a file as it was in its commit', async (name, url, headers) => {
  expect(await read(name, 'Art/T Rock#ä.png')).toEqual({ bytes: FILE, isCut: false })
  expect(asked.at(-1)).toMatchObject({ url, headers })
})

test.each(names)('%s gives the first bytes of a long file', async (name) => {
  expect(await read(name, 'a.uasset', { limit: 37 })).toEqual({ bytes: FILE.subarray(0, 37), isCut: true })
  expect(await read(name, 'a.uasset', { limit: FILE.length })).toMatchObject({ isCut: false })
})

test.each(names)('%s is not asked for paths that a server could read as another one', async (name) => {
  for (const path of ['../a.png', 'a/../../b.png', '/a.png', 'a//b.png', 'a/./b.png', ''])
    await expect(read(name, path), path).rejects.toThrow('No path of a repository')
  expect(asked.filter(({ url }) => url !== '/oauth2/token')).toEqual([])
})

test.each(names)('%s says why it gives no file', async (name) => {
  answer = (_, response) => response.writeHead(404).end()
  await expect(read(name, 'a.png')).rejects.toThrow(/can't see it \(HTTP 404/)
})

test('without the path of the project, GitLab is not asked', async () => {
  await expect(read('gitlab', 'a.png', { more: { gitlab_project: '' } })).rejects.toThrow('no path of the project')
  expect(asked).toEqual([])
})

test('Diversion grants a short token, which the storage of large files does not get', async () => {
  answer = (request, response) => {
    if (request.url === '/oauth2/token') response.end('{"access_token":"short"}')
    else if (request.url!.startsWith('/v0/')) response.writeHead(204, { location: `${storage.url}/stored` }).end()
    else response.end(FILE)
  }
  expect(await read('diversion', 'a.png', { limit: 20 })).toEqual({ bytes: FILE.subarray(0, 20), isCut: true })
  expect(asked.map(({ url }) => url)).toEqual(['/oauth2/token', '/v0/repos/dv.repo.1/blobs/c1/a.png', '/stored'])
  expect(Object.fromEntries(new URLSearchParams(bodies[0]))).toMatchObject({
    grant_type: 'refresh_token',
    refresh_token: 'secret',
  })
  expect(asked[2]!.headers.authorization).toBe(undefined)
  answer = (_, response) => response.end('<html>')
  await expect(read('diversion', 'a.png')).rejects.toThrow('no access token')
})
