import { type Database, raw, sql } from '../../db/database.ts'

const SHOWN = 10
const SLOW_MS = 20
const TEXT_MAX = 300

interface Statement {
  text: string
  calls: number
  mean_ms: number
  max_ms: number
}

export interface SlowStatements {
  /** Whether PostgreSQL records how long statements take. */
  recorded: boolean
  statements: Statement[]
}

const NOT_RECORDED: SlowStatements = { recorded: false, statements: [] }

/** The slowest statements of this database on average, without their values. */
export async function readSlowStatements(db: Database): Promise<SlowStatements> {
  const extension = await db.one<{ schema: string }>(sql`
    select quote_ident(nspname) as schema from pg_extension join pg_namespace n on n.oid = extnamespace
    where extname = 'pg_stat_statements'`)
  if (!extension) return NOT_RECORDED
  try {
    const statements = await db.rows<Statement>(
      sql`
        select left(regexp_replace(query, '\\s+', ' ', 'g'), ${TEXT_MAX}) as text, calls, round(mean_exec_time)::integer as mean_ms,
          round(max_exec_time)::integer as max_ms
        from ${raw(extension.schema)}.pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database()) and mean_exec_time >= ${SLOW_MS}
          and query ~* '^\\s*(select|with|insert|update|delete)\\M'
        order by mean_exec_time desc limit ${SHOWN}`,
      { unprepared: true },
    )
    return { recorded: true, statements }
  } catch {
    // Created, but the server runs without the library, or this role may not read it.
    return NOT_RECORDED
  }
}
