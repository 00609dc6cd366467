import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { PASSPHRASE } from '../contract/limits.ts'
import { readHostList } from '../db/hosts.ts'
import { type BreachedPasswords, HASH_LINE } from '../domain/access/breached-passwords.ts'
import { QUOTA_DEFAULTS, type Quotas, readQuotas } from '../domain/accounts/quotas.ts'
import { RETENTION_DEFAULTS, type Retained, type Retention } from '../domain/accounts/retention-days.ts'
import type { SignUpPolicy } from '../domain/sign-in/sign-ups.ts'
import type { Rate, Rates } from '../http/limits/limits.ts'
import { providers } from '../intake/providers/index.ts'
import type { Keep } from '../jobs/backups/rotation.ts'
import { readEntry } from '../net/addresses.ts'
import type { ObjectStoreSettings } from '../net/object-store.ts'
import type { TracingSettings } from '../net/tracing.ts'

/** The environment, read and validated once: an invalid value stops the start with one clear line. */
export interface Settings {
  host: string
  port: number
  site: string
  /** Whether the URL was configured or is the default. */
  isSiteGiven: boolean
  dataDir: string
  /** The folder of files, unless there is an object store. Several nodes share it. */
  filesDir: string
  databaseUrl: string | undefined
  /** The direct URL, if `databaseUrl` is that of a pooler. */
  directUrl: string | undefined
  /** A standby of that database for reading lists. */
  replicaUrl: string | undefined
  redisUrl: string | undefined
  /** The store for large bodies and logs; without it they stay in the database. */
  objectStore: ObjectStoreSettings | undefined
  secretKey: string | undefined
  /** The previous key, until everything is encrypted with `secretKey`. */
  previousKey: string | undefined
  demo: boolean
  rates: Rates
  /** Event streams that one token can have open per process. */
  streamsPerToken: number
  trustProxy: string[]
  /** Sites whose pages may call the API; `*` is any. */
  corsOrigins: string[]
  signUp: SignUpPolicy
  /** How long a session lasts without use. */
  sessionSeconds: number
  /** The list that new passwords are checked against. */
  breachedPasswords: BreachedPasswords
  /** New accounts have a trial and limited credits: for operators who host for others. */
  metering: boolean
  /** The mail server; without it emails are stored for the operator. */
  mail: { url: string; from: string } | undefined
  /** Hosts, addresses and ranges that may be called although they are private. */
  allowPrivateHosts: string[]
  /** The contact for vulnerability reports in security.txt. */
  securityContact: string | undefined
  logLevel: string
  /** Processes that serve requests. */
  workers: number
  /** Whether `serve` runs jobs too. */
  jobs: boolean
  /** How many local jobs run at once; twice as many that call other servers. */
  jobConcurrency: number
  /** Database connections of all processes together; derived from their number by default. */
  connections: number | undefined
  /** The statement timeout of requests in milliseconds. */
  statementTimeout: number
  /** The destination of traces, if any. */
  tracing: TracingSettings | undefined
  /** The port on which `work` reports its health. */
  healthPort: number | undefined
  /** The URL of Slack's API; some Slack installations have another one. */
  slackApi: string | undefined
  /** Retention in days, by kind. */
  retention: Retention
  /** The default quotas of accounts, such as the bytes of stored bodies; null: unlimited. */
  quotas: Quotas
  /** The destination, times and settings of backups, if enabled. */
  backups: BackupSettings | undefined
  /** A language model that rephrases findings; without it the built-in text is used. */
  model: { url: string; key: string | undefined; model: string } | undefined
}

interface BackupSettings {
  /** As configured: a folder, or `object-store:` and a prefix. */
  to: string
  /** The prefix in the object store; undefined for a folder. */
  prefix: string | undefined
  at: string[]
  keep: Keep
  test: 'restore' | 'read'
  passphrase: string
}

class BadSetting extends Error {}

/** The uses that a private host can be allowed for: servers of tools, and our webhooks. */
export const HOST_USES: readonly string[] = [
  ...Object.values(providers).flatMap(({ name, server }) => (server ? [name] : [])),
  'webhooks',
  'sign-in',
]

type Environment = Record<string, string | undefined>

/** Secret settings: each can be read from the file in `<name>_FILE`, as Docker and Kubernetes mount them. */
export const SECRET_SETTINGS: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'DATABASE_REPLICA_URL',
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'REDIS_URL',
  'SMTP_URL',
  'LLM_KEY',
  'OBJECT_STORE_ACCESS_KEY',
  'OBJECT_STORE_SECRET_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'BACKUP_PASSPHRASE',
]

