import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { sql } from '../../db/database.ts'
import type { Service } from '../service.ts'
import { coalesce } from './coalesce.ts'
import type { Readiness } from './readiness.ts'

/** However many ask, the text is made this often, and the jobs are counted this often: that reads the queue. */
const FRESH_MS = 1_000
const JOBS_FRESH_MS = 15_000
/** A longer queue is counted up to here. */
const JOBS_MAX = 100_000

/** Requests by route and status, the connection pool, the replica, and the queue, for Prometheus. */
export function serveMetrics(app: FastifyInstance, { db, connections, replica }: Service, readiness: Readiness) {
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
    help: 'Connections by what they are for and state; waiting is whoever has none yet',
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
      const counted = await countJobs()
      this.reset()
      for (const { kind, state, count } of counted) this.set({ kind, state }, count)
    },
  })
  new Gauge({
    name: 'goldmaster_database_writable',
    help: 'Whether the database takes writes, as /readyz judges it',
    registers,
    async collect() {
      this.set((await readiness.ready()) ? 1 : 0)
    },
  })
  const countJobs = coalesce(JOBS_FRESH_MS, () => db.rows<JobCount>(QUEUE).catch((): JobCount[] => []))
  const metrics = coalesce(FRESH_MS, () => registers[0]!.metrics())
  app.get('/metrics', async (_, reply) => reply.type(registers[0]!.contentType).send(await metrics()))
}

interface JobCount {
  kind: string
  state: string
  count: number
}

const QUEUE = sql`
  select task_identifier as kind, count(*) as count,
    case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed'
      when attempts > 0 then 'retrying' when run_at > now() then 'scheduled' else 'waiting' end as state
  from (select * from graphile_worker.jobs limit ${JOBS_MAX}) jobs group by 1, 3`
