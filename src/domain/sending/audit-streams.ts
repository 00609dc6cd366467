import { invalidParameter } from '../../contract/errors.ts'
import { URL_MAX } from '../../contract/limits.ts'
import { type Database, reserveId, sql } from '../../db/database.ts'
import { seal } from '../audit/audit-chain.ts'
import { COLUMNS, type Entry } from '../audit/audit-log.ts'
import type { Vault } from '../privacy/secrets.ts'
import { type Destination, recordFailure, secretOf } from './destinations.ts'

/** The protocols of audit streams with their default ports. */
export const PORTS = { 'syslog+tls:': 6514, 'syslog+tcp:': 601, 'syslog+udp:': 514, 'https:': 443, 'http:': 80 } as const

/** The receiver of an account's audit log. */
interface AuditStream {
  url: string
  authenticates: 'bearer' | 'signature' | null
  /** The position in the chain up to which the receiver has everything, and how many entries are left. */
  position: number
  waiting: number
  failing_since: string | null
  /** The last error. */
  error: string
  next_at: string
  created_at: string
  updated_at: string
}

/** Standard Webhooks secrets sign; any other is a bearer token. */
export const signs = (secret: string) => /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)

export async function find(db: Database, vault: Vault, accountId: number): Promise<AuditStream | null> {
  const row = await db.one<Omit<AuditStream, 'authenticates'> & { id: number; sealed: string }>(sql`
    select s.id, s.url, s.secret_sealed as sealed, s.position, s.failing_since, s.error, s.rests_until as next_at, s.created_at, s.updated_at,
      (select count(*) from audit_log l where l.account_id = s.account_id and (l.position > s.position or l.position is null)) as waiting
    from destinations s where s.account_id = ${accountId} and s.kind = 'audit_stream'`)
  if (!row) return null
  const { id, sealed, ...stream } = row
  const secret = sealed === '' ? undefined : vault.open(sealed, secretOf(id))
  return { ...stream, authenticates: secret === undefined ? null : signs(secret) ? 'signature' : 'bearer' }
}

interface StreamFields {
  url: string
  /** Undefined: unchanged, unless the URL has another host; null: none. */
  secret?: string | null | undefined
  /** Send everything from the first entry on; otherwise a new stream starts with new entries, and an existing one continues where it is. */
  from_beginning?: boolean | undefined
}

/** Starts a stream, or continues it at another URL. */
export function set(db: Database, vault: Vault, accountId: number, { url, secret, from_beginning = false }: StreamFields) {
  const address = readUrl(url)
  if (secret && !address.protocol.startsWith('http')) throw invalidParameter('secret', 'is only sent to https:// and http://')
  return db.transaction(async (db) => {
    await seal(db, vault, accountId)
    const before = await db.one<{ id: number; url: string }>(sql`
      select id, url from destinations where account_id = ${accountId} and kind = 'audit_stream' for update`)
    const id = before?.id ?? (await reserveId(db, 'destinations'))
    // A secret is sent only to the host it was entered for.
    const kept = secret === undefined && before !== undefined && new URL(before.url).host === address.host
    const sealed = secret == null || secret === '' ? '' : vault.seal(secret, secretOf(id))
    const { position } = (await db.one<{ position: number }>(sql`
      select coalesce(max(position), 0) as position from audit_log where account_id = ${accountId} and position is not null`))!
    await db.execute(sql`
      insert into destinations (id, account_id, kind, url, secret_sealed, position) overriding system value
      values (${id}, ${accountId}, 'audit_stream', ${address.href}, ${sealed}, ${from_beginning ? 0 : position})
      on conflict (account_id) where kind = 'audit_stream' do update set url = excluded.url, tries = 0, rests_until = now(), failing_since = null, error = '', updated_at = now(),
        secret_sealed = case when ${kept} then destinations.secret_sealed else excluded.secret_sealed end,
        position = case when ${from_beginning} then 0 else destinations.position end`)
  })
}

export const remove = (db: Database, accountId: number) =>
  db.execute(sql`delete from destinations where account_id = ${accountId} and kind = 'audit_stream'`)

function readUrl(text: string): URL {
  const url = text.length <= URL_MAX && URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (!url || !Object.hasOwn(PORTS, url.protocol) || url.hostname === '')
    throw invalidParameter('url', `must start with ${Object.keys(PORTS).join('//, ')}// and have at most ${URL_MAX} characters`)
  if (url.username !== '' || url.password !== '') throw invalidParameter('url', 'must not contain a password')
  return url
}

export type StreamEntry = Entry & { position: number }

/** The next entries, in the order of the chain. */
export async function next(db: Database, vault: Vault, { account_id, position }: Destination, limit: number) {
  await seal(db, vault, account_id)
  return db.rows<StreamEntry>(sql`
    select ${COLUMNS} from audit_log where account_id = ${account_id} and position > ${position} order by position limit ${limit}`)
}

/** Unless the URL was changed meanwhile: the new receiver lacks the entries. */
export const recordSent = (db: Database, { id, account_id, url }: Destination, position: number) =>
  db.execute(sql`
    update destinations set position = greatest(position, ${position}), tries = 0, failing_since = null, error = ''
    where account_id = ${account_id} and id = ${id} and url = ${url}`)

/** Retried as long as the stream exists: a log with a gap is useless. */
export async function recordFailed(db: Database, to: Destination, why: string, delaySeconds: number) {
  if (await db.one(sql`select from destinations where account_id = ${to.account_id} and id = ${to.id} and url = ${to.url}`))
    await recordFailure(db, to, delaySeconds, why)
}
