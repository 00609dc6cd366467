import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { createDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { dump } from '../../db/backup/dump.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { startWorker } from '../../jobs/worker.ts'
import { allowedHosts } from '../../net/addresses.ts'
import { scrubbedLog } from '../../service/scrubbed-log.ts'
import { rotateKeys } from '../access/key-rotation.ts'
import { verifySecret } from '../access/secret-canary.ts'
import { Vault } from '../privacy/secrets.ts'
import { logHeads, seal } from './audit-chain.ts'
import { record } from './audit-log.ts'

/** An attacker with full access to the database, but without SECRET_KEY, rewrites an audit log. */

const SECRET_KEY = 'the key of these tests, long enough'
const vault = new Vault(SECRET_KEY)
const ACCOUNT = 1

let own: TestDatabase
let db: Database
beforeEach(async () => {
  own = await createDatabase()
  db = own.db
  await db.execute(sql`insert into accounts (id, name) overriding system value values (${ACCOUNT}, 'Owl')`)
})
afterEach(() => own.drop())

async function add(count: number) {
  for (let i = 0; i < count; i++) await record(db, sql`select ${ACCOUNT}::integer`, { actor: 'operator', action: `change ${i}` })
}

async function sealed(count: number) {
  await add(count)
  await seal(db, vault, ACCOUNT)
}

/** Disables the database's own protection. */
const rewrite = (...changes: (Sql | ((db: Database) => Promise<void>))[]) =>
  db.transaction(async (db) => {
    await db.execute(sql`set local session_replication_role = replica`)
    for (const change of changes) await (typeof change === 'function' ? change(db) : db.execute(change))
  })

interface Verified {
  entries: number
  head: string
}

const verify = async (...flags: string[]): Promise<Verified> =>
  JSON.parse(await admin({ db: own.db, vault }, 'audit', 'verify', String(ACCOUNT), '--json', ...flags))
const headOf = ({ entries, head }: Verified) => `${entries}:${head}`

/** Hashes without a key, which anybody can compute. */
async function hashAnew(db: Database) {
  const entries = await db.rows<{ id: number; words: Buffer }>(sql`
    select l.id, convert_to(to_jsonb(l)::text, 'UTF8') as words from audit_log l where l.account_id = ${ACCOUNT} order by l.position`)
  let hash = Buffer.alloc(0)
  for (const { id, words } of entries) {
    hash = createHash('sha256').update(hash).update(words).digest()
    await db.execute(sql`update audit_log set hash = ${hash} where account_id = ${ACCOUNT} and id = ${id}`)
  }
}

test('the log cannot be truncated, changed or deleted', async () => {
  await sealed(3)
  for (const attack of [
    sql`truncate audit_log`,
    sql`truncate accounts cascade`,
    sql`delete from audit_log`,
    sql`update audit_log set action = 'nothing'`,
    sql`update audit_log set position = null, hash = null, key_id = null`,
  ])
    await expect(db.execute(attack)).rejects.toThrow('append-only')
  expect(await verify()).toMatchObject({ entries: 3 })
})

describe('a rewritten chain', () => {
  test('is detected when an entry changed, even if all hashes were computed again', async () => {
    await sealed(5)
    await rewrite(sql`update audit_log set action = 'harmless' where position = 2`)
    await expect(verify()).rejects.toThrow(/entry 2 .*changed/)
    await rewrite(hashAnew)
    await expect(verify()).rejects.toThrow(/entry 1 .*changed/)
  })

  test('is detected when its entries have hashes without a key', async () => {
    // The key is created before the entries.
    await sealed(0)
    await sealed(5)
    const end = sql`
      update audit_heads h set position = l.position, hash = l.hash from audit_log l
      where h.account_id = ${ACCOUNT} and l.account_id = ${ACCOUNT} and l.position = (select max(position) from audit_log)`
    await rewrite(sql`update audit_log set key_id = null`, hashAnew, end)
    await expect(verify()).rejects.toThrow(/entry 1 .*not sealed with a key/)
    await add(2)
    await expect(verify(), 'sealing does not put it right').rejects.toThrow('The chain breaks')
  })

  test('is detected when it was made with other keys', async () => {
    await sealed(5)
    await rewrite(
      sql`delete from audit_keys`,
      sql`update audit_log set position = null, hash = null`,
      sql`delete from audit_heads`,
    )
    await seal(db, new Vault('a key of the attacker, long enough'), ACCOUNT)
    await expect(verify()).rejects.toThrow('No key of the audit log')
  })
})

describe('a chain whose end was cut off', () => {
  test('is detected even after more entries were added', async () => {
    await sealed(5)
    await rewrite(sql`delete from audit_log where position > 3`)
    await expect(verify()).rejects.toThrow(/entry 4.*missing here: there were 5/)
    await sealed(4)
    await expect(verify()).rejects.toThrow(/entry 4.*missing/)
  })

  test.each([
    ['deleted', sql`delete from audit_heads`, /stored end of the log is missing/],
    [
      'moved back',
      sql`update audit_heads h set position = l.position, hash = l.hash from audit_log l where l.account_id = h.account_id and l.position = 3`,
      /stored end of the log was changed/,
    ],
  ])('is detected when the stored head is %s', async (_, change, why) => {
    await sealed(5)
    await rewrite(change, sql`delete from audit_log where position > 3`)
    await expect(verify()).rejects.toThrow(why)
    await sealed(2)
    await expect(verify()).rejects.toThrow('The chain breaks')
  })

  test('is detected by a head saved elsewhere when an old stored head was restored with it', async () => {
    await sealed(3)
    const earlier = (await db.rows<{ row: object }>(sql`select to_jsonb(h) as row from audit_heads h`))[0]!.row
    await sealed(2)
    const noted = headOf(await verify())
    await rewrite(
      sql`delete from audit_log where position > 3`,
      sql`delete from audit_heads`,
      sql`insert into audit_heads select * from jsonb_populate_record(null::audit_heads, ${JSON.stringify(earlier)}::jsonb)`,
    )
    expect((await verify()).entries, 'whole in itself').toBe(3)
    await expect(verify('--head', noted)).rejects.toThrow(/entry 4.*missing here: there were 5/)
    // Refilled with other entries.
    await sealed(2)
    expect((await verify()).entries).toBe(5)
    await expect(verify('--head', noted)).rejects.toThrow(/entry 5 .*differs from the saved one/)
  })

  test('is detected by a head saved elsewhere when the chain was started again', async () => {
    await sealed(3)
    const noted = headOf(await verify())
    await rewrite(sql`delete from audit_log`, sql`delete from audit_heads`, sql`delete from audit_keys`)
    await sealed(3)
    expect((await verify()).entries).toBe(3)
    await expect(verify('--head', noted)).rejects.toThrow(/entry 3 .*differs from the saved one/)
  })
})

describe('the head of the chain', () => {
  test('is written to the log of the service in the form that --head reads', async () => {
    const lines: Record<string, unknown>[] = []
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)), flush: () => {} }
    const heads = () => lines.filter(({ msg }) => msg === 'audit log sealed')
    const worker = await startWorker({
      db: own.db,
      vault,
      log: pino({ level: 'info' }, scrubbedLog(destination)),
      allowed: allowedHosts([]),
      site: 'https://gold.example',
    })
    try {
      for (const entries of [2, 4]) {
        // Reading the log seals it too.
        await sealed(1)
        await add(1)
        await db.execute(sql`update jobs set run_at = now() where kind = 'seal_audit_logs'`)
        await until(() => heads().length === entries / 2)
        const verified = await verify()
        expect(verified.entries).toBe(entries)
        expect(heads().at(-1)).toMatchObject({ account_id: ACCOUNT, head: headOf(verified) })
        await verify('--head', String(heads().at(-1)!.head))
      }
    } finally {
      await worker.stop()
    }
  })

  test('is written once until there are new entries', async () => {
    const written: string[] = []
    const write = () => logHeads(db, ({ head }) => void written.push(head))
    await sealed(1)
    await write()
    await write()
    expect(written).toHaveLength(1)
    await sealed(1)
    await write()
    expect(written.map((head) => head.split(':')[0])).toEqual(['1', '2'])
  })

  test('is part of a backup', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'goldmaster audit '))
    try {
      await sealed(5)
      const parts: Buffer[] = []
      for await (const part of dump(own.url, { secretKey: null })) parts.push(part)
      const file = join(folder, 'monday.backup')
      writeFileSync(file, gzipSync(Buffer.concat(parts)))
      await sealed(2)
      expect((await verify('--backup', file)).entries).toBe(7)
      await rewrite(sql`delete from audit_log`, sql`delete from audit_heads`)
      await sealed(6)
      expect((await verify()).entries).toBe(6)
      await expect(verify('--backup', file)).rejects.toThrow(/entry 5 .*differs from the saved one/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('is accepted only as number:hash', async () => {
    for (const head of ['5', `5:${'x'.repeat(64)}`, ':', `-1:${'a'.repeat(64)}`])
      await expect(verify('--head', head)).rejects.toThrow('number:hash')
  })
})

test('after a change of SECRET_KEY the log still verifies, and new entries use a key that the old secret cannot decrypt', async () => {
  await verifySecret(db, vault)
  await sealed(3)
  const NEXT = 'the next key of these tests, long enough'
  const both = new Vault(NEXT, SECRET_KEY)
  await rotateKeys(own.db, both)
  await rotateKeys(own.db, both)
  await add(2)
  const next = new Vault(NEXT)
  await seal(db, next, ACCOUNT)
  expect(JSON.parse(await admin({ db: own.db, vault: next }, 'audit', 'verify', String(ACCOUNT), '--json'))).toMatchObject({
    entries: 5,
  })
  const keys = await db.rows<{ key_id: number; count: number }>(
    sql`select key_id, count(*) as count from audit_log group by 1 order by 1`,
  )
  expect(keys.map(({ count }) => count)).toEqual([3, 2])
  await expect(verify()).rejects.toThrow('No key of the audit log')
})
