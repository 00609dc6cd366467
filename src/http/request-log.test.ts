import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { keepLog } from '../../test/support/log.ts'
import { openReceiver, type Receiver } from '../../test/support/servers/receiver.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { nightOwl } from '../../test/support/studios/night-owl.ts'
import { until } from '../../test/support/until.ts'
import { allowedHosts } from '../net/addresses.ts'
import { openDispatcher } from '../net/dispatcher.ts'
import { safeFetch } from '../net/safe-fetch.ts'
import { startTracing, traced } from '../net/tracing.ts'

const { log, lines } = keepLog()
let studio: Studio
let collector: Receiver
beforeAll(async () => {
  studio = await openStudio(
    { ...nightOwl, integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }] },
    { service: { log } },
  )
  collector = await openReceiver()
})
afterAll(async () => {
  await studio.close()
  await collector.close()
})
beforeEach(() => {
  lines.length = 0
})

const requestLine = async () => {
  await until(() => lines.some(({ msg }) => msg === 'request'))
  return lines.find(({ msg }) => msg === 'request')!
}
const list = (headers: Record<string, string> = {}) =>
  studio.ask(`/api/v1/projects/${studio.world.projects!.star!.id}/tasks`, { token: studio.world.tokens!.all!.token!, headers })

test('a line has the account and the project of a request', async () => {
  await list()
  expect(await requestLine()).toMatchObject({
    status: 200,
    account_id: studio.world.accounts!.owl!.id,
    project_id: studio.world.projects!.star!.id,
  })
})

test('a request id from a proxy is used, unless it could forge a line', async () => {
  const answered = async (id: string) => (await list({ 'x-request-id': id })).headers.get('x-request-id')
  expect(await answered('edge-7f:12/3')).toBe('edge-7f:12/3')
  expect(await requestLine()).toMatchObject({ reqId: 'edge-7f:12/3' })
  for (const bad of ['two words', '"quoted"', 'x'.repeat(129)]) expect(await answered(bad)).toMatch(/^[0-9a-f-]{36}$/)
})

test('successful probes are not logged', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) expect((await studio.ask(path)).status).toBe(200)
  await list()
  await requestLine()
  expect(lines.filter(({ msg }) => msg === 'request')).toHaveLength(1)
})

test('metrics count the results of deliveries, open streams and waiting items', async () => {
  const report = (body: unknown) =>
    studio.ask(`/webhooks/ci?token=${studio.world.integrations!.ci!.webhook_token}`, { method: 'POST', body })
  const { json } = await report({ job_name: 'night', build_number: 1, status: 'SUCCESS' })
  expect(await requestLine()).toMatchObject({ delivery_id: json.delivery_id, integration_id: studio.world.integrations!.ci!.id })
  expect((await report({ job_name: 'night' })).status).toBe(422)
  let text = ''
  await until(async () => {
    text = (await studio.ask('/metrics')).text
    return text.includes('goldmaster_deliveries_total{provider="jenkins",outcome="refused"} 1')
  })
  expect(text).toContain('goldmaster_deliveries_total{provider="jenkins",outcome="processed"} 1')
  for (const name of [
    'job_oldest_seconds',
    'outbox_lag_seconds',
    'outbound_lag_seconds',
    'mails_unsent',
    'stream_listeners',
    'database_bytes',
    'nodes',
    'longest_statement_seconds',
    'silent_servers',
  ])
    expect(text).toMatch(new RegExp(`^goldmaster_${name} \\d`, 'm'))
})

test('a trace continues from the caller through us to outgoing requests; an unsampled one does not', async () => {
  const tracing = startTracing(
    { endpoint: collector.url.replace(/\/$/, ''), headers: { 'x-key': 'k' }, service: 'gold', ratio: 1 },
    '1',
    log,
  )
  const trace = '0af7651916cd43dd8448eb211c80319c'
  await list({ traceparent: `00-${trace}-b7ad6b7169203331-01` })
  expect(await requestLine()).toMatchObject({ trace_id: trace })
  await list({ traceparent: '00-11111111111111111111111111111111-b7ad6b7169203331-00' })
  await traced('job x', 'internal', {}, () =>
    safeFetch(`${collector.url}asked`, allowedHosts(['127.0.0.1'], []), { method: 'POST', body: '{}' }),
  )
  const dispatcher = openDispatcher(allowedHosts(['127.0.0.1'], []))
  const post = { headers: { 'x-own': 'header' }, body: '{}', timeout: 5_000, signal: new AbortController().signal }
  await dispatcher.post({ url: `${collector.url}webhook`, ...post })
  dispatcher.close()
  await tracing.stop()
  const asked = collector.received.find(({ path }) => path === '/asked')!
  const sent = collector.received.filter(({ path }) => path === '/v1/traces')
  expect(sent[0]!.headers['x-key']).toBe('k')
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own format
  const spans = sent.flatMap(({ body }) => (body as any).resourceSpans[0].scopeSpans[0].spans)
  expect(spans).toHaveLength(4)
  const [served, client, job, posted] = spans
  expect(served).toMatchObject({
    traceId: trace,
    parentSpanId: 'b7ad6b7169203331',
    kind: 2,
    name: expect.stringContaining('/tasks'),
  })
  expect(client).toMatchObject({ traceId: job.traceId, parentSpanId: job.spanId, kind: 3 })
  expect(asked.headers.traceparent).toBe(`00-${client.traceId}-${client.spanId}-01`)
  const webhook = collector.received.find(({ path }) => path === '/webhook')!
  expect(webhook.headers).toMatchObject({ 'x-own': 'header', traceparent: `00-${posted.traceId}-${posted.spanId}-01` })
  expect(BigInt(job.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(client.endTimeUnixNano))
})
