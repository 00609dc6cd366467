import type { OwnReply } from '../../contract/app/routes.ts'
import { lastOwner, notFound } from '../../contract/errors.ts'
import { timezone } from '../../contract/field-readers.ts'
import { DAILY_INVESTIGATIONS, type Role } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import * as accounts from './accounts.ts'

type Shown = OwnReply<'showAccount'>

/** An account with what its investigations used. */
export async function show(db: Database, id: number): Promise<Shown> {
  const account = await accounts.find(db, id)
  const usage = await db.rows<Shown['usage'][number]>(sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as investigations, count(refunded_at) as refunded
    from investigations where account_id = ${id} and created_at >= date_trunc('day', now(), 'UTC') - interval '29 days'
    group by 1 order by 1 desc`)
  const today = usage.find(({ day }) => day === new Date().toISOString().slice(0, 10))
  return {
    ...account,
    daily_limit: account.daily_limit ?? DAILY_INVESTIGATIONS[account.plan],
    used_today: today ? today.investigations - today.refunded : 0,
    usage,
  }
}

export async function edit(db: Database, id: number, given: { name?: string; timezone?: string }): Promise<Shown> {
  const zone = given.timezone === undefined ? undefined : timezone('timezone', given.timezone)
  await accounts.edit(db, id, { name: given.name?.trim(), timezone: zone })
  return show(db, id)
}

/** Owners see addresses; the others see names. */
export const members = (
  db: Database,
  accountId: number,
  withAddresses: boolean,
): Promise<OwnReply<'listAccountMembers'>['members']> =>
  db.rows(sql`
    select u.id as user_id, u.name, case when ${withAddresses} then u.email end as email, m.role, m.created_at
    from account_members m join users u on u.id = m.user_id where m.account_id = ${accountId} order by u.name, u.id`)

/** Somebody must be left who may do everything. */
async function refuseWithoutOwner(db: Database, accountId: number) {
  if (!(await db.one(sql`select from account_members where account_id = ${accountId} and role = 'owner' limit 1`)))
    throw lastOwner()
}

export function setRole(db: Database, accountId: number, userId: number, role: Role) {
  return db.transaction(async (db) => {
    await lock(db, accountId)
    const changed = await db.execute(sql`
      update account_members set role = ${role} where account_id = ${accountId} and user_id = ${userId}`)
    if (changed === 0) throw notFound('Member')
    await refuseWithoutOwner(db, accountId)
  })
}

/** Their tokens and sessions reach the account no longer, from the next request on. */
export function remove(db: Database, accountId: number, userId: number) {
  return db.transaction(async (db) => {
    await lock(db, accountId)
    const gone = await db.execute(sql`delete from account_members where account_id = ${accountId} and user_id = ${userId}`)
    if (gone === 0) throw notFound('Member')
    await refuseWithoutOwner(db, accountId)
    await db.execute(sql`
      delete from project_members m using projects p
      where p.id = m.project_id and p.account_id = ${accountId} and m.user_id = ${userId}`)
    await db.execute(sql`
      delete from connected_account_confirmations k using connected_accounts a
      where k.account_id = ${accountId} and a.id = k.connected_account_id and a.user_id = ${userId}`)
    await db.execute(sql`
      update users set default_account_id = null where id = ${userId} and default_account_id = ${accountId}`)
  })
}

/** Two owners who take each other's role take turns. */
const lock = (db: Database, accountId: number) => db.one(sql`select from accounts where id = ${accountId} for update`)