function fromFile(name: string, env: Environment): string | undefined {
  const file = env[`${name}_FILE`]
  if (!file || !SECRET_SETTINGS.includes(name)) return undefined
  if (env[name]) throw bad(name, `and ${name}_FILE are both set: remove one of them`)
  try {
    // Editors add a line break at the end.
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    throw bad(`${name}_FILE`, `cannot be read (${(error as NodeJS.ErrnoException).code}): ${file}`)
  }
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export function readEnvironment(env: Environment): Settings {
  // An empty variable counts as absent, as in compose files.
  const given = (name: string) => fromFile(name, env) ?? (env[name] === '' ? undefined : env[name])
  const port = readPort('PORT', given('PORT') ?? '8080')
  const databaseUrl = readUrl('DATABASE_URL', given('DATABASE_URL'), ['postgres:', 'postgresql:'])
  const directUrl = readUrl('DATABASE_DIRECT_URL', given('DATABASE_DIRECT_URL'), ['postgres:', 'postgresql:'])
  if (directUrl !== undefined && databaseUrl === undefined)
    throw bad('DATABASE_DIRECT_URL', 'needs DATABASE_URL too: the URL of the pooler')
  const replicaUrl = readUrl('DATABASE_REPLICA_URL', given('DATABASE_REPLICA_URL'), ['postgres:', 'postgresql:'])
  if (replicaUrl !== undefined && databaseUrl === undefined)
    throw bad('DATABASE_REPLICA_URL', 'needs DATABASE_URL too: the built-in database has no replica')
  if (replicaUrl !== undefined && readHostList(replicaUrl)) throw bad('DATABASE_REPLICA_URL', 'has several hosts: use one')
  const [secretKey, previousKey] = ['SECRET_KEY', 'SECRET_KEY_PREVIOUS'].map((name) => {
    if ((given(name)?.length ?? 32) < 32) throw bad(name, 'must have at least 32 characters')
    return given(name)
  })
  if (databaseUrl !== undefined && secretKey === undefined && env.NODE_ENV === 'production')
    throw bad('SECRET_KEY', 'is required with DATABASE_URL in production. To create one, run: openssl rand -hex 32')
  return {
    port,
    host: given('HOST') ?? '127.0.0.1',
    site: (readUrl('BASE_URL', given('BASE_URL'), ['http:', 'https:']) ?? `http://localhost:${port}`).replace(/\/+$/, ''),
    isSiteGiven: (given('BASE_URL') ?? given('PORT')) !== undefined,
    dataDir: given('DATA_DIR') ?? './data',
    filesDir: resolve(given('FILES_DIR') ?? join(given('DATA_DIR') ?? './data', 'files')),
    databaseUrl,
    directUrl,
    replicaUrl,
    redisUrl: readUrl('REDIS_URL', given('REDIS_URL'), ['redis:', 'rediss:']),
    objectStore: readObjectStore(readUrl('OBJECT_STORE_URL', given('OBJECT_STORE_URL'), ['http:', 'https:']), given),
    secretKey,
    previousKey,
    demo: readSwitch('DEMO', given('DEMO'), databaseUrl === undefined),
    rates: {
      requests: readRate('LIMIT_REQUESTS_PER_IP', given('LIMIT_REQUESTS_PER_IP') ?? '300/5m'),
      taskWrites: readRate('LIMIT_TASK_WRITES', given('LIMIT_TASK_WRITES') ?? '60/1m'),
      comments: readRate('LIMIT_COMMENTS', given('LIMIT_COMMENTS') ?? '120/1m'),
      webhooks: readRate('LIMIT_WEBHOOKS', given('LIMIT_WEBHOOKS') ?? '600/1m'),
      ugs: readRate('LIMIT_UGS', given('LIMIT_UGS') ?? '10000/1m'),
      signIns: readRate('LIMIT_SIGN_INS', given('LIMIT_SIGN_INS') ?? '10/5m'),
    },
    streamsPerToken: readCount('LIMIT_STREAMS_PER_TOKEN', given('LIMIT_STREAMS_PER_TOKEN') ?? '10', 1, 10_000),
    signUp: given('SIGNUP') === undefined ? undefined : readOneOf('SIGNUP', given('SIGNUP')!, ['open', 'invite'] as const),
    sessionSeconds: readSessionLength('SESSION_LENGTH', given('SESSION_LENGTH') ?? '14d'),
    breachedPasswords: readBreached('BREACHED_PASSWORDS', given('BREACHED_PASSWORDS') ?? 'builtin'),
    metering: readSwitch('METERING', given('METERING'), false),
    mail: readMail(readUrl('SMTP_URL', given('SMTP_URL'), ['smtp:', 'smtps:']), given('MAIL_FROM')),
    corsOrigins: readOrigins('CORS_ORIGINS', given('CORS_ORIGINS')),
    trustProxy: readAddresses('TRUST_PROXY', given('TRUST_PROXY')),
    allowPrivateHosts: readHosts('ALLOW_PRIVATE_HOSTS', given('ALLOW_PRIVATE_HOSTS')),
    model: readModel(readUrl('LLM_URL', given('LLM_URL'), ['http:', 'https:']), given('LLM_KEY'), given('LLM_MODEL')),
    slackApi: readUrl('SLACK_API_URL', given('SLACK_API_URL'), ['http:', 'https:'])?.replace(/\/+$/, ''),
    retention: readRetention('RETENTION', given('RETENTION')),
    quotas: readServiceQuotas(given('QUOTAS') ?? '', readBytes('LIMIT_STORED_BODIES', given('LIMIT_STORED_BODIES') ?? '20GB')),
    backups: readBackups(given),
    workers: given('WORKERS') === 'auto' ? availableParallelism() : readCount('WORKERS', given('WORKERS') ?? '1', 1, 64, 'auto'),
    jobs: readSwitch('JOBS', given('JOBS'), true),
    jobConcurrency: readCount('JOB_CONCURRENCY', given('JOB_CONCURRENCY') ?? '6', 2, 64),
    connections: given('DATABASE_CONNECTIONS')
      ? readCount('DATABASE_CONNECTIONS', given('DATABASE_CONNECTIONS')!, 8, 5_000)
      : undefined,
    statementTimeout: 1_000 * readCount('STATEMENT_TIMEOUT', (given('STATEMENT_TIMEOUT') ?? '5s').replace(/s$/, ''), 1, 60),
    tracing: readTracing(
      readUrl('OTEL_EXPORTER_OTLP_ENDPOINT', given('OTEL_EXPORTER_OTLP_ENDPOINT'), ['http:', 'https:']),
      given,
    ),
    healthPort: given('HEALTH_PORT') === undefined ? undefined : readPort('HEALTH_PORT', given('HEALTH_PORT')!),
    securityContact: readContact('SECURITY_CONTACT', given('SECURITY_CONTACT'), given('MAIL_FROM')),
    logLevel: readOneOf('LOG_LEVEL', given('LOG_LEVEL') ?? 'info', LOG_LEVELS),
  }
}

function readModel(url: string | undefined, key: string | undefined, model: string | undefined): Settings['model'] {
  if (url === undefined) return undefined
  if (model === undefined) throw bad('LLM_MODEL', 'is required with LLM_URL')
  return { url, key, model }
}

function readObjectStore(url: string | undefined, given: (name: string) => string | undefined): Settings['objectStore'] {
  if (url === undefined) return undefined
  // The path is signed exactly as written.
  if (!/^https?:\/\/[^/?#@\s]+(\/[\w.~-]+)+\/*$/.test(url))
    throw bad('OBJECT_STORE_URL', 'must be a path-style bucket URL, like https://s3.eu-central-1.amazonaws.com/bucket')
  const [accessKey, secretKey] = ['OBJECT_STORE_ACCESS_KEY', 'OBJECT_STORE_SECRET_KEY'].map((name) => {
    if (given(name) === undefined) throw bad(name, 'is required with OBJECT_STORE_URL')
    return given(name)!
  })
  return { url, region: given('OBJECT_STORE_REGION') ?? 'us-east-1', accessKey: accessKey!, secretKey: secretKey! }
}

const KEEP_DEFAULTS: Keep = { daily: 7, weekly: 4, monthly: 6 }
const IN_STORE = 'object-store:'

function readBackups(given: (name: string) => string | undefined): Settings['backups'] {
  const passphrase = given('BACKUP_PASSPHRASE')
  if (passphrase !== undefined && (passphrase.length < PASSPHRASE.minLength || passphrase.includes('\n')))
    throw bad('BACKUP_PASSPHRASE', `must be one line of at least ${PASSPHRASE.minLength} characters`)
  const to = given('BACKUP_TO')
  if (to === undefined) return undefined
  if (passphrase === undefined) throw bad('BACKUP_PASSPHRASE', 'is required with BACKUP_TO')
  const prefix = to.startsWith(IN_STORE) ? to.slice(IN_STORE.length) : undefined
  if (prefix !== undefined && !/^[\w.~-]+(\/[\w.~-]+)*$/.test(prefix))
    throw bad('BACKUP_TO', `must be a folder, or ${IN_STORE} and a prefix such as ${IN_STORE}backups`)
  if (prefix !== undefined && given('OBJECT_STORE_URL') === undefined)
    throw bad('OBJECT_STORE_URL', 'is required if BACKUP_TO starts with object-store:')
  const at = readList(given('BACKUP_AT') ?? '02:30')
  for (const time of at)
    if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(time))
      throw bad('BACKUP_AT', `must be times of day in UTC like 02:30,14:30; not "${time}"`)
  return {
    to: prefix === undefined ? resolve(to) : to,
    prefix,
    at: [...new Set(at)],
    keep: readKeep('BACKUP_KEEP', given('BACKUP_KEEP')),
    test: readOneOf('BACKUP_TEST', given('BACKUP_TEST') ?? 'restore', ['restore', 'read'] as const),
    passphrase,
  }
}

/** Such as `daily=14, monthly=12`; missing ones keep their default. */
function readKeep(name: string, text: string | undefined): Keep {
  const keep = { ...KEEP_DEFAULTS }
  for (const part of readList(text)) {
    const [, period, count] = /^(daily|weekly|monthly)=(\d{1,3})$/.exec(part) ?? []
    if (period === undefined) throw bad(name, `must be a list like daily=7,weekly=4,monthly=6; not "${part}"`)
    keep[period as keyof Keep] = Number(count)
  }
  return keep
}

/** OpenTelemetry's own variables. */
function readTracing(endpoint: string | undefined, given: (name: string) => string | undefined): Settings['tracing'] {
  if (endpoint === undefined) return undefined
  const ratio = Number(given('OTEL_TRACES_SAMPLER_ARG') ?? '1')
  if (!(ratio >= 0 && ratio <= 1)) throw bad('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1')
  const headers = readList(given('OTEL_EXPORTER_OTLP_HEADERS')).map((part) => {
    const [, name, value] = /^([\w-]+)=(.*)$/.exec(part) ?? []
    if (name === undefined) throw bad('OTEL_EXPORTER_OTLP_HEADERS', 'must be a list like name=value,name=value')
    return [name, decodeURIComponent(value!)]
  })
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    headers: Object.fromEntries(headers),
    service: given('OTEL_SERVICE_NAME') ?? 'goldmaster',
    ratio,
  }
}

const bad = (name: string, why: string) => new BadSetting(`${name} ${why}.`)

function readPort(name: string, text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw bad(name, `must be a number from 0 to 65535, not "${text}"`)
  return port
}

function readCount(name: string, text: string, least: number, most: number, or?: string): number {
  const count = Number(text)
  if (!/^\d{1,5}$/.test(text) || count < least || count > most)
    throw bad(name, `must be a number from ${least} to ${most}${or === undefined ? '' : `, or ${or}`}; not "${text}"`)
  return count
}

/** The error does not contain the value: URLs may contain passwords. */
function readUrl(name: string, text: string | undefined, schemes: string[]): string | undefined {
  if (text === undefined) return undefined
  if (!schemes.some((scheme) => text.startsWith(`${scheme}//`)))
    throw bad(name, `must start with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`)
  try {
    // A socket address is not a URL, but PostgreSQL's client accepts it.
    if (text.startsWith('postgres')) for (const host of readHostList(text)?.urls ?? [text]) new pg.Client(host)
    else new URL(text)
  } catch (error) {
    throw bad(name, `is not a valid URL (${(error as Error).message})`)
  }
  return text
}

function readSwitch(name: string, text: string | undefined, fallback: boolean): boolean {
  if (text === undefined) return fallback
  if (text === 'on' || text === 'off') return text === 'on'
  throw bad(name, `must be on or off, not "${text}"`)
}

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600 }

