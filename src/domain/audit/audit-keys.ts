import { createHmac, randomBytes } from 'node:crypto'
import { type Database, reserveId, sql } from '../../db/database.ts'
import { sealedIn, type Vault } from '../access/secrets.ts'

/** What the chains of audit logs are made under. Kept sealed: whoever can write to the database alone can make no link. */
export interface AuditKeys {
  /** What the next link is made under. */
  current: AuditKey
  /** By id; one that cannot be opened is not there. */
  all: ReadonlyMap<number, AuditKey>
  /** From then on no entry is sealed without a key. */
  since: string
}

interface AuditKey {
  id: number
  key: Buffer
}

/** Told by the sealed text itself, which nobody can change. */
interface Sealed {
  key: string
  made_at: string
}

export async function load(db: Database, vault: Vault): Promise<AuditKeys> {
  const found = await open(db, vault)
  if (found) return found
  await db.transaction(async (db) => {
    await db.execute(sql`lock table audit_keys in share row exclusive mode`)
    if (await db.one(sql`select from audit_keys`)) return
    await add(db, vault)
    await signHeads(db, (await open(db, vault))!)
  })
  return (await open(db, vault))!
}

/** Links from now on are made under a new key. What is there stays provable: its keys are kept, and every later link is made over it. */
export async function add(db: Database, vault: Vault): Promise<void> {
  const id = await reserveId(db, 'audit_keys')
  // By the clock of the database, as the times of entries are.
  const { made_at } = (await db.one<{ made_at: string }>(sql`select clock_timestamp()::timestamptz(3) as made_at`))!
  const sealed: Sealed = { key: randomBytes(32).toString('base64'), made_at }
  await db.execute(sql`
    insert into audit_keys (id, key_sealed) overriding system value values (${id}, ${vault.seal(JSON.stringify(sealed), placeOf(id))})`)
}

const placeOf = (id: number) => sealedIn('audit_keys', id, 'key_sealed')

async function open(db: Database, vault: Vault): Promise<AuditKeys | undefined> {
  const rows = await db.rows<{ id: number; key_sealed: string }>(sql`select id, key_sealed from audit_keys order by id`)
  const opened = rows.flatMap(({ id, key_sealed }) => {
    try {
      const { key, made_at }: Sealed = JSON.parse(vault.open(key_sealed, placeOf(id)))
      return [{ id, made_at, key: Buffer.from(key, 'base64') }]
    } catch {
      return []
    }
  })
  if (rows.length === 0) return undefined
  if (opened.length === 0) throw new Error('No key of the audit log can be opened with SECRET_KEY.')
  return { current: opened.at(-1)!, all: new Map(opened.map((one) => [one.id, one])), since: opened[0]!.made_at }
}

/** Those of before there was a key. */
async function signHeads(db: Database, { current }: AuditKeys) {
  const heads = await db.rows<{ account_id: number; position: number; hash: string }>(
    sql`select account_id, position, encode(hash, 'hex') as hash from audit_heads where mac is null`,
  )
  await db.execute(sql`
    update audit_heads h set key_id = ${current.id}, mac = decode(s.mac, 'hex')
    from unnest(${heads.map((head) => head.account_id)}::integer[], ${heads.map((head) => headMac(current, head))}::text[]) s (account_id, mac)
    where h.account_id = s.account_id`)
}

/** Of one entry: over the link before and its own words. */
export const linkOf = ({ key }: AuditKey, previous: string | null, words: string): string =>
  createHmac('sha256', key)
    .update(Buffer.from(previous ?? '', 'hex'))
    .update(words)
    .digest('hex')

export const headMac = (
  { key }: AuditKey,
  { account_id, position, hash }: { account_id: number; position: number; hash: string },
): string => createHmac('sha256', key).update(`head of account ${account_id}: ${position} ${hash}`).digest('hex')
