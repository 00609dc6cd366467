import { type Database, sql } from '../../db/database.ts'

/** Makes accounts read-only whose trial is over and who have no payment method; all of them, or those given. */
export const sweep = (db: Database, accountIds?: number[]): Promise<number> =>
  db.execute(sql`
    update accounts set swept_at = now()
    where swept_at is null and not payment_method and trial_ends_at <= now()
      and (${accountIds ?? null}::integer[] is null or id = any (${accountIds ?? null}::integer[]))`)

/** Reopens an account that pays or whose trial was extended. */
export const lift = (db: Database, accountId: number): Promise<number> =>
  db.execute(sql`
    update accounts set swept_at = null
    where id = ${accountId} and swept_at is not null and (payment_method or trial_ends_at is null or trial_ends_at > now())`)
