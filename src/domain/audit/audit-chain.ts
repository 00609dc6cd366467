import { type Database, type Sql, sql } from '../../db/database.ts'
import { oneByOne, together, turnOf } from '../accounts/isolation.ts'
import type { Vault } from '../privacy/secrets.ts'
import * as auditKeys from './audit-keys.ts'

/** A link of an account's chain: the entry's number and its hash. */
export interface Link {
  position: number
  hash: string
}

const AT_ONCE = 1_000

/** The fields that are hashed; times as numbers, so that the time zone of the database session does not matter. */
const words = (position: Sql) => sql`
  jsonb_build_array(l.account_id, l.id, extract(epoch from l.at), l.user_id, l.token_id, l.ip_address, l.action, l.project_id, l.subject,
    l.before, l.after, ${position}, l.actor)::text`
/**
 * Adds new entries to the chain of an account, one caller at a time. Transactions may commit in another order than their ids, so the
 * position in the chain is assigned here.
 */
export async function seal(db: Database, vault: Vault, accountId: number): Promise<void> {
  const keys = await auditKeys.load(db, vault)
  const unsealed = sql`select from audit_log where account_id = ${accountId} and position is null limit 1`
  if (!(await db.one(unsealed))) return
  await db.transaction(async (db) => {
    await db.rows(sql`select from accounts where id = ${accountId} for no key update`)
    const kept = await headOf(db, accountId)
    const last = await db.one<Link>(sql`
      select position, encode(hash, 'hex') as hash from audit_log where account_id = ${accountId} and position is not null
      order by position desc limit 1`)
    const trusted = kept && isAuthentic(keys, accountId, kept) ? kept : undefined
    // If the end was cut off, positions continue after it, so that the gap stays visible.
    let head: Link | undefined = trusted && trusted.position > (last?.position ?? 0) ? trusted : last
    for (let count = AT_ONCE; count === AT_ONCE; ) {
      const from = head?.position ?? 0
      const rows = await db.rows<{ id: number; position: number; words: string }>(sql`
        select l.id, l.place as position, ${words(sql`l.place`)} as words from (
          select l.*, ${from}::bigint + row_number() over (order by l.id) as place from audit_log l
          where l.account_id = ${accountId} and l.position is null order by l.id limit ${AT_ONCE}) l order by l.id`)
      const hashes = rows.map(({ position, words }) => {
        head = { position, hash: auditKeys.linkOf(keys.current, head?.hash ?? null, words) }
        return head.hash
      })
      await db.execute(sql`
        update audit_log l set position = s.position, hash = decode(s.hash, 'hex'), key_id = ${keys.current.id}
        from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ position }) => position)}::bigint[], ${hashes}::text[]) s (id, position, hash)
        where l.account_id = ${accountId} and l.id = s.id`)
      count = rows.length
    }
    // A missing or changed head is not repaired, so that `verify` finds it.
    if (head && (trusted || !(kept || last))) await keepHead(db, keys, accountId, head)
  })
}

const keepHead = (db: Database, { current }: auditKeys.AuditKeys, account_id: number, { position, hash }: Link) =>
  db.execute(sql`
    insert into audit_heads (account_id, position, hash, key_id, mac)
    values (${account_id}, ${position}, decode(${hash}, 'hex'), ${current.id},
      decode(${auditKeys.headMac(current, { account_id, position, hash })}, 'hex'))
    on conflict (account_id) do update set position = excluded.position, hash = excluded.hash, key_id = excluded.key_id, mac = excluded.mac`)

interface Head extends Link {
  key_id: number
  mac: string
}

const headOf = (db: Database, accountId: number) =>
  db.one<Head>(sql`
    select position, encode(hash, 'hex') as hash, key_id, encode(mac, 'hex') as mac from audit_heads where account_id = ${accountId}`)

const isAuthentic = ({ all }: auditKeys.AuditKeys, account_id: number, { key_id, mac, position, hash }: Head): boolean => {
  const key = all.get(key_id)
  return key !== undefined && mac === auditKeys.headMac(key, { account_id, position, hash })
}

