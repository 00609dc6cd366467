import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Logger, pino } from 'pino'
import { type FileStore, openDatabase, type Pool } from '../db/database.ts'
import { startEmbedded } from '../db/embedded/embedded.ts'
import { migrate, schemaState } from '../db/migrate.ts'
import { Cursors } from '../db/page.ts'
import { applyRoleSettings, isPoolerRefusal } from '../db/pooler.ts'
import { openReplica } from '../db/replica.ts'
import { isRotated, verifySecret } from '../domain/access/secret-canary.ts'
import { LastUsed } from '../domain/access/tokens.ts'
import { Rollups } from '../domain/feed/rollups.ts'
import { folderFiles, storedFiles } from '../domain/files/file-store.ts'
import { IntakeQuota } from '../domain/integrations/intake-usage.ts'
import { RefusedRequests } from '../domain/operations/refused-requests.ts'
import { keyFor, Vault } from '../domain/privacy/secrets.ts'
import { AccountShare } from '../http/limits/account-share.ts'
import { openLimits } from '../http/limits/limits.ts'
import { TokenStreams } from '../http/limits/token-streams.ts'
import type { Service } from '../http/service.ts'
import { allowedHosts } from '../net/addresses.ts'
import { type ObjectStore, openObjectStore } from '../net/object-store.ts'
import { HOST_USES, type Settings } from './environment.ts'
import type { Pools } from './pools.ts'
import { scrubbedLog } from './scrubbed-log.ts'

/** Buffered while they cannot be written, as on a full disk; more are lost. */
const UNWRITTEN_MAX = 1024 * 1024

export function openLog({ logLevel }: Settings): Logger {
  // Lines are written together, after a moment at the latest: a write per line costs a busy server a tenth of its time. A pipe takes 4 KiB
  // at once: with less, lines of several processes do not mix.
  const output = pino.destination({ minLength: 3_000, maxLength: UNWRITTEN_MAX, sync: true, periodicFlush: 250 })
  // A service that cannot log continues to serve.
  output.on('error', () => {})
  return pino(
    {
      level: logLevel,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: ['req.headers.authorization', 'headers.authorization', '*.token', '*.password', '*.secret'],
        remove: true,
      },
    },
    scrubbedLog(output),
  )
}

export interface Opened {
  db: Pool
  /** The database's own URL, not a pooler's. */
  url: string
  /** The store for large values, if configured. */
  objects: ObjectStore | undefined
  files: FileStore
  /** The current key, and those that can still decrypt: see docs/operations.md on changing the key. */
  secrets: Secrets
  vault: Vault
  /** Whether the schema was just created: the first start. */
  fresh: boolean
  close(): Promise<void>
  /** Stops the embedded database, unless others use it, while its connections are still open: for a process that must end now. */
  leave(): Promise<void>
}

export interface Opening {
  /** A command next to the service sets up an empty database and does not change any other schema: an older service may use it. */
  onlyIfCurrent?: boolean
  /** The store's own connections. */
  max?: number
}

/** The configured database or the embedded one, migrated to this code's schema. */
export async function openStore(settings: Settings, log: Logger, { max, ...opening }: Opening = {}): Promise<Opened> {
  const { url, fresh, stop } = await openSchema(settings, log, opening)
  const objects = settings.objectStore && openObjectStore(settings.objectStore)
  const files = objects ? storedFiles(objects) : folderFiles(settings.filesDir)
  const db = openDatabase(url, { onError: connectionLost(log), objects, files, ...(max !== undefined && { max }) })
  if (settings.directUrl !== undefined) await applyRoleSettings(db, settings.statementTimeout, log)
  const close = async () => {
    await db.close()
    await stop()
  }
  try {
    const secrets = secretsOf(settings)
    const vault = new Vault(...secrets)
    await verifySecret(db, vault)
    if (secrets.length > 1 && (await isRotated(db, vault)))
      log.info('all secrets are encrypted with SECRET_KEY; SECRET_KEY_PREVIOUS is only needed for older links and cookies')
    return { db, url, objects, files, secrets, vault, fresh, close, leave: stop }
  } catch (error) {
    await close()
    if (isPoolerRefusal(error))
      throw new Error('DATABASE_URL is a connection pooler. Set DATABASE_DIRECT_URL to the URL of the database itself.', {
        cause: error,
      })
    throw error
  }
}

