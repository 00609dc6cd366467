import type { Logger } from 'pino'
import { type Database, raw, sql } from './database.ts'

/**
 * Behind a pooler in transaction mode a statement runs on any free connection, without the client's session settings: they are set as
 * defaults of our role in this database instead.
 */
const settingsFor = (statementTimeout: number) => ({
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
  statement_timeout: String(statementTimeout),
  idle_in_transaction_session_timeout: '60000',
})

/** A role that may not change its own defaults still works, with slower plans and longer timeouts. */
export async function applyRoleSettings(db: Database, statementTimeout: number, log: Pick<Logger, 'warn'>): Promise<void> {
  try {
    for (const [name, value] of Object.entries(settingsFor(statementTimeout))) {
      const held = await db.one(sql`
        select 1 from pg_db_role_setting s, unnest(s.setconfig) c where c = ${`${name}=${value}`} and s.setrole = current_user::regrole
          and s.setdatabase = (select oid from pg_database where datname = current_database())`)
      if (!held)
        await db.execute(sql`
          do ${raw(`$$ begin execute format('alter role current_user in database %I set ${name} = %L', current_database(), '${value}'); end $$`)}`)
    }
  } catch (error) {
    log.warn({ error: (error as Error).message }, 'could not save the connection settings for the pooler')
  }
}

/** A pooler's error for session settings at connection start. */
export const isPoolerRefusal = (error: unknown): boolean =>
  (error as { code?: string }).code === '08P01' && /startup parameter/.test((error as Error).message)