/** Seals the new entries of all accounts: from then on tampering is detected. */
export async function sealAll(db: Database, vault: Vault): Promise<void> {
  await auditKeys.load(db, vault)
  const accounts = await db.rows<{ account_id: number }>(sql`select distinct account_id from audit_log where position is null`)
  const ids = accounts.map(({ account_id }) => account_id)
  await oneByOne(db, 'seal_audit_logs', ids, (id) => seal(db, vault, id))
}

/** Writes each account's newest entry to the service's log, out of reach of somebody who rewrites the database. */
export async function logHeads(db: Database, write: (head: { account_id: number; head: string }) => void): Promise<void> {
  const heads = await db.rows<Link & { account_id: number }>(sql`
    select account_id, position, encode(hash, 'hex') as hash from audit_heads where position > logged_position order by account_id`)
  for (const { account_id, position, hash } of heads) write({ account_id, head: `${position}:${hash}` })
  const turn = await turnOf(
    db,
    'log_audit_heads',
    heads.map(({ account_id }) => account_id),
  )
  await together(db, 'log_audit_heads', turn, (ids) => {
    const logged = heads.filter(({ account_id }) => ids.includes(account_id))
    return db.execute(sql`
      update audit_heads h set logged_position = s.position
      from unnest(${logged.map(({ account_id }) => account_id)}::integer[], ${logged.map(({ position }) => position)}::bigint[]) s (account_id, position)
      where h.account_id = s.account_id`)
  })
}

export interface Verdict {
  entries: number
  /** The hash of the last entry, to compare with one saved elsewhere. */
  head: string | null
  /** Where the chain breaks first, and how. */
  broken: { position: number; id: number | null; why: string } | null
}

interface Walked extends Link {
  id: number
  key_id: number | null
  words: string
}

/** Checks the chain from its beginning to the stored head, and that it contains the entries saved elsewhere. */
export async function verify(db: Database, vault: Vault, accountId: number, noted: readonly Link[] = []): Promise<Verdict> {
  await seal(db, vault, accountId)
  const keys = await auditKeys.load(db, vault)
  const kept = await headOf(db, accountId)
  const found: Verdict = { entries: 0, head: null, broken: null }
  const broken = (position: number, id: number | null, why: string): Verdict => ({ ...found, broken: { position, id, why } })

  for (let count = AT_ONCE; count === AT_ONCE; ) {
    const entries = await db.rows<Walked>(sql`
      select l.id, l.position, encode(l.hash, 'hex') as hash, l.key_id, ${words(sql`l.position`)} as words
      from audit_log l where l.account_id = ${accountId} and l.position > ${found.entries} order by l.position limit ${AT_ONCE}`)
    for (const entry of entries) {
      const { id, position, hash } = entry
      if (position !== found.entries + 1) return broken(found.entries + 1, null, 'entries are missing here')
      const why = flawOf(keys, entry, found.head)
      if (why !== undefined) return broken(position, id, why)
      for (const link of noted)
        if (link.position === position && link.hash !== hash) return broken(position, id, 'its hash differs from the saved one')
      if (kept?.position === position && kept.hash !== hash)
        return broken(position, id, 'its hash differs from the one stored outside the log')
      found.entries = position
      found.head = hash
    }
    count = entries.length
  }
  const cut = (position: number) =>
    position > found.entries ? broken(found.entries + 1, null, `entries are missing here: there were ${position}`) : undefined
  if (found.entries > 0 && !kept) return broken(found.entries, null, 'the stored end of the log is missing')
  if (kept && !isAuthentic(keys, accountId, kept)) return broken(kept.position, null, 'the stored end of the log was changed')
  return cut(Math.max(kept?.position ?? 0, ...noted.map(({ position }) => position))) ?? found
}

/** The defect of an entry, by itself or as the successor of the previous one. */
function flawOf({ all }: auditKeys.AuditKeys, { key_id, hash, words }: Walked, previous: string | null): string | undefined {
  if (key_id === null) return 'it is not sealed with a key of the service'
  const key = all.get(key_id)
  if (!key) return 'it is sealed with a key that the service does not have'
  return hash === auditKeys.linkOf(key, previous, words) ? undefined : 'it was changed after it was sealed'
}
