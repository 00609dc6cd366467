import { type Database, sql } from '../../db/database.ts'
import { together, turnOf } from './isolation.ts'

const IS_OVER = sql`swept_at is null and not payment_method and trial_ends_at <= now()`

/** Makes accounts read-only whose trial is over and who have no payment method. */
export async function sweep(db: Database): Promise<number> {
  const due = await db.rows<{ id: number }>(sql`select id from accounts where ${IS_OVER}`)
  const turn = await turnOf(
    db,
    'sweep_trials',
    due.map(({ id }) => id),
  )
  const swept = await together(db, 'sweep_trials', turn, (ids) => sweepThese(db, ids))
  return swept.reduce((sum, count) => sum + count, 0)
}

/** The same for these accounts. */
export const sweepThese = (db: Database, ids: number[]): Promise<number> =>
  db.execute(sql`update accounts set swept_at = now() where ${IS_OVER} and id = any (${ids}::integer[])`)

/** Reopens an account that pays or whose trial was extended. */
export const lift = (db: Database, accountId: number): Promise<number> =>
  db.execute(sql`
    update accounts set swept_at = null
    where id = ${accountId} and swept_at is not null and (payment_method or trial_ends_at is null or trial_ends_at > now())`)
