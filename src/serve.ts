import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Pool } from './db/database.ts'
import { Vault } from './domain/access/secrets.ts'
import { sweep } from './domain/accounts/trials.ts'
import { HOST_USES, type Settings } from './environment.ts'
import { buildServer } from './http/server.ts'
import { stopHeavy } from './intake/heavy/heavy.ts'
import { startChannels } from './jobs/channels/channels.ts'
import { explainer } from './jobs/explainer.ts'
import { openPost } from './jobs/mail.ts'
import { startOutgoing } from './jobs/outgoing/outgoing.ts'
import { startIndexing } from './jobs/search-indexing.ts'
import { startTableStatistics } from './jobs/table-statistics.ts'
import { startWorker } from './jobs/worker.ts'
import { allowedHosts } from './net/addresses.ts'
import { openPools, STATEMENT_MS } from './pools.ts'
import { connectionLost, makeService, openLog, openStore } from './service.ts'
import { welcome } from './welcome.ts'

const FLUSH_EVERY_MS = 30_000
const PATIENCE_MS = 9_000
/** Told to stop, the longest time to let those in who came before. */
const LINE_MS = 2_000
/** Told to stop, the longest time for a large body that is being recorded; what waits for its turn is refused. */
const HEAVY_MS = 5_000

/** Runs the service until it is told to stop; what it has accepted it finishes. */
export async function serve(settings: Settings) {
  const log = openLog(settings)
  const store = await openStore(settings, log)
  const pools = openPools(store.url, {
    poolerUrl: settings.directUrl && settings.databaseUrl,
    statementTimeout: STATEMENT_MS,
    onError: connectionLost(log),
  })
  const service = makeService(settings, store, pools, log)
  await sweep(service.db)
  const app = await buildServer(service)
  const flush = setInterval(
    () => service.lastUsed.flush(service.db).catch((error) => log.warn({ error: error.message }, 'last use not written')),
    FLUSH_EVERY_MS,
  )
  try {
    await listen(app, settings)
  } catch (error) {
    clearInterval(flush)
    await app.close()
    service.limits.close()
    await service.replica?.close()
    await pools.close()
    await store.close()
    throw error
  }
  const working = beginWork(settings, pools.jobs, service.vault, log)
  // From the first request on: whoever is told to stop while the rest still begins finishes what was accepted, too.
  onStop(log, async () => {
    clearInterval(flush)
    const worker = await working
    await Promise.all([emptyLine(app.server).then(() => app.close()), worker.stop(), stopHeavy(HEAVY_MS)])
    await service.lastUsed.flush(service.db).catch(() => {})
    await service.bodyQuota.flush(service.db).catch(() => {})
    service.limits.close()
    await service.replica?.close()
    await pools.close()
    await store.close()
  })
  await working
  await welcome(settings, service)
}

/** Runs jobs alone, beside nodes that serve. */
export async function work(settings: Settings) {
  const log = openLog(settings)
  const store = await openStore(settings, log)
  const worker = await beginWork(settings, store.db, new Vault(store.secret), log)
  log.info('working on jobs')
  onStop(log, async () => {
    await Promise.all([worker.stop(), stopHeavy(HEAVY_MS)])
    await store.close()
  })
}

async function beginWork(
  { allowPrivateHosts, model, mail, retention, site, slackApi }: Settings,
  db: Pool,
  vault: Vault,
  log: Logger,
) {
  const context = {
    db,
    vault,
    log,
    allowed: allowedHosts(allowPrivateHosts, HOST_USES),
    explain: model && explainer(model, log),
    post: mail && openPost(mail),
    retention,
    site,
    ...(slackApi !== undefined && { slackApi }),
  }
  const parts = [
    await startWorker(context),
    startOutgoing(context),
    startChannels(context),
    startIndexing(context),
    startTableStatistics(context),
  ]
  return { stop: () => Promise.all(parts.map((part) => part.stop())) }
}

async function listen(app: FastifyInstance, { host, port }: Settings) {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new Error(`Port ${port} on ${host} is taken: stop what runs there or set PORT.`)
    if (code === 'EACCES') throw new Error(`Port ${port} may not be used by this user: set PORT to one above 1023.`)
    if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL')
      throw new Error(`HOST ${host} is no address of this machine: set it to 127.0.0.1, or to 0.0.0.0 to be reached by others.`)
    throw error
  }
}

/**
 * Node takes in one connection per turn of its loop, and the system hangs up on those who still stand before a door that closes,
 * though they have sent their request: on a busy node that is a crowd.
 */
async function emptyLine(server: Server) {
  let came = 0
  server.on('connection', () => came++)
  const end = performance.now() + LINE_MS
  for (let before = -1; came > before && performance.now() < end; ) {
    before = came
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  }
}

/** Ctrl-C reaches us from the terminal and once more from npm, which passes it on: that is one wish, not two. */
const ONE_WISH_MS = 500

/** The first signal lets everything finish; a second, or too long a wait, ends at once. */
function onStop(log: Logger, stop: () => Promise<void>) {
  let since: number | undefined
  const end = (code: number) => {
    // The lines of the last moment tell how it ended.
    log.flush()
    process.exit(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (since !== undefined && performance.now() - since < ONE_WISH_MS) return
      if (since !== undefined) end(1)
      since = performance.now()
      log.info({ signal }, 'stopping')
      setTimeout(() => end(1), PATIENCE_MS).unref()
      stop().then(
        () => end(0),
        (error) => {
          log.error({ err: error }, 'did not stop cleanly')
          end(1)
        },
      )
    })
}
