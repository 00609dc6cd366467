import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { isConnectionError } from '../db/database.ts'
import { buildWaitingServer } from '../http/ops/health.ts'
import type { Settings } from './environment.ts'
import { listen } from './listen.ts'
import { type Opened, type Opening, openStore } from './service.ts'

const PAUSE_MS = 1_000
const LOG_EVERY_MS = 60_000

interface WaitOptions {
  /** The port for reporting meanwhile that the service is not ready. */
  port: number | undefined
  /** Ends the wait. */
  signal: AbortSignal
}

/**
 * Opens the store as soon as the database is reachable. A process that exited instead would be restarted again and again, until its
 * supervisor gives up. Wrong settings throw at once. Undefined: stopped meanwhile.
 */
export async function openWhenThere(
  settings: Settings,
  log: Logger,
  opening: Opening,
  { port, signal }: WaitOptions,
): Promise<Opened | undefined> {
  let server: FastifyInstance | undefined
  let logged = Number.NEGATIVE_INFINITY
  try {
    while (!signal.aborted) {
      try {
        return await openStore(settings, log, opening)
      } catch (error) {
        if (settings.databaseUrl === undefined || !isAway(error)) throw error
        if (performance.now() - logged >= LOG_EVERY_MS) {
          log.warn({ error: (error as Error).message }, 'the service is waiting for its database')
          logged = performance.now()
        }
      }
      if (port !== undefined && server === undefined) {
        server = buildWaitingServer()
        await listen(server, { host: settings.host, port })
      }
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
    }
    return undefined
  } finally {
    await server?.close()
  }
}

/** Any other error, such as a wrong password, would repeat. */
const isAway = (error: unknown): boolean =>
  isConnectionError(error) || (error instanceof Error && error.cause !== undefined && isAway(error.cause))
