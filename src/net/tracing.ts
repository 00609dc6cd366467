import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'

/** OpenTelemetry traces without its SDK: spans in the format of OTLP over HTTP, the context as the W3C's `traceparent`. */
export interface TracingSettings {
  /** A collector; spans are sent to `/v1/traces` below it. */
  endpoint: string
  headers: Record<string, string>
  service: string
  /** The share of traces started here that are sampled; traces of callers carry their own decision. */
  ratio: number
}

/** Span kinds of the protocol: internal, incoming requests, outgoing requests. */
const KINDS = { internal: 1, server: 2, client: 3 } as const

type Attributes = Record<string, string | number | undefined>

export interface Span {
  traceId: string
  spanId: string
  parentId: string | undefined
  sampled: boolean
  name: string
  kind: keyof typeof KINDS
  began: bigint
}

const current = new AsyncLocalStorage<Span>()
let exporter: Exporter | undefined
let ratio = 1

/** Collects spans until stopped; without it nothing below does anything. */
export function startTracing(settings: TracingSettings, version: string, log: Logger): { stop(): Promise<void> } {
  const started = new Exporter(settings, version, log)
  exporter = started
  ratio = settings.ratio
  return {
    async stop() {
      exporter = undefined
      await started.stop()
    },
  }
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/** A child of the caller's `traceparent`, otherwise of the current span, otherwise a new trace. */
export function beginSpan(name: string, kind: Span['kind'], caller?: string): Span | undefined {
  if (!exporter) return undefined
  const [, traceId, parentId, flags] = TRACEPARENT.exec(caller ?? '') ?? []
  const above = current.getStore()
  return {
    traceId: traceId ?? above?.traceId ?? randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    parentId: parentId ?? above?.spanId,
    sampled: flags === undefined ? (above?.sampled ?? Math.random() < ratio) : (Number.parseInt(flags, 16) & 1) === 1,
    name,
    kind,
    began: now(),
  }
}

export function endSpan(span: Span | undefined, attributes: Attributes, failed = false) {
  if (span?.sampled) exporter?.add(span, attributes, failed)
}

/** Spans started meanwhile are children of the span. */
export const within = <T>(span: Span | undefined, work: () => T): T => (span ? current.run(span, work) : work())

const traceparentOf = ({ traceId, spanId, sampled }: Span) => `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`

/** Work with its own span; it gets the headers to propagate it. */
export async function traced<T>(
  name: string,
  kind: Span['kind'],
  attributes: Attributes,
  work: (headers: { traceparent?: string }) => Promise<T>,
): Promise<T> {
  const span = beginSpan(name, kind)
  if (!span) return work({})
  let failed = true
  try {
    const result = await within(span, () => work({ traceparent: traceparentOf(span) }))
    failed = false
    return result
  } finally {
    endSpan(span, attributes, failed)
  }
}

/** A request to another server: every outgoing request runs in here, so that it propagates the trace. */
export const tracedRequest = <T>(method: string, { hostname }: URL, work: (headers: { traceparent?: string }) => Promise<T>) =>
  traced(method, 'client', { 'http.request.method': method, 'server.address': hostname }, work)

/** Nanoseconds since 1970; the process clock gives the part below a millisecond. */
const now = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n

const EVERY_MS = 5_000
const BATCH = 512
/** Spans that wait for an unreachable collector; more are dropped. */
const WAITING_MAX = 4_096
const TIMEOUT_MS = 10_000
const LOG_EVERY_MS = 60_000

class Exporter {
  readonly #settings: TracingSettings
  readonly #version: string
  readonly #log: Logger
  readonly #timer = setInterval(() => void this.#send(), EVERY_MS).unref()
  #waiting: object[] = []
  #sending: Promise<void> | undefined
  #dropped = 0
  #said = Number.NEGATIVE_INFINITY

  constructor(settings: TracingSettings, version: string, log: Logger) {
    this.#settings = settings
    this.#version = version
    this.#log = log
  }

  add({ traceId, spanId, parentId, name, kind, began }: Span, attributes: Attributes, failed: boolean) {
    if (this.#waiting.length >= WAITING_MAX) this.#dropped++
    else
      this.#waiting.push({
        traceId,
        spanId,
        ...(parentId !== undefined && { parentSpanId: parentId }),
        name,
        kind: KINDS[kind],
        startTimeUnixNano: String(began),
        endTimeUnixNano: String(now()),
        attributes: attributesOf(attributes),
        status: failed ? { code: 2 } : {},
      })
    if (this.#waiting.length >= BATCH) void this.#send()
  }

  #send(): Promise<void> {
    if (this.#waiting.length === 0) return this.#sending ?? Promise.resolve()
    this.#sending ??= this.#post(this.#waiting.splice(0, BATCH)).finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  async #post(spans: object[]) {
    const { endpoint, headers, service } = this.#settings
    const resource = { attributes: attributesOf({ 'service.name': service, 'service.version': this.#version }) }
    const body = JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'goldmaster' }, spans }] }] })
    try {
      const answer = await fetch(`${endpoint}/v1/traces`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await answer.arrayBuffer()
      if (!answer.ok) throw new Error(`it answers ${answer.status}`)
    } catch (error) {
      this.#dropped += spans.length
      if (performance.now() - this.#said < LOG_EVERY_MS) return
      this.#said = performance.now()
      this.#log.warn({ error: (error as Error).message, dropped: this.#dropped }, 'the trace collector rejects traces')
    }
  }

  async stop() {
    clearInterval(this.#timer)
    await this.#sending
    await this.#send()
  }
}

const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }],
  )
