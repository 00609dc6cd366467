import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalServer, openLocalServer } from '../../test/support/servers/local-server.ts'
import { until } from '../../test/support/until.ts'
import { diagnose } from '../diagnosis/diagnose.ts'
import { openBreaker } from './breaker.ts'
import { explainer } from './explainer.ts'

const found = diagnose(
  `Source\\Combat.cpp(5): error C2065: 'Damage' of kim@example.com, password=hunter22: undeclared identifier\n`,
)
const [first] = found.evidence
const line = first!.line
/** The best lines, and a fourth one that the model may not choose. */
const finding = {
  ...found,
  evidence: [first!, ...[7, 8, 9].map((line) => ({ line, text: `note ${line}: api_key=s3cr3tvalue of kim@example.com` }))],
}
const log = pino({ level: 'silent' })
const [OWL, FOX, ELK] = [1, 2, 3]

let server: LocalServer
let asked: { url: string; headers: Record<string, unknown>; body: string }[] = []
let answer: (body: string) => { status?: number; body: string } | 'nothing'
beforeAll(async () => {
  server = await openLocalServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    asked.push({ url: request.url!, headers: request.headers, body })
    const given = answer(body)
    if (given === 'nothing') return
    const { status = 200, body: reply } = given
    response.writeHead(status, { 'content-type': 'application/json' }).end(reply)
  })
})
afterAll(() => server.close())

const modelAt = (path: string) => ({
  url: `${server.url}${path}`,
  key: 'k',
  model: 'm',
})
const explain = (path = '/v1/chat/completions') => {
  asked = []
  return explainer(modelAt(path), log)(finding, OWL)
}
const says = (said: object | string) => {
  const content = typeof said === 'string' ? said : JSON.stringify(said)
  const message = { role: 'assistant', content }
  return { body: JSON.stringify({ choices: [{ message }], content: [{ type: 'text', text: content }], message }) }
}
const good = {
  diagnosis: 'Damage is not declared.',
  suggested_fix: 'Include the header; ask boss@example.com.',
  cause_line: line,
  cited_lines: [line],
}

test('a wording that cites a given line is used, without addresses, from every kind of API', async () => {
  answer = () => says(`Here you are: ${JSON.stringify(good)}`)
  for (const path of ['/v1/chat/completions', '/openai/deployments/m/chat/completions', '/v1/messages', '/api/chat'])
    expect(await explain(path)).toEqual({
      line,
      diagnosis: 'Damage is not declared.',
      suggested_fix: 'Include the header; ask boss.',
    })
  // Ollama streams its answer unless told otherwise.
  expect(JSON.parse(asked.at(-1)!.body)).toMatchObject({ model: 'm', stream: false, format: 'json' })
})

test('the model chooses among the three best lines', async () => {
  answer = () => says({ ...good, cause_line: 8, cited_lines: [line, 8] })
  expect(await explain()).toMatchObject({ line: 8 })
  expect(asked[0]!.body).toContain('8: note 8')
  expect(asked[0]!.body).not.toContain('9: note 9')
})

test('the model gets redacted evidence and no more', async () => {
  answer = () => says(good)
  await explain()
  expect(asked[0]!.body).toContain('error C2065')
  expect(asked[0]!.body).not.toContain('@example.com')
  for (const secret of ['hunter22', 's3cr3tvalue']) expect(asked[0]!.body).not.toContain(secret)
  expect(asked[0]!.headers.authorization).toBe('Bearer k')
})

test.each([
  ['cites a line it was not given', says({ ...good, cited_lines: [line, 999] })],
  ['cites a line that is not among the three best', says({ ...good, cited_lines: [9] })],
  ['chooses a line that is not among the three best', says({ ...good, cause_line: 9 })],
  ['chooses no line', says({ ...good, cause_line: undefined })],
  ['cites nothing', says({ ...good, cited_lines: [] })],
  ['is not JSON', says('I cannot help with that')],
  ['is an error', { status: 500, body: 'no' }],
  ['is empty', { body: '{}' }],
])('a reply that %s is dropped', async (_, reply) => {
  answer = () => reply
  expect(await explain()).toBeNull()
})

test('an unreachable model does no harm', async () => {
  expect(
    await explainer({ url: 'http://127.0.0.1:1/v1/chat/completions', key: undefined, model: 'm' }, log)(finding, OWL),
  ).toBeNull()
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
  for (let i = 0; i < 20; i++) expect(await ask(finding, OWL)).toBeNull()
  expect(asked).toHaveLength(3)
  now += 5_001
  expect(await Promise.all(Array.from({ length: 20 }, () => ask(finding, OWL)))).toEqual(Array(20).fill(null))
  expect(asked).toHaveLength(4)
  answer = () => says(good)
  now += 10_001
  expect(await ask(finding, OWL)).not.toBeNull()
  expect(await Promise.all([ask(finding, OWL), ask(finding, OWL), ask(finding, OWL)])).not.toContain(null)
})

test('a useless reply does not count as silence', async () => {
  const ask = explainer(modelAt('/v1/messages'), log)
  answer = () => ({ status: 500, body: 'no' })
  for (let i = 0; i < 5; i++) await ask(finding, OWL)
  answer = () => says(good)
  expect(await ask(finding, OWL)).not.toBeNull()
})

test('two accounts with many findings leave a place to a third one, and get the built-in text for what finds none', async () => {
  const timeout = new AbortController()
  answer = () => 'nothing'
  asked = []
  const ask = explainer(modelAt('/v1/messages'), log, { timeout: () => timeout.signal })
  const many = (account: number) => Array.from({ length: 10 }, () => ask(finding, account))
  const flood = [...many(OWL), ...many(FOX)]
  let leftOut = 0
  for (const one of flood) void one.then(() => leftOut++)
  await until(() => asked.length >= 4)
  expect(leftOut).toBe(16)
  const third = ask(finding, ELK)
  await until(() => asked.length === 5)
  timeout.abort()
  expect(await Promise.all([...flood, third])).toEqual(Array(21).fill(null))
  expect(asked).toHaveLength(5)
})
