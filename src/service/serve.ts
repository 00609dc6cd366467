import cluster from 'node:cluster'
import type { Server } from 'node:http'
import Fastify from 'fastify'
import type { Logger } from 'pino'
import { VERSION } from '../contract/version.ts'
import type { Pool } from '../db/database.ts'
import { sweep } from '../domain/accounts/trials.ts'
import { folderFiles } from '../domain/files/file-store.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import { buildHealthServer } from '../http/ops/health.ts'
import { buildServer } from '../http/server.ts'
import { stopWaiting } from '../intake/batch.ts'
import { shareBodyMemory } from '../intake/body-memory.ts'
import { shareHeavyProcesses, stopHeavy } from '../intake/heavy/heavy.ts'
import type { Backups } from '../jobs/backups/backups.ts'
import { folderPlace, storePlace } from '../jobs/backups/place.ts'
import { explainer } from '../jobs/explainer.ts'
import { startMovingObjects } from '../jobs/object-moving.ts'
import { startIndexing } from '../jobs/search-indexing.ts'
import { openPost } from '../jobs/sending/mail.ts'
import { startSender } from '../jobs/sending/sender.ts'
import { startTableStatistics } from '../jobs/table-statistics.ts'
import { startWorker } from '../jobs/worker.ts'
import { allowedHosts } from '../net/addresses.ts'
import { openObjectStore } from '../net/object-store.ts'
import { startTracing } from '../net/tracing.ts'
import { sharePreviewProcesses, stopPreviews } from '../previews/make-preview.ts'
import { HOST_USES, type Settings } from './environment.ts'
import { listen } from './listen.ts'
import { startNodeReport } from './node-report.ts'
import { onStop } from './on-stop.ts'
import { defaultConnections, openPools, poolSizes } from './pools.ts'
import { recordSite } from './recorded-site.ts'
import { connectionLost, makeService, openLog, secretFile } from './service.ts'
import { requireSharedFiles } from './shared-files.ts'
import { openWhenThere } from './wait-for-database.ts'
import { startGallery, welcome } from './welcome.ts'

const FLUSH_EVERY_MS = 30_000
/** The maximum time for accepting earlier connections when stopping. */
const ACCEPT_BACKLOG_MS = 4_000
/** The maximum time for a large body that is being recorded when stopping; waiting ones are refused. */
const HEAVY_MS = 5_000

/** Runs the service until it is stopped; accepted requests are finished. */
export async function serve(settings: Settings) {
  const { workers, connections } = settings
  const isOneOfMany = cluster.isWorker
  if (workers > 1 && !isOneOfMany) return (await import('./workers.ts')).serveInWorkers(settings)
  const log = openLog(settings)
  const stopping = onStop(log)
  const store = await openWhenThere(
    settings,
    log,
    { onlyIfCurrent: isOneOfMany },
    { port: settings.port, signal: stopping.signal },
  )
  if (!store) return stopping.stopWith(async () => {})
  stopping.leaveWith(store.leave)
  const filesFolder = await requireSharedFiles(settings, store, log)
  const pools = openPools(store.url, {
    poolerUrl: settings.directUrl && settings.databaseUrl,
    statementTimeout: settings.statementTimeout,
    onError: connectionLost(log),
    objects: store.objects,
    files: store.files,
    sizes: poolSizes(connections ?? defaultConnections(workers), workers),
    withoutJobs: isOneOfMany || !settings.jobs,
  })
  shareBodyMemory(workers)
  shareHeavyProcesses(workers)
  sharePreviewProcesses(workers)
  const service = makeService(settings, store, pools, log)
  const tracing = settings.tracing && startTracing(settings.tracing, VERSION, log)
  if (!isOneOfMany) await sweep(service.db)
  const ops = settings.healthPort === undefined ? undefined : Fastify({ forceCloseConnections: true })
  const app = await buildServer(service, ops)
  const flush = setInterval(
    () =>
      service.lastUsed
        .flush(service.db)
        .catch((error) => log.warn({ error: error.message }, 'could not save the last use of tokens')),
    FLUSH_EVERY_MS,
  )
  try {
    await listen(app, settings)
    if (ops) await listen(ops, { host: settings.host, port: settings.healthPort! })
  } catch (error) {
    clearInterval(flush)
    await app.close()
    service.limits.close()
    await service.replica?.close()
    await pools.close()
    await store.close()
    throw error
  }
  const working = pools.jobs && beginWork(settings, pools.jobs, service.vault, log)
  let worker: Awaited<typeof working>
  const { db, refusedRequests } = service
  const report = startNodeReport(settings, {
    db,
    log,
    role: 'serve',
    filesFolder,
    refusedRequests,
    silentServers: () => worker?.silentServers() ?? [],
  })
  // From the first request on: a service that is stopped while it is still starting finishes accepted requests, too.
  stopping.stopWith(async () => {
    clearInterval(flush)
    stopWaiting(pools.intake)
    worker = await working
    await Promise.all([
      acceptBacklog(app.server).then(() => app.close()),
      worker?.stop(),
      stopHeavy(HEAVY_MS),
      stopPreviews(HEAVY_MS),
    ])
    await ops?.close()
    await report.stop()
    await service.lastUsed.flush(service.db).catch(() => {})
    await service.intakeQuota.flush(service.db).catch(() => {})
    service.limits.close()
    await service.replica?.close()
    await pools.close()
    await store.close()
    await tracing?.stop()
  })
  worker = await working
  if (isOneOfMany || stopping.signal.aborted) return
  recordSite(settings)
  const access = await welcome(settings, service).catch((error) => {
    // If it was stopped meanwhile, it has lost its database.
    if (!stopping.signal.aborted) throw error
  })
  if (access) startGallery(service, stopping.signal)
}