/** The configured database's own URL, or that of the embedded one, which is started. */
export async function openDatabaseServer({ databaseUrl, directUrl, dataDir }: Settings) {
  const embedded = databaseUrl === undefined ? await startEmbedded(dataDir) : undefined
  return { url: directUrl ?? databaseUrl ?? embedded!.url, stop: async () => embedded?.stop() }
}

/** Only the schema, which needs no secret. */
export async function openSchema(settings: Settings, log: Logger, { onlyIfCurrent = false }: Opening = {}) {
  const { url, stop } = await openDatabaseServer(settings)
  try {
    const state = onlyIfCurrent ? await schemaState(url) : undefined
    if (state === 'older')
      throw new Error('The database has an older version. Run `goldmaster migrate`, then start the service again.')
    const { fresh } = state === 'current' ? { fresh: false } : await migrate(url, log)
    return { url, fresh, stop }
  } catch (error) {
    await stop()
    throw settings.databaseUrl === undefined
      ? error
      : new Error(`${settings.directUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'}: ${reason(error)}`, {
          cause: error,
        })
  }
}

export const connectionLost = (log: Logger) => (error: Error) => log.warn({ error: error.message }, 'lost a database connection')

/** A host with several addresses fails once for each of them. */
const reason = (error: unknown): string =>
  error instanceof AggregateError ? reason(error.errors[0]) : (error as Error).message || String(error)

type Secrets = [current: string, ...former: string[]]

function secretsOf({ secretKey, previousKey, dataDir }: Settings): Secrets {
  const former = previousKey ?? (secretKey === undefined ? formerSecret(dataDir) : undefined)
  return [secretKey ?? keptSecret(dataDir), ...(former === undefined ? [] : [former])]
}

/** The previous stored key, set aside for a new one. */
function formerSecret(dataDir: string): string | undefined {
  const file = join(dataDir, 'secret-key-previous')
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
}

/** The key stored with the data. */
export function secretFile(dataDir: string) {
  const path = join(resolve(dataDir), 'secret-key')
  return {
    path,
    read: () => (existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined),
    write(secret: string, flag: 'w' | 'wx' = 'w') {
      mkdirSync(dataDir, { recursive: true })
      writeFileSync(path, `${secret}\n`, { flag, mode: 0o600 })
    },
  }
}

/** Created once: everything encrypted with it is lost without it. */
function keptSecret(dataDir: string): string {
  const { read, write } = secretFile(dataDir)
  try {
    write(randomBytes(32).toString('hex'), 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return read()!
}

export const setUpTokenOf = (secret: string) => keyFor(secret, 'set-up').toString('base64url').slice(0, 32)

export const makeService = (
  settings: Settings,
  { secrets, vault }: Pick<Opened, 'secrets' | 'vault'>,
  { db, intake, connections }: Pools,
  log: Logger,
): Service => ({
  db,
  intake,
  connections,
  replica: settings.replicaUrl === undefined ? undefined : openReplica(settings.replicaUrl, db, log),
  site: settings.site,
  cursors: new Cursors(...secrets.map((secret) => keyFor(secret, 'cursors'))),
  vault,
  limits: openLimits(settings.rates, settings.redisUrl, log),
  refusedRequests: new RefusedRequests(),
  share: new AccountShare(connections.statements!.options.max!),
  tokenStreams: new TokenStreams(settings.streamsPerToken),
  lastUsed: new LastUsed(),
  rollups: new Rollups(),
  intakeQuota: new IntakeQuota(settings.quotas, settings.retention.bodies),
  quotas: settings.quotas,
  log,
  cookieKey: cookieKeyOf(secrets[0]),
  ...(secrets[1] !== undefined && { formerCookieKey: cookieKeyOf(secrets[1]) }),
  signUp: settings.signUp,
  setUpToken: setUpTokenOf(secrets[0]),
  sessionSeconds: settings.sessionSeconds,
  breachedPasswords: settings.breachedPasswords,
  metering: settings.metering,
  mailing: settings.mail !== undefined,
  retention: settings.retention,
  allowedHosts: allowedHosts(settings.allowPrivateHosts, HOST_USES),
  ...(settings.slackApi !== undefined && { slackApi: settings.slackApi }),
  trustProxy: settings.trustProxy,
  corsOrigins: settings.corsOrigins,
  ...(settings.securityContact !== undefined && { securityContact: settings.securityContact }),
})

const cookieKeyOf = (secret: string) => keyFor(secret, 'cookies').toString('hex')
