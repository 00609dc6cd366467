import { isIP } from 'node:net'
import pg from 'pg'
import { readHostList } from './db/hosts.ts'
import type { SignUpPolicy } from './domain/access/sign-ups.ts'
import { RETENTION_DEFAULTS, type Retained, type Retention } from './domain/retention/retention.ts'
import type { Rate, Rates } from './http/limits.ts'
import { providers } from './intake/providers/index.ts'
import { readEntry } from './net/addresses.ts'

/** The environment, read once and checked: a bad value stops the start with one clear line. */
export interface Settings {
  host: string
  port: number
  site: string
  dataDir: string
  databaseUrl: string | undefined
  /** Its own address, where `databaseUrl` is that of a pooler. */
  directUrl: string | undefined
  /** A standby of that database for reading lists. */
  replicaUrl: string | undefined
  redisUrl: string | undefined
  secretKey: string | undefined
  demo: boolean
  rates: Rates
  trustProxy: string[]
  signUp: SignUpPolicy
  /** Accounts made here have a trial and a count of credits: for those who host for others. */
  metering: boolean
  /** Where mails go; kept for the operator to read without it. */
  mail: { url: string; from: string } | undefined
  /** Hosts, addresses and ranges that may be asked although they are private. */
  allowPrivateHosts: string[]
  logLevel: string
  /** Where Slack is asked; studios with a Slack of their own kind have another address. */
  slackApi: string | undefined
  /** Days after which what is purged. */
  retention: Retention
  /** Bytes that the stored bodies of one account may take; null for any number. */
  storedBodies: number | null
  /** A language model that words findings; the built-in words stand without one. */
  model: { url: string; key: string | undefined; model: string } | undefined
}

class BadSetting extends Error {}

/** What a private host may be allowed for: the servers of tools, and webhooks of ours. */
export const HOST_USES: readonly string[] = [
  ...Object.values(providers).flatMap(({ name, server }) => (server ? [name] : [])),
  'webhooks',
]

type Environment = Record<string, string | undefined>

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export function readEnvironment(env: Environment): Settings {
  // An empty variable is an absent one, as compose files write it.
  const given = (name: string) => (env[name] === '' ? undefined : env[name])
  const port = readPort(given('PORT') ?? '8080')
  const databaseUrl = readUrl('DATABASE_URL', given('DATABASE_URL'), ['postgres:', 'postgresql:'])
  const directUrl = readUrl('DATABASE_DIRECT_URL', given('DATABASE_DIRECT_URL'), ['postgres:', 'postgresql:'])
  if (directUrl !== undefined && databaseUrl === undefined)
    throw bad('DATABASE_DIRECT_URL', 'needs DATABASE_URL beside it, the address of the pooler')
  const replicaUrl = readUrl('DATABASE_REPLICA_URL', given('DATABASE_REPLICA_URL'), ['postgres:', 'postgresql:'])
  if (replicaUrl !== undefined && databaseUrl === undefined)
    throw bad('DATABASE_REPLICA_URL', 'needs DATABASE_URL beside it: the built-in database has no replica')
  if (replicaUrl !== undefined && readHostList(replicaUrl)) throw bad('DATABASE_REPLICA_URL', 'names several hosts: it takes one')
  const secretKey = given('SECRET_KEY')
  if (secretKey !== undefined && secretKey.length < 32) throw bad('SECRET_KEY', 'must have at least 32 characters')
  if (databaseUrl !== undefined && secretKey === undefined && env.NODE_ENV === 'production')
    throw bad('SECRET_KEY', 'is required beside DATABASE_URL in production (openssl rand -hex 32)')
  return {
    port,
    host: given('HOST') ?? '127.0.0.1',
    site: (readUrl('BASE_URL', given('BASE_URL'), ['http:', 'https:']) ?? `http://localhost:${port}`).replace(/\/+$/, ''),
    dataDir: given('DATA_DIR') ?? './data',
    databaseUrl,
    directUrl,
    replicaUrl,
    redisUrl: readUrl('REDIS_URL', given('REDIS_URL'), ['redis:', 'rediss:']),
    secretKey,
    demo: readSwitch('DEMO', given('DEMO'), databaseUrl === undefined),
    rates: {
      requests: readRate('LIMIT_REQUESTS_PER_IP', given('LIMIT_REQUESTS_PER_IP') ?? '300/5m'),
      taskWrites: readRate('LIMIT_TASK_WRITES', given('LIMIT_TASK_WRITES') ?? '60/1m'),
      webhooks: readRate('LIMIT_WEBHOOKS', given('LIMIT_WEBHOOKS') ?? '600/1m'),
      ugs: readRate('LIMIT_UGS', given('LIMIT_UGS') ?? '10000/1m'),
      signIns: readRate('LIMIT_SIGN_INS', given('LIMIT_SIGN_INS') ?? '10/5m'),
    },
    signUp: given('SIGNUP') === undefined ? undefined : readOneOf('SIGNUP', given('SIGNUP')!, ['open', 'invite'] as const),
    metering: readSwitch('METERING', given('METERING'), false),
    mail: readMail(readUrl('SMTP_URL', given('SMTP_URL'), ['smtp:', 'smtps:']), given('MAIL_FROM')),
    trustProxy: readAddresses('TRUST_PROXY', given('TRUST_PROXY')),
    allowPrivateHosts: readHosts('ALLOW_PRIVATE_HOSTS', given('ALLOW_PRIVATE_HOSTS')),
    model: readModel(readUrl('LLM_URL', given('LLM_URL'), ['http:', 'https:']), given('LLM_KEY'), given('LLM_MODEL')),
    slackApi: readUrl('SLACK_API_URL', given('SLACK_API_URL'), ['http:', 'https:'])?.replace(/\/+$/, ''),
    retention: readRetention('RETENTION', given('RETENTION')),
    storedBodies: readBytes('LIMIT_STORED_BODIES', given('LIMIT_STORED_BODIES') ?? '20GB'),
    logLevel: readOneOf('LOG_LEVEL', given('LOG_LEVEL') ?? 'info', LOG_LEVELS),
  }
}