/** Runs only jobs, next to nodes that serve requests. */
export async function work(settings: Settings) {
  const log = openLog(settings)
  const stopping = onStop(log)
  const store = await openWhenThere(
    settings,
    log,
    { onlyIfCurrent: cluster.isWorker, max: settings.connections },
    { port: settings.healthPort, signal: stopping.signal },
  )
  if (!store) return stopping.stopWith(async () => {})
  stopping.leaveWith(store.leave)
  const filesFolder = await requireSharedFiles(settings, store, log)
  const tracing = settings.tracing && startTracing(settings.tracing, VERSION, log)
  const worker = await beginWork(settings, store.db, store.vault, log)
  const health = buildHealthServer({ db: store.db, connections: { jobs: store.db.pool }, retention: settings.retention })
  if (settings.healthPort !== undefined) await listen(health, { ...settings, port: settings.healthPort })
  const report = startNodeReport(settings, { db: store.db, log, role: 'work', filesFolder, silentServers: worker.silentServers })
  log.info('running background jobs')
  stopping.stopWith(async () => {
    await Promise.all([health.close(), worker.stop(), stopHeavy(HEAVY_MS), stopPreviews(HEAVY_MS)])
    await report.stop()
    await store.close()
    await tracing?.stop()
  })
}

async function beginWork(settings: Settings, db: Pool, vault: Vault, log: Logger) {
  const { allowPrivateHosts, jobConcurrency, model, mail, quotas, retention, site, slackApi, backups } = settings
  const context = {
    db,
    vault,
    log,
    allowed: allowedHosts(allowPrivateHosts, HOST_USES),
    explain: model && explainer(model, log),
    concurrency: jobConcurrency,
    post: mail && openPost(mail),
    quotas,
    retention,
    site,
    ...(slackApi !== undefined && { slackApi }),
    ...(backups && { backups: openBackups(settings, backups) }),
  }
  const worker = await startWorker(context)
  const sender = startSender(context)
  const parts = [
    worker,
    sender,
    startIndexing(context),
    startTableStatistics(context),
    ...(db.objects ? [startMovingObjects({ db, log, objects: db.objects })] : []),
  ]
  return {
    silentServers: () => [...worker.silentServers(), ...sender.silentServers()],
    stop: () => Promise.all(parts.map((part) => part.stop())),
  }
}

function openBackups(
  { objectStore, secretKey, dataDir, filesDir }: Settings,
  backups: NonNullable<Settings['backups']>,
): Backups {
  const { to, prefix } = backups
  return {
    ...backups,
    ...(!objectStore && { files: folderFiles(filesDir) }),
    place: prefix === undefined ? folderPlace(to) : storePlace(to, prefix, openObjectStore(objectStore!)),
    secretKey: () => (secretKey === undefined ? (secretFile(dataDir).read() ?? null) : null),
  }
}

/**
 * Node accepts one connection per turn of its event loop, and closing the socket resets all queued ones, though their requests were sent:
 * on a busy node these are many.
 */
async function acceptBacklog(server: Server) {
  let accepted = 0
  server.on('connection', () => accepted++)
  const end = performance.now() + ACCEPT_BACKLOG_MS
  for (let before = -1; accepted > before && performance.now() < end; ) {
    before = accepted
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  }
}
