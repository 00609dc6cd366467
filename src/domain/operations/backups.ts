import type { BACKUP_STATUSES, BACKUP_TESTS } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'

/** A scheduled backup, or a failed attempt. */
export interface Backup {
  id: number
  /** The folder, or the prefix in the object store. */
  place: string
  name: string
  status: (typeof BACKUP_STATUSES)[number]
  /** How it was tested: restored into a scratch database, or read to its end; null if it was not. */
  test: (typeof BACKUP_TESTS)[number] | null
  bytes: number | null
  rows: number | null
  error: string
  started_at: string
  finished_at: string | null
}

const SHOWN = 10
export const BACKUP_COLUMNS = sql`id, place, name, status, test, bytes, rows, error, started_at, finished_at`

export interface Backups {
  /** Newest first, without those that rotation has removed. */
  newest: Backup[]
  /** The newest that passed its test. */
  good: Backup | null
  /** Seconds since that one started. */
  age: number | null
}

export async function readBackups(db: Database): Promise<Backups> {
  const newest = await db.rows<Backup>(sql`
    select ${BACKUP_COLUMNS} from backups where removed_at is null order by started_at desc, id desc limit ${SHOWN}`)
  const good = await db.one<Backup & { age: number }>(sql`
    select ${BACKUP_COLUMNS}, extract(epoch from now() - started_at)::float8 as age from backups
    where removed_at is null and status = 'good' order by started_at desc, id desc limit 1`)
  if (!good) return { newest, good: null, age: null }
  const { age, ...kept } = good
  return { newest, good: kept, age }
}
