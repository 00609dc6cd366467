import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLocalServer } from '../../test/support/servers/local-server.ts'
import { Budget, OverBudget, within } from './budget.ts'
import { REPLY, replyJson, requireJson } from './reply-json.ts'
import { NoAnswer, safeFetch, Unreachable } from './safe-fetch.ts'

const MIB = 1024 * 1024
const PLENTY = { bytes: 100 * MIB, values: 1_000_000, pages: 1_000, seconds: 600 }

let server: Awaited<ReturnType<typeof openLocalServer>>
beforeAll(async () => {
  server = await openLocalServer((request, reply) => {
    if (request.url === '/silent') return
    if (request.url === '/log') return reply.end(`${'line\n'.repeat(MIB / 5)}end`)
    reply.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(MIB, ' ')))
  })
})
afterAll(() => server.close())

const get = (path = '/') => safeFetch(`${server.url}${path}`, () => true, { limit: 2 * MIB })

test('the replies of one job count together: their unpacked bytes and their number', async () => {
  const bytes = within({ ...PLENTY, bytes: 2.5 * MIB }, async () => {
    await get()
    await get()
    await get()
  })
  await expect(bytes).rejects.toThrow('This takes more than 2.5 MiB once it is unpacked, the limit of one request.')
  const pages = within({ ...PLENTY, pages: 2 }, async () => {
    for (let page = 0; page < 3; page++) await get()
  })
  await expect(pages).rejects.toThrow('more than 2 replies of the server')
  // Another job has its own.
  await within({ ...PLENTY, pages: 2 }, async () => {
    await get()
    await within({ ...PLENTY, pages: 1 }, () => get())
    await get()
  })
  await expect(get()).resolves.toMatchObject({ status: 200 })
})

test('a server that is silent for longer than the job may take ends it', async () => {
  const waiting = within({ ...PLENTY, seconds: 0.2 }, async () => {
    await get('/silent').catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error
    })
    await get()
  })
  await expect(waiting).rejects.toThrow('more than 0.2 seconds')
})

test('of a log only the end is kept, and all of it counts', async () => {
  const ended = await safeFetch(`${server.url}/log`, () => true, { limit: 2 * MIB, tail: 100 })
  expect(ended.body.length).toBeGreaterThanOrEqual(100)
  expect(ended.body.length).toBeLessThan(MIB / 2)
  expect(ended.body.toString().endsWith('end')).toBe(true)
  await expect(safeFetch(`${server.url}/log`, () => true, { limit: MIB / 2, tail: 100 })).rejects.toThrow(
    'more than 524288 bytes',
  )
})

test('a reply is counted before it is parsed, and with the others of its job', async () => {
  const wide = Buffer.from(`[${'{},'.repeat(REPLY.values / 2)}0]`)
  expect(() => replyJson(wide)).toThrow(Unreachable)
  expect(() => replyJson(Buffer.from('['.repeat(REPLY.depth + 1)))).toThrow('nests deeper than 100')
  expect(() => requireJson(Buffer.from('<html>'), 'Jira')).toThrow('Jira answers with no JSON.')
  expect(replyJson(Buffer.from('{"a": [1, 2]}'))).toEqual({ a: [1, 2] })
  const page = Buffer.from(`[${'1,'.repeat(600)}1]`)
  const values = within({ ...PLENTY, values: 1_000 }, async () => [replyJson(page), replyJson(page)])
  await expect(values).rejects.toThrow(OverBudget)
})

test('what does not fit is refused and not counted: smaller things still fit', () => {
  const budget = new Budget({ ...PLENTY, values: 10 })
  budget.spend('values', 6)
  expect(() => budget.spend('values', 5)).toThrow(OverBudget)
  budget.spend('values', 4)
  expect(() => budget.spend('values', 1)).toThrow(OverBudget)
})

test('a refusal is a client error that names the limit', () => {
  const budget = new Budget({ ...PLENTY, values: 2 })
  budget.spend('values', 2)
  expect(() => budget.spend('values', 1)).toThrow(
    expect.objectContaining({ statusCode: 422, message: expect.stringContaining('2 values') }),
  )
})
