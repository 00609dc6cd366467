import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { diagnose } from '../diagnosis/diagnose.ts'
import { openBreaker } from './breaker.ts'
import { explainer } from './explainer.ts'

const finding = diagnose(
  `Source\\Combat.cpp(5): error C2065: 'Damage' of kim@example.com, password=hunter22: undeclared identifier\n`,
)
const line = finding.evidence[0]!.line
const log = pino({ level: 'silent' })

let server: Server
let asked: { url: string; headers: Record<string, unknown>; body: string }[] = []
let answer: (body: string) => { status?: number; body: string } | 'nothing'
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    asked.push({ url: request.url!, headers: request.headers, body })
    const given = answer(body)
    if (given === 'nothing') return
    const { status = 200, body: reply } = given
    response.writeHead(status, { 'content-type': 'application/json' }).end(reply)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const modelAt = (path: string) => ({
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
  key: 'k',
  model: 'm',
})
const explain = (path = '/v1/chat/completions') => {
  asked = []
  return explainer(modelAt(path), log)(finding)
}
const says = (said: object | string) => {
  const content = typeof said === 'string' ? said : JSON.stringify(said)
  return { body: JSON.stringify({ choices: [{ message: { content } }], content: [{ type: 'text', text: content }] }) }
}
const good = {
  diagnosis: 'Damage is not declared.',
  suggested_fix: 'Include the header; ask boss@example.com.',
  cited_lines: [line],
}

test('a wording that cites a given line is used, without addresses', async () => {
  answer = () => says(`Here you are: ${JSON.stringify(good)}`)
  for (const path of ['/v1/chat/completions', '/v1/messages'])
    expect(await explain(path)).toEqual({ diagnosis: 'Damage is not declared.', suggested_fix: 'Include the header; ask boss.' })
})

test('the model gets redacted evidence and no more', async () => {
  answer = () => says(good)
  await explain()
  expect(asked[0]!.body).toContain('error C2065')
  expect(asked[0]!.body).not.toContain('@example.com')
  expect(asked[0]!.body).not.toContain('hunter22')
  expect(asked[0]!.headers.authorization).toBe('Bearer k')
})

test.each([
  ['cites a line it was not given', says({ ...good, cited_lines: [line, 999] })],
  ['cites nothing', says({ ...good, cited_lines: [] })],
  ['is not JSON', says('I cannot help with that')],
  ['is an error', { status: 500, body: 'no' }],
  ['is empty', { body: '{}' }],
])('a reply that %s is dropped', async (_, reply) => {
  answer = () => reply
  expect(await explain()).toBeNull()
})

test('an unreachable model does no harm', async () => {
  expect(await explainer({ url: 'http://127.0.0.1:1/v1/chat/completions', key: undefined, model: 'm' }, log)(finding)).toBeNull()
})

test('a silent model is called three times, then paused, then called once at a time until it responds', async () => {
  asked = []
  let now = 0
  const breaker = openBreaker(
    () => now,
    () => 0.5,
  )
  let waiting = new AbortController()
  const timeout = () => {
    waiting = new AbortController()
    return waiting.signal
  }
  const ask = explainer(modelAt('/v1/messages'), log, { timeout, breaker })
  // The timeout fires once the request has arrived.
  answer = () => {
    waiting.abort()
    return 'nothing'
  }
  for (let i = 0; i < 20; i++) expect(await ask(finding)).toBeNull()
  expect(asked).toHaveLength(3)
  now += 5_001
  expect(await Promise.all(Array.from({ length: 20 }, () => ask(finding)))).toEqual(Array(20).fill(null))
  expect(asked).toHaveLength(4)
  answer = () => says(good)
  now += 10_001
  expect(await ask(finding)).not.toBeNull()
  expect(await Promise.all([ask(finding), ask(finding), ask(finding)])).not.toContain(null)
})

test('a useless reply does not count as silence', async () => {
  const ask = explainer(modelAt('/v1/messages'), log)
  answer = () => ({ status: 500, body: 'no' })
  for (let i = 0; i < 5; i++) await ask(finding)
  answer = () => says(good)
  expect(await ask(finding)).not.toBeNull()
})