function readRate(name: string, text: string): Rate | null {
  if (text === 'off') return null
  const found = /^([1-9]\d{0,8})\/(\d{1,6})?([smh])$/.exec(text)
  if (!found || found[2] === '0') throw bad(name, `must look like 300/5m, or be off; not "${text}"`)
  return { points: Number(found[1]), seconds: Number(found[2] ?? 1) * UNITS[found[3]!]! }
}

const DAY = 86_400

function readSessionLength(name: string, text: string): number {
  const found = /^([1-9]\d{0,3})([hd])$/.exec(text)
  const seconds = found ? Number(found[1]) * (found[2] === 'd' ? DAY : 3600) : 0
  if (seconds === 0 || seconds > 90 * DAY) throw bad(name, `must be a time from 1h to 90d, such as 12h or 14d; not "${text}"`)
  return seconds
}

/** Reads the first line of the file at startup, so that a wrong file doesn't surface when somebody chooses a password. */
function readBreached(name: string, text: string): BreachedPasswords {
  if (text === 'builtin' || text === 'off') return text
  let line: string
  try {
    const file = openSync(text, 'r')
    const start = Buffer.alloc(100)
    line = start.toString('latin1', 0, readSync(file, start)).split('\n', 1)[0]!
    closeSync(file)
  } catch (error) {
    throw bad(name, `must be builtin, off or a readable file (${(error as Error).message})`)
  }
  if (!HASH_LINE.test(line))
    throw bad(name, `must be a file with a SHA-1 hash in every line, sorted; the first line of ${text} is not one`)
  return { file: text }
}

