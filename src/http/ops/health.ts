import Fastify, { type FastifyInstance } from 'fastify'
import { unavailable } from '../../contract/errors.ts'
import { sendFailure } from '../failures.ts'
import type { Service } from '../service.ts'
import { serveMetrics } from './metrics.ts'
import { openReadiness, type Readiness } from './readiness.ts'

export function serveHealth(app: FastifyInstance, readiness: Readiness, isClosing: () => boolean) {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_, reply) => {
    const ready = !isClosing() && (await readiness.ready())
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'unavailable' })
  })
}

/** For a process that only runs jobs: liveness, whether the database accepts writes, and its metrics. */
export function buildHealthServer(service: Pick<Service, 'db' | 'connections' | 'retention'>): FastifyInstance {
  const app = Fastify()
  const readiness = openReadiness(service.db)
  serveMetrics(app, app, service, readiness)
  serveHealth(app, readiness, () => false)
  return app
}

/** For a process that waits for its database: it is alive and refuses everything else for now. */
export function buildWaitingServer(): FastifyInstance {
  const app = Fastify({ forceCloseConnections: true })
  serveHealth(app, { ready: async () => false, note: () => {} }, () => false)
  app.setNotFoundHandler((request, reply) => sendFailure(unavailable(), request, reply))
  return app
}
