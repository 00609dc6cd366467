import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { RateLimiterClusterMaster } from 'rate-limiter-flexible'
import { sweep } from '../domain/accounts/trials.ts'
import { aggregateMetrics } from '../http/ops/cluster-metrics.ts'
import type { Settings } from './environment.ts'
import { onStop } from './on-stop.ts'
import { defaultConnections, poolSizes } from './pools.ts'
import { recordSite } from './recorded-site.ts'
import { openLog, setUpTokenOf } from './service.ts'
import { openWhenThere } from './wait-for-database.ts'
import { startGallery, welcome } from './welcome.ts'

/** A process that ended is restarted, not faster than this. */
const PAUSE_MS = 1_000
/** A little longer than a process takes to stop. */
const TIMEOUT_MS = 8_500

/**
 * One service in several processes: this one manages the database, the counters of limits and the totals of metrics, starts the others and
 * replaces those that end. They share the port. Jobs have a separate process: a long diagnosis delays no request.
 */
export async function serveInWorkers(settings: Settings) {
  // Each accepts its connections from the system. By default this process would pass them on, and a connection for a dying or stuck process
  // would be lost, with its client waiting in vain.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const log = openLog(settings)
  const stopping = onStop(log, TIMEOUT_MS)
  const store = await openWhenThere(settings, log, { max: 2 }, { port: settings.port, signal: stopping.signal })
  if (!store) return stopping.stopWith(async () => {})
  stopping.leaveWith(store.leave)
  await sweep(store.db)
  new RateLimiterClusterMaster()
  aggregateMetrics()
  const { connections = defaultConnections(settings.workers), workers } = settings
  const jobConnections = poolSizes(connections, workers).jobs
  const roles = [
    ...Array.from({ length: workers }, () => ({ args: ['serve'] })),
    ...(settings.jobs
      ? [{ args: ['work'], env: { DATABASE_CONNECTIONS: String(Math.max(8, jobConnections)), HEALTH_PORT: '' } }]
      : []),
  ]
  const processes = roles.map((role) => supervise(role, log))
  stopping.stopWith(async () => {
    await Promise.all(processes.map((one) => one.stop()))
    await store.close()
  })
  const started = await Promise.all(processes.map((one) => one.started))
  if (stopping.signal.aborted) return
  if (started.includes(false)) {
    await Promise.all(processes.map((one) => one.stop()))
    await store.close()
    throw new Error('A process of the service did not start: see above.')
  }
  recordSite(settings)
  const { db, vault, secrets } = store
  const access = await welcome(settings, { db, vault, log, site: settings.site, setUpToken: setUpTokenOf(secrets[0]) })
  if (access) startGallery({ db, quotas: settings.quotas, log }, stopping.signal)
}

interface Role {
  args: string[]
  env?: Record<string, string>
}

/** Restarts a process whenever it ends, until stopped; one that could not start at all is not retried. */
function supervise({ args, env }: Role, log: Logger) {
  let stopping = false
  let current: Worker
  const start = () => {
    cluster.setupPrimary({ args })
    current = cluster.fork(env)
    return current
  }
  const first = start()
  const started = Promise.race([
    once(first, args[0] === 'serve' ? 'listening' : 'online').then(() => true),
    once(first, 'exit').then(() => false),
  ])
  const running = (async () => {
    await once(first, 'exit')
    if (!(await started)) return
    while (!stopping) {
      log.error({ process: args[0] }, 'a process of the service exited; restarting it')
      await sleep(PAUSE_MS)
      if (!stopping) await once(start(), 'exit')
    }
  })()
  return {
    started,
    async stop() {
      stopping = true
      if (!current.isDead()) current.process.kill('SIGTERM')
      await running
    },
  }
}