/** Such as `bodies=14d, logs=365d, deliveries=off`; missing ones keep their default. */
function readRetention(name: string, text: string | undefined): Retention {
  const retention: Retention = { ...RETENTION_DEFAULTS }
  for (const part of readList(text)) {
    const [, kind, days] = /^(\w+)=(?:off|([1-9]\d{0,4})d)$/.exec(part) ?? []
    if (kind === undefined || !Object.hasOwn(RETENTION_DEFAULTS, kind))
      throw bad(name, `must be a list like bodies=30d,logs=off of ${Object.keys(RETENTION_DEFAULTS).join(', ')}; not "${part}"`)
    retention[kind as Retained] = days === undefined ? null : Number(days)
  }
  return retention
}

/** The quota of stored bytes has its own variable. */
function readServiceQuotas(text: string, stored_bytes: number | null): Quotas {
  try {
    return { ...QUOTA_DEFAULTS, stored_bytes, ...readQuotas(text) }
  } catch (error) {
    throw bad('QUOTAS', (error as Error).message)
  }
}

const MULTIPLES: Record<string, number> = { MB: 1e6, GB: 1e9, TB: 1e12 }

function readBytes(name: string, text: string): number | null {
  if (text === 'off') return null
  const found = /^([1-9]\d{0,5})(MB|GB|TB)$/.exec(text)
  if (!found) throw bad(name, `must look like 20GB or 500MB, or be off; not "${text}"`)
  return Number(found[1]) * MULTIPLES[found[2]!]!
}

