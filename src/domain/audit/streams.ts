import { invalidParameter } from '../../contract/errors.ts'
import { URL_MAX } from '../../contract/limits.ts'
import { type Database, sql } from '../../db/database.ts'
import { sealedIn, type Vault } from '../access/secrets.ts'
import { scrub } from '../privacy/scrub.ts'
import { seal } from './audit-chain.ts'
import { COLUMNS, type Entry } from './audit-log.ts'

/** How each kind of address is spoken to, and on which port unless it names one. */
export const PORTS = { 'syslog+tls:': 6514, 'syslog+tcp:': 601, 'syslog+udp:': 514, 'https:': 443, 'http:': 80 } as const

/** Where the audit log of an account is sent. */
export interface AuditStream {
  url: string
  authenticates: 'bearer' | 'signature' | null
  /** The place in the chain up to which the receiver has everything, and how many entries are left. */
  position: number
  waiting: number
  failing_since: string | null
  /** What went wrong last. */
  error: string
  next_at: string
  created_at: string
  updated_at: string
}

const secretOf = (accountId: number) => sealedIn('audit_streams', accountId, 'secret_sealed')

/** Secrets of Standard Webhooks sign; any other is a bearer token. */
const signs = (secret: string) => /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)

export async function find(db: Database, vault: Vault, accountId: number): Promise<AuditStream | null> {
  const row = await db.one<Omit<AuditStream, 'authenticates'> & { sealed: string }>(sql`
    select s.url, s.secret_sealed as sealed, s.position, s.failing_since, s.error, s.next_at, s.created_at, s.updated_at,
      (select count(*) from audit_log l where l.account_id = s.account_id and (l.position > s.position or l.position is null)) as waiting
    from audit_streams s where s.account_id = ${accountId}`)
  if (!row) return null
  const { sealed, ...stream } = row
  const secret = sealed === '' ? undefined : vault.open(sealed, secretOf(accountId))
  return { ...stream, authenticates: secret === undefined ? null : signs(secret) ? 'signature' : 'bearer' }
}

export interface StreamFields {
  url: string
  /** Undefined: as before, unless the address is another host's; null: none. */
  secret?: string | null | undefined
  /** Send everything from the first entry on; otherwise a new stream begins with what comes, and a known one goes on where it is. */
  from_beginning?: boolean | undefined
}

/** Begins, or goes on at another address. */
export function set(db: Database, vault: Vault, accountId: number, { url, secret, from_beginning = false }: StreamFields) {
  const address = readUrl(url)
  if (secret && !address.protocol.startsWith('http')) throw invalidParameter('secret', 'is only sent to https:// and http://')
  return db.transaction(async (db) => {
    await seal(db, vault, accountId)
    const before = await db.one<{ url: string }>(sql`select url from audit_streams where account_id = ${accountId} for update`)
    // A secret goes to nobody whom it was not given for.
    const kept = secret === undefined && before !== undefined && new URL(before.url).host === address.host
    const sealed = secret == null || secret === '' ? '' : vault.seal(secret, secretOf(accountId))
    await db.execute(sql`
      insert into audit_streams (account_id, url, secret_sealed, position)
      values (${accountId}, ${address.href}, ${sealed}, case when ${from_beginning} then 0 else coalesce(
        (select max(l.position) from audit_log l where l.account_id = ${accountId} and l.position is not null), 0) end)
      on conflict (account_id) do update set url = excluded.url, tries = 0, next_at = now(), failing_since = null, error = '', updated_at = now(),
        secret_sealed = case when ${kept} then audit_streams.secret_sealed else excluded.secret_sealed end,
        position = case when ${from_beginning} then 0 else audit_streams.position end`)
  })
}

export const remove = (db: Database, accountId: number) =>
  db.execute(sql`delete from audit_streams where account_id = ${accountId}`)

function readUrl(text: string): URL {
  const url = text.length <= URL_MAX && URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (!url || !Object.hasOwn(PORTS, url.protocol) || url.hostname === '')
    throw invalidParameter('url', `must start with ${Object.keys(PORTS).join('//, ')}// and have at most ${URL_MAX} characters`)
  if (url.username !== '' || url.password !== '') throw invalidParameter('url', 'must not contain a password')
  return url
}

/** Accounts whose stream has something to send and may. */
export const due = async (
  db: Database,
  { busy, resting, free }: { busy: number[]; resting: number[]; free: number },
): Promise<number[]> =>
  (
    await db.rows<{ account_id: number }>(sql`
      select s.account_id from audit_streams s
      where s.next_at <= now() and s.account_id <> all (${busy}::integer[]) and s.account_id <> all (${resting}::integer[])
        and (exists (select from audit_log l where l.account_id = s.account_id and l.position > s.position)
          or exists (select from audit_log l where l.account_id = s.account_id and l.position is null))
      order by s.next_at limit ${free}`)
  ).map(({ account_id }) => account_id)

export interface Batch {
  url: URL
  bearer: string | undefined
  signing: string | undefined
  tries: number
  entries: (Entry & { position: number })[]
}

/** What comes next, in the order of the chain; undefined when the receiver has everything. */
export async function next(db: Database, vault: Vault, accountId: number, limit: number): Promise<Batch | undefined> {
  await seal(db, vault, accountId)
  const stream = await db.one<{ url: string; sealed: string; position: number; tries: number }>(sql`
    select url, secret_sealed as sealed, position, tries from audit_streams where account_id = ${accountId} and next_at <= now()`)
  if (!stream) return undefined
  const entries = await db.rows<Entry & { position: number }>(sql`
    select ${COLUMNS} from audit_log where account_id = ${accountId} and position > ${stream.position} order by position limit ${limit}`)
  if (entries.length === 0) return undefined
  const secret = stream.sealed === '' ? undefined : vault.open(stream.sealed, secretOf(accountId))
  const [bearer, signing] = secret === undefined || signs(secret) ? [undefined, secret] : [secret, undefined]
  return { url: new URL(stream.url), bearer, signing, tries: stream.tries, entries }
}

/** Unless it was turned to another address meanwhile: who is there now has not got it. */
export const recordSent = (db: Database, accountId: number, url: URL, position: number) =>
  db.execute(sql`
    update audit_streams set position = greatest(position, ${position}), tries = 0, failing_since = null, error = ''
    where account_id = ${accountId} and url = ${url.href}`)

/** It is tried for as long as there is a stream: a log with a hole is none. */
export const recordFailed = (db: Database, accountId: number, url: URL, why: string, delaySeconds: number) =>
  db.execute(sql`
    update audit_streams set tries = tries + 1, next_at = now() + make_interval(secs => ${delaySeconds}),
      failing_since = coalesce(failing_since, now()), error = ${scrub(why).slice(0, 500)}
    where account_id = ${accountId} and url = ${url.href}`)