function readModel(url: string | undefined, key: string | undefined, model: string | undefined): Settings['model'] {
  if (url === undefined) return undefined
  if (model === undefined) throw bad('LLM_MODEL', 'is required beside LLM_URL')
  return { url, key, model }
}

const bad = (name: string, why: string) => new BadSetting(`${name} ${why}.`)

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535) throw bad('PORT', `must be a number from 0 to 65535, not "${text}"`)
  return port
}

/** Says nothing of the value: addresses carry passwords. */
function readUrl(name: string, text: string | undefined, schemes: string[]): string | undefined {
  if (text === undefined) return undefined
  if (!schemes.some((scheme) => text.startsWith(`${scheme}//`)))
    throw bad(name, `must start with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`)
  try {
    // A socket's address is no URL, yet PostgreSQL's client reads it.
    if (text.startsWith('postgres')) for (const host of readHostList(text)?.urls ?? [text]) new pg.Client(host)
    else new URL(text)
  } catch (error) {
    throw bad(name, `is not an address (${(error as Error).message})`)
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

/** Such as `bodies=14d, logs=365d, deliveries=off`; what is not named keeps its default. */
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

/** An address, or a range of them. */
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
        `must list hosts, addresses or ranges, each with ${HOST_USES.join(':, ')}: before it or a port behind, not "${host}"`,
      )
  return hosts
}

function readAddresses(name: string, text: string | undefined): string[] {
  const addresses = readList(text)
  for (const address of addresses)
    if (!isRange(address) && !['loopback', 'linklocal', 'uniquelocal'].includes(address))
      throw bad(name, `must be a list of addresses or ranges, not "${address}"`)
  return addresses
}

function readOneOf<V extends string>(name: string, text: string, values: readonly V[]): V {
  const found = values.find((value) => value === text)
  if (found === undefined) throw bad(name, `must be one of ${values.join(', ')}, not "${text}"`)
  return found
}

function readMail(url: string | undefined, from: string | undefined): Settings['mail'] {
  if (url === undefined) return undefined
  if (from === undefined || !from.includes('@')) throw bad('MAIL_FROM', 'must be the address mails come from, beside SMTP_URL')
  return { url, from }
}