const readList = (text: string | undefined) =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** An address, or a range. */
function isRange(text: string): boolean {
  const [net, bits] = text.split('/')
  const most = isIP(net!) === 6 ? 128 : 32
  return isIP(net!) !== 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
}

function readHosts(name: string, text: string | undefined): string[] {
  const hosts = readList(text)
  for (const host of hosts)
    if (!readEntry(host, HOST_USES))
      throw bad(
        name,
        `must be a list of hosts, IP addresses or ranges, each with an optional prefix (${HOST_USES.join(':, ')}:) and an optional port; not "${host}"`,
      )
  return hosts
}

function readAddresses(name: string, text: string | undefined): string[] {
  const addresses = readList(text)
  for (const address of addresses)
    if (!isRange(address) && !['loopback', 'linklocal', 'uniquelocal'].includes(address))
      throw bad(name, `must be a list of IP addresses or ranges, not "${address}"`)
  return addresses
}

/** As browsers send them: scheme, host and port, without a trailing slash. */
function readOrigins(name: string, text: string | undefined): string[] {
  const origins = readList(text)
  for (const origin of origins)
    if (origin !== '*' && !(URL.canParse(origin) && new URL(origin).origin === origin))
      throw bad(name, `must be a list of origins like https://tools.example, or *; not "${origin}"`)
  return origins
}

function readOneOf<V extends string>(name: string, text: string, values: readonly V[]): V {
  const found = values.find((value) => value === text)
  if (found === undefined) throw bad(name, `must be one of ${values.join(', ')}, not "${text}"`)
  return found
}

/** A page or an email address; defaults to the sender of emails. */
function readContact(name: string, text: string | undefined, from: string | undefined): string | undefined {
  const given = text ?? from?.match(/[^\s<>]+@[^\s<>]+/)?.[0]
  if (given === undefined) return undefined
  const contact = given.includes('://') || given.startsWith('mailto:') ? given : `mailto:${given}`
  if (!/^(https:\/\/[^\s]+|mailto:[^\s@]+@[^\s@]+)$/.test(contact)) throw bad(name, 'must be an email address or an https:// URL')
  return contact
}

function readMail(url: string | undefined, from: string | undefined): Settings['mail'] {
  if (url === undefined) return undefined
  if (from === undefined || !from.includes('@'))
    throw bad('MAIL_FROM', 'must be the sender address of emails; it is required with SMTP_URL')
  return { url, from }
}
