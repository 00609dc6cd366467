import { createHmac, randomBytes } from 'node:crypto'
import { type Database, reserveId, sql } from '../../db/database.ts'
import { sealedIn, type Vault } from '../privacy/secrets.ts'

/** The keys of audit log chains. Stored encrypted, so that write access to the database is not enough to forge an entry. */
export interface AuditKeys {
  /** The key for new entries. */
  current: AuditKey
  /** By id, without keys that cannot be decrypted. */
  all: ReadonlyMap<number, AuditKey>
}

interface AuditKey {
  id: number
  key: Buffer
}

export async function load(db: Database, vault: Vault): Promise<AuditKeys> {
  const found = await open(db, vault)
  if (found) return found
  await db.transaction(async (db) => {
    await db.execute(sql`lock table audit_keys in share row exclusive mode`)
    if (await db.one(sql`select from audit_keys`)) return
    await add(db, vault)
  })
  return (await open(db, vault))!
}

/** New entries use a new key. Older ones can still be verified: their keys are kept, and every later hash covers them. */
export async function add(db: Database, vault: Vault): Promise<void> {
  const id = await reserveId(db, 'audit_keys')
  const key = randomBytes(32).toString('base64')
  await db.execute(sql`
    insert into audit_keys (id, key_sealed) overriding system value values (${id}, ${vault.seal(key, placeOf(id))})`)
}

const placeOf = (id: number) => sealedIn('audit_keys', id, 'key_sealed')

async function open(db: Database, vault: Vault): Promise<AuditKeys | undefined> {
  const rows = await db.rows<{ id: number; key_sealed: string }>(sql`select id, key_sealed from audit_keys order by id`)
  const opened = rows.flatMap(({ id, key_sealed }) => {
    try {
      return [{ id, key: Buffer.from(vault.open(key_sealed, placeOf(id)), 'base64') }]
    } catch {
      return []
    }
  })
  if (rows.length === 0) return undefined
  if (opened.length === 0) throw new Error('No key of the audit log can be opened with SECRET_KEY.')
  return { current: opened.at(-1)!, all: new Map(opened.map((one) => [one.id, one])) }
}

/** The hash of one entry: over the previous hash and its own fields. */
export const linkOf = ({ key }: AuditKey, previous: string | null, words: string): string =>
  createHmac('sha256', key)
    .update(Buffer.from(previous ?? '', 'hex'))
    .update(words)
    .digest('hex')

export const headMac = (
  { key }: AuditKey,
  { account_id, position, hash }: { account_id: number; position: number; hash: string },
): string => createHmac('sha256', key).update(`head of account ${account_id}: ${position} ${hash}`).digest('hex')
