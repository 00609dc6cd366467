import type { Logger } from 'pino'
import { verifyArchive } from '../../db/backup/archive.ts'
import { dump } from '../../db/backup/dump.ts'
import { packed, unpacked } from '../../db/backup/encryption.ts'
import { restore } from '../../db/backup/restore.ts'
import { withScratchDatabase } from '../../db/backup/scratch.ts'
import { type FileStore, type Pool, sql } from '../../db/database.ts'
import { LEASES } from '../../db/queue.ts'
import { BACKUP_COLUMNS, type Backup } from '../../domain/operations/backups.ts'
import { scrub } from '../../domain/privacy/scrub.ts'
import { openLeases } from '../leases.ts'
import type { BackupPlace } from './place.ts'
import { expendable, type Keep } from './rotation.ts'

/** What scheduled backups need. */
export interface Backups {
  place: BackupPlace
  /** Times in UTC: `02:30`. */
  at: readonly string[]
  keep: Keep
  /** How each is tested: restored into a scratch database, or read to its end. */
  test: 'restore' | 'read'
  passphrase: string
  /** Attached files, unless they are in an object store. */
  files?: FileStore
  /** The key stored in DATA_DIR; null if SECRET_KEY is set. */
  secretKey: () => string | null
}

/** The scheduled time of the job. */
interface Slot {
  slot?: string
}

interface Making {
  db: Pool
  log: Logger
  backups: Backups
}

/** A single lease: one node makes the backup. */
const LEASE = 1
const ENDED = 'The node that made it ended before it was done.'

/** Writes, tests and rotates, unless another node is doing it or has done it for this slot. */
export async function makeBackup({ db, log, backups }: Making, { slot }: Slot, signal = new AbortController().signal) {
  const session = await openLeases(db, LEASES.backups)
  try {
    const [mine] = await session.take([LEASE])
    if (mine === undefined) return void log.info('another node is making a backup; skipping')
    await clearUnfinished(db, log, backups.place)
    if (slot !== undefined && (await isMade(db, slot))) return
    await make({ db, log, backups }, AbortSignal.any([signal, session.signal]))
    await rotate(db, log, backups)
  } finally {
    // Before the connection ends, which takes the server a moment: a repeated attempt must not find the lease taken.
    if (!session.isLost()) await session.release(LEASE).catch(() => {})
    session.end()
  }
}

const isMade = async (db: Pool, since: string) =>
  (await db.one(sql`select from backups where status = 'good' and started_at >= ${since}::timestamptz limit 1`)) !== undefined

/** Leftovers of killed processes. Only the holder of the lease makes backups. */
async function clearUnfinished(db: Pool, log: Logger, place: BackupPlace) {
  const rows = await db.rows<{ id: number; place: string; name: string; upload: string | null }>(
    sql`select id, place, name, upload from backups where status = 'running'`,
  )
  for (const { id, name, upload, ...row } of rows) {
    if (row.place === place.name)
      await place
        .clear(name, upload)
        .catch((error: Error) => log.warn({ name, error: error.message }, 'could not delete an unfinished backup'))
    await recordFailure(db, id, ENDED)
  }
}

const recordFailure = (db: Pool, id: number, error: string) =>
  db.execute(
    sql`update backups set status = 'failed', error = ${scrub(error).slice(0, 500)}, finished_at = now() where id = ${id}`,
  )

async function make({ db, log, backups }: Making, signal: AbortSignal) {
  const { place, passphrase } = backups
  const { id, name } = (await db.one<{ id: number; name: string }>(sql`
    insert into backups (place, name)
    values (${place.name}, to_char(now() at time zone 'UTC', '"goldmaster-"YYYY-MM-DD"T"HH24MISS".backup.age"')) returning id, name`))!
  let rows = 0
  try {
    const onProgress = (progress: { rows: number }) => {
      rows = progress.rows
    }
    const archive = until(signal, dump(db.url, { secretKey: backups.secretKey(), files: backups.files, onProgress }))
    const begun = (upload: string) => db.execute(sql`update backups set upload = ${upload} where id = ${id}`)
    const bytes = await place.write(name, packed(archive, passphrase), begun, signal)
    await db.execute(sql`update backups set bytes = ${bytes}, rows = ${rows}, upload = null where id = ${id}`)
  } catch (error) {
    await place.clear(name, await uploadOf(db, id)).catch(() => {})
    await recordFailure(db, id, (error as Error).message)
    log.error({ error: (error as Error).message }, 'backup failed')
    throw error
  }
  try {
    const { bytes } = (await db.one<{ bytes: number }>(sql`select bytes from backups where id = ${id}`))!
    const test = await testBackup(db, log, backups, () => until(signal, unpacked(place.read(name, bytes), passphrase)), rows)
    await db.execute(sql`update backups set status = 'good', test = ${test}, finished_at = now() where id = ${id}`)
    log.info({ name, bytes, rows, test }, 'backup finished')
  } catch (error) {
    // A retry would make the same backup: a person has to look.
    await recordFailure(db, id, `Its restore test failed: ${(error as Error).message}`)
    log.error({ name, error: (error as Error).message }, 'restore test of the backup failed')
    signal.throwIfAborted()
  }
}

const uploadOf = async (db: Pool, id: number) =>
  (await db.one<{ upload: string | null }>(sql`select upload from backups where id = ${id}`).catch(() => undefined))?.upload ??
  null

/** Restored as in an emergency, if the role can create a scratch database; otherwise read and counted to its end. */
async function testBackup(db: Pool, log: Logger, { test }: Backups, open: () => AsyncIterable<Buffer>, rows: number) {
  if (test === 'restore') {
    const quiet = { info: () => {}, warn: log.warn.bind(log) }
    const restored = await withScratchDatabase(db.url, (url) => restore(url, open(), { log: quiet }))
    if (restored && restored.rows !== rows) throw new Error(`${restored.rows} rows were restored instead of ${rows}`)
    if (restored) return 'restored'
    log.warn('testing the backup without a restore: the database role cannot create databases')
  }
  await verifyArchive(open())
  return 'read'
}

async function rotate(db: Pool, log: Logger, { place, keep }: Backups) {
  const there = await db.rows<Backup>(sql`
    select ${BACKUP_COLUMNS} from backups where place = ${place.name} and removed_at is null and bytes is not null and status <> 'running'`)
  for (const { id, name } of expendable(there, keep))
    try {
      await place.remove(name)
      await db.execute(sql`update backups set removed_at = now() where id = ${id}`)
    } catch (error) {
      log.warn({ name, error: (error as Error).message }, 'could not delete an old backup')
    }
}

/** Throws when aborted. */
async function* until(signal: AbortSignal, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    signal.throwIfAborted()
    yield piece
  }
}
