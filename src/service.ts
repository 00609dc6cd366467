import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { openDatabase, type Pool } from './db/database.ts'
import { startEmbedded } from './db/embedded/embedded.ts'
import { migrate, schemaState } from './db/migrate.ts'
import { Cursors } from './db/page.ts'
import { applyRoleSettings, isPoolerRefusal } from './db/pooler.ts'
import { openReplica } from './db/replica.ts'
import { verifySecret } from './domain/access/secret-canary.ts'
import { keyFor, Vault } from './domain/access/secrets.ts'
import { LastUsed } from './domain/access/tokens.ts'
import { Rollups } from './domain/feed/rollups.ts'
import { BodyQuota } from './domain/integrations/stored-bodies.ts'
import type { Settings } from './environment.ts'
import { openLimits } from './http/limits.ts'
import type { Service } from './http/service.ts'
import type { Pools } from './pools.ts'
import { scrubbedLog } from './scrubbed-log.ts'

export const openLog = ({ logLevel }: Settings): Logger =>
  pino(
    {
      level: logLevel,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: ['req.headers.authorization', 'headers.authorization', '*.token', '*.password', '*.secret'],
        remove: true,
      },
    },
    // Lines leave together, at the latest after a moment: a write per line costs a busy server a tenth of its time.
    scrubbedLog(pino.destination({ minLength: 4096, sync: true, periodicFlush: 250 })),
  )

export interface Opened {
  db: Pool
  /** The database's own address, not a pooler's. */
  url: string
  secret: string
  /** Whether the schema was made just now: the first start. */
  fresh: boolean
  close(): Promise<void>
}

interface Opening {
  /** A command beside the service sets an empty database up and leaves the schema of any other alone: an older service may run on it. */
  onlyIfCurrent?: boolean
}

/** The configured database or the embedded one, brought to this code's schema. */
export async function openStore(settings: Settings, log: Logger, opening: Opening = {}): Promise<Opened> {
  const { url, fresh, stop } = await openSchema(settings, log, opening)
  const db = openDatabase(url, { onError: connectionLost(log) })
  if (settings.directUrl !== undefined) await applyRoleSettings(db, log)
  const close = async () => {
    await db.close()
    await stop()
  }
  try {
    const secret = settings.secretKey ?? keptSecret(settings.dataDir)
    await verifySecret(db, secret)
    return { db, url, secret, fresh, close }
  } catch (error) {
    await close()
    if (isPoolerRefusal(error))
      throw new Error("DATABASE_URL leads to a connection pooler: set DATABASE_DIRECT_URL to the database's own address.", {
        cause: error,
      })
    throw error
  }
}

/** The schema alone, which needs no secret. */
export async function openSchema(settings: Settings, log: Logger, { onlyIfCurrent = false }: Opening = {}) {
  const embedded = settings.databaseUrl === undefined ? await startEmbedded(settings.dataDir) : undefined
  const url = settings.directUrl ?? settings.databaseUrl ?? embedded!.url
  try {
    const state = onlyIfCurrent ? await schemaState(url) : undefined
    if (state === 'older')
      throw new Error('The database is of an older version: run `goldmaster migrate`, then start the service again.')
    const { fresh } = state === 'current' ? { fresh: false } : await migrate(url, log)
    return { url, fresh, stop: async () => embedded?.stop() }
  } catch (error) {
    await embedded?.stop()
    throw settings.databaseUrl === undefined
      ? error
      : new Error(`${settings.directUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'}: ${reason(error)}`, {
          cause: error,
        })
  }
}

export const connectionLost = (log: Logger) => (error: Error) =>
  log.warn({ error: error.message }, 'a database connection was lost')

/** A host with several addresses fails once for each of them. */
const reason = (error: unknown): string =>
  error instanceof AggregateError ? reason(error.errors[0]) : (error as Error).message || String(error)

/** Made once and kept beside the data: everything sealed with it is lost without it. */
function keptSecret(dataDir: string): string {
  const file = join(dataDir, 'secret-key')
  mkdirSync(dataDir, { recursive: true })
  try {
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8').trim()
}

export const makeService = (
  settings: Settings,
  { secret }: Opened,
  { db, intake, connections }: Pools,
  log: Logger,
): Service => ({
  db,
  intake,
  connections,
  replica: settings.replicaUrl === undefined ? undefined : openReplica(settings.replicaUrl, db, log),
  site: settings.site,
  cursors: new Cursors(keyFor(secret, 'cursors')),
  vault: new Vault(secret),
  limits: openLimits(settings.rates, settings.redisUrl, log),
  lastUsed: new LastUsed(),
  rollups: new Rollups(),
  bodyQuota: new BodyQuota(settings.storedBodies, settings.retention.bodies),
  log,
  cookieKey: keyFor(secret, 'cookies').toString('hex'),
  signUp: settings.signUp,
  setUpToken: keyFor(secret, 'set-up').toString('base64url').slice(0, 32),
  metering: settings.metering,
  mailing: settings.mail !== undefined,
  retention: settings.retention,
  trustProxy: settings.trustProxy,
})
