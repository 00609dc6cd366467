import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../test/support/callers/command-line.ts'
import { type LocalServer, openLocalServer } from '../../test/support/servers/local-server.ts'

let line: CommandLine
const open: LocalServer[] = []

beforeAll(async () => {
  line = new CommandLine({ GOLDMASTER_TOKEN: 'a-token', GOLDMASTER_TIMEOUT: '2' })
})
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())))
afterAll(() => line?.close())

const serve = async (listener: RequestListener) => {
  const server = await openLocalServer(listener)
  open.push(server)
  return server.url
}
const json =
  (body: string, status = 200): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(body)
  }
const task = {
  id: 1,
  account_id: 1,
  project_id: 1,
  title: 'x',
  description: '',
  state: 'to_do',
  task_type: 'bug',
  priority: 'low',
}
const rest = { assignee_handle: null, user_id: null, labels: [], metadata: {}, created_at: '', updated_at: '', urls: { web: '' } }
const page = (more: object) =>
  JSON.stringify({ tasks: [{ ...task, ...rest, ...more }], pagination: { limit: 1, has_more: true, next_cursor: 'again' } })

const endless: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(1 << 20, 0x20)
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pour)
  pour()
}

test.each<[string, RequestListener, string]>([
  [
    'a web page',
    (_, r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>'),
    'a web page instead of JSON',
  ],
  ['a web page that calls itself JSON', json('<!doctype html><p>hi'), 'a web page instead of JSON'],
  [
    'a web page with an error',
    (_, r) => r.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad'),
    'answered 502 with a web page',
  ],
  ['half a response', json('{"tasks": ['), 'not JSON'],
  ['another shape', json('{"hello": "world"}'), 'has no tasks'],
  [
    'rows of another shape',
    json('{"tasks": [{"id": "x"}], "pagination": {"limit": 1, "has_more": false, "next_cursor": null}}'),
    'has no account_id',
  ],
  ['nothing at all', json(''), 'not JSON'],
  ['an endless response', endless, 'more than 32 MB'],
  ['silence', () => {}, 'did not respond within 2 s'],
  [
    'a drip',
    (_, r) => void r.writeHead(200, { 'content-type': 'application/json' }).write('{"tasks"'),
    'did not respond within 2 s',
  ],
  ['a closed connection', (request) => request.socket.destroy(), 'closed before a response arrived'],
  ['a redirect', (_, r) => r.writeHead(302, { location: 'https://evil.example/' }).end(), 'redirects to https://evil.example/'],
  [
    'a wait until tomorrow',
    (_, r) => r.writeHead(429, { 'retry-after': '86400' }).end('{"error":"x","message":"Tomorrow."}'),
    'Tomorrow.',
  ],
  ['an error with a bell in it', json('{"error":"x","message":"a\\u001b[31m\\nb"}', 500), 'a [31m b'],
])('%s is reported in one line', async (_, listener, why) => {
  const { code, out, err } = await line.run(['tasks', 'list', '--project', '1', '--host', await serve(listener)])
  expect(code).toBe(1)
  expect(out).toBe('')
  expect(err).toMatch(/^goldmaster: [^\n\x1b]*\n$/)
  expect(err).toContain(why)
})

test('a reply that is not HTTP is reported in one line', async () => {
  const { createServer: plain } = await import('node:net')
  const server = plain((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { code, err } = await line.run(['whoami', '--host', `127.0.0.1:${(server.address() as AddressInfo).port}`])
  server.close()
  expect(code).toBe(1)
  expect(err).toContain('the response is not HTTP')
})

test('control characters of others do not reach the output', async () => {
  const site = await serve(json(page({ title: 'a\u001b]0;owned\u0007b\u202e', urls: { web: '' } })))
  const { code, out } = await line.run(['tasks', 'list', '--project', '1', '--host', site, '--limit', '1'])
  expect(code).toBe(0)
  expect(out).toContain('a ]0;owned b')
  expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
})

test('an endless list ends at the limit, or when it returns nothing more', async () => {
  let asked = 0
  const site = await serve((request, response) => {
    asked++
    const empty = JSON.stringify({ tasks: [], pagination: { limit: 1, has_more: true, next_cursor: 'again' } })
    json(asked < 4 ? page({}) : empty)(request, response)
  })
  const { out } = await line.run(['tasks', 'list', '--project', '1', '--host', site, '--limit', '100', '--pick', '[].id'])
  expect(out).toBe('1\n1\n1\n')
  expect(asked).toBe(4)
})

test('a newer service may return more fields', async () => {
  const site = await serve(json(page({ state: 'dreaming', mood: 'good' })))
  expect((await line.run(['tasks', 'list', '--project', '1', '--host', site, '--limit', '1'])).out).toContain('dreaming')
})
