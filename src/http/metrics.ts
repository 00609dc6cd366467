import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { sql } from '../db/database.ts'
import type { Service } from './service.ts'

/** Requests by route and status, the connection pool, the replica, and the queue, for Prometheus. */
export function serveMetrics(app: FastifyInstance, { db, replica }: Service) {
  const registers = [new Registry()]
  collectDefaultMetrics({ register: registers[0]! })
  const requests = new Histogram({
    name: 'goldmaster_http_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  })
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
  new Gauge({
    name: 'goldmaster_database_connections',
    help: 'Connections of the pool by state; waiting are requests without one',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'total' }, db.pool.totalCount)
      this.set({ state: 'idle' }, db.pool.idleCount)
      this.set({ state: 'waiting' }, db.pool.waitingCount)
    },
  })
  if (replica)
    new Counter({
      name: 'goldmaster_list_reads_total',
      help: 'Pages of lists and of the feed by where they were read',
      labelNames: ['from'],
      registers,
      collect() {
        this.reset()
        for (const [from, reads] of Object.entries(replica.reads)) this.inc({ from }, reads)
      },
    })
  new Gauge({
    name: 'goldmaster_jobs',
    help: 'Jobs in the queue by kind and state; failed ones have used up their attempts',
    labelNames: ['kind', 'state'],
    registers,
    async collect() {
      this.reset()
      for (const { kind, state, count } of await db.rows<{ kind: string; state: string; count: number }>(QUEUE).catch(() => []))
        this.set({ kind, state }, count)
    },
  })
  app.get('/metrics', async (_, reply) => reply.type(registers[0]!.contentType).send(await registers[0]!.metrics()))
}

const QUEUE = sql`
  select task_identifier as kind, count(*) as count,
    case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed'
      when attempts > 0 then 'retrying' when run_at > now() then 'scheduled' else 'waiting' end as state
  from graphile_worker.jobs group by 1, 3`
