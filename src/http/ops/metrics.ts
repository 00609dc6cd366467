import cluster from 'node:cluster'
import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Service } from '../service.ts'
import { aggregatedMetrics, reportToPrimary } from './cluster-metrics.ts'
import { coalesce } from './coalesce.ts'
import { measureObjects } from './object-metrics.ts'
import type { Readiness } from './readiness.ts'
import { measureStatus } from './status-metrics.ts'

/** The text is computed at most this often. */
const FRESH_MS = 1_000

type Measured = Pick<Service, 'db' | 'connections' | 'replica' | 'retention'> & Partial<Pick<Service, 'limits'>>

/** Requests to `app` by route and status, the connection pool, the replica, and the queue, for Prometheus, which scrapes `ops`. */
export function serveMetrics(
  app: FastifyInstance,
  ops: FastifyInstance,
  { db, connections, replica, limits, retention }: Measured,
  readiness: Readiness,
  listeners = () => 0,
) {
  const registers = [new Registry()]
  if (cluster.isWorker) reportToPrimary(registers[0]!)
  collectDefaultMetrics({ register: registers[0]! })
  const requests = new Histogram({
    name: 'goldmaster_http_request_duration_seconds',
    help: 'Time from request to response',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  const deliveries = new Counter({
    name: 'goldmaster_deliveries_total',
    help: 'Deliveries of tools by provider and outcome; refused: answered with 4xx, failed: answered with 5xx',
    labelNames: ['provider', 'outcome'],
    registers,
  })
  if (limits)
    new Counter({
      name: 'goldmaster_rate_limited_total',
      help: 'Requests answered with 429, by the setting that limits them; the log has the client',
      labelNames: ['setting'],
      registers,
      collect() {
        this.reset()
        for (const [setting, refused] of Object.entries(limits.refused)) this.inc({ setting }, refused)
      },
    })
  new Gauge({
    name: 'goldmaster_stream_listeners',
    help: 'Open event stream connections',
    registers,
    collect() {
      this.set(listeners())
    },
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { provider, outcome = reply.statusCode < 500 ? 'refused' : 'failed' } = request.about ?? {}
    if (provider !== undefined) deliveries.inc({ provider, outcome })
    const route = request.routeOptions.url ?? 'unknown'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
  new Gauge({
    name: 'goldmaster_database_connections',
    help: 'Database connections by purpose and state; waiting: requests without a connection',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(connections)) {
        this.set({ pool, state: 'total' }, totalCount)
        this.set({ pool, state: 'idle' }, idleCount)
        this.set({ pool, state: 'waiting' }, waitingCount)
      }
    },
  })
  if (replica)
    new Counter({
      name: 'goldmaster_list_reads_total',
      help: 'Pages of lists and the feed, by the database they were read from',
      labelNames: ['from'],
      registers,
      collect() {
        this.reset()
        for (const [from, reads] of Object.entries(replica.reads)) this.inc({ from }, reads)
      },
    })
  measureStatus(db, retention, registers)
  if (db.objects) measureObjects(db, db.objects, registers)
  new Gauge({
    name: 'goldmaster_database_writable',
    help: 'Whether the database accepts writes (1) or not (0), as in /readyz',
    aggregator: 'min',
    registers,
    async collect() {
      this.set((await readiness.ready()) ? 1 : 0)
    },
  })
  const metrics = coalesce(FRESH_MS, () => (cluster.isWorker ? aggregatedMetrics() : registers[0]!.metrics()))
  ops.get('/metrics', async (_, reply) => reply.type(registers[0]!.contentType).send(await metrics()))
}
