import { type Database, sql } from '../../db/database.ts'

interface TableSize {
  table: string
  bytes: number
}

export interface Sizes {
  bytes: number
  /** Logs of builds that are in the database. */
  log_bytes: number
  /** The largest tables with their indexes. */
  tables: TableSize[]
  /** Bytes a day over the last week; null until there are two days to compare. */
  growth: number | null
  log_growth: number | null
}

const LARGEST = 8
const WEEK = 7

/** Large values are stored in the TOAST table: for builds these are logs. */
const WHOLE = sql`
  select pg_database_size(current_database()) as bytes,
    (select pg_total_relation_size(reltoastrelid) from pg_class where oid = 'build_runs'::regclass)
      + pg_total_relation_size('build_log_chunks') as log_bytes`

export async function readSizes(db: Database): Promise<Sizes> {
  const tables = await db.rows<TableSize>(sql`
    select relname as table, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by bytes desc limit ${LARGEST}`)
  const whole = (await db.one<Pick<Sizes, 'bytes' | 'log_bytes'>>(WHOLE))!
  const before = await db.one<Pick<Sizes, 'bytes' | 'log_bytes'> & { days: number }>(sql`
    select database_bytes as bytes, log_bytes, current_date - day as days from daily_sizes
    where day >= current_date - ${WEEK}::integer and day < current_date order by day limit 1`)
  return {
    ...whole,
    tables,
    growth: before ? (whole.bytes - before.bytes) / before.days : null,
    log_growth: before ? (whole.log_bytes - before.log_bytes) / before.days : null,
  }
}

/** One small row a day, updated every hour. */
export const recordSizes = (db: Database) =>
  db.execute(sql`
    insert into daily_sizes (day, database_bytes, log_bytes) select current_date, bytes, log_bytes from (${WHOLE}) whole
    on conflict (day) do update set database_bytes = excluded.database_bytes, log_bytes = excluded.log_bytes`)
