import type { Me as Shown } from '../../contract/app/shapes.ts'
import { notFound } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import { type Identity, known } from '../access/access.ts'
import { blockedBy } from '../access/blocked.ts'

type Me = Omit<Shown, 'metering'>

/** A person's own profile: their accounts, roles and projects. */
export async function show(db: Database, by: Identity): Promise<Me> {
  const me = await db.one<Me>(sql`
    select
      json_build_object('id', u.id, 'name', u.name, 'email', u.email, 'email_verified', u.email_verified, 'operator', u.operator,
        'default_account_id', coalesce(u.default_account_id, (select min(account_id) from account_members where user_id = u.id))) as user,
      (select coalesce(json_agg(a order by a.id), '[]') from (
        select a.id, a.name, a.plan, m.role, a.timezone, a.demo, a.payment_method, iso(a.trial_ends_at) as trial_ends_at,
          case when a.demo then 'demo' when a.swept_at is not null then 'trial_expired' end as read_only, a.credits, a.token_days_max, ${blockedBy('t', 'a')} as blocked
        from accounts a join account_members m on m.account_id = a.id and m.user_id = u.id) a) as accounts,
      (select coalesce(json_agg(p order by p.name, p.id), '[]') from (
        select p.id, p.account_id, p.name, p.engine, p.status, r.project_role
        from project_access r join projects p on p.id = r.project_id join accounts a on a.id = r.account_id
        where r.user_id = u.id and ${blockedBy('t', 'a')} is null) p) as projects
    from (${known(by)}) t join users u on u.id = t.user_id`)
  return me!
}

export async function edit(db: Database, by: Identity, input: { name?: string; default_account_id?: number }): Promise<Me> {
  const { user_id: userId } = by
  const { name, default_account_id: account } = input
  if (
    account !== undefined &&
    !(await db.one(sql`select from account_members where user_id = ${userId} and account_id = ${account}`))
  )
    throw notFound('Account')
  await db.execute(sql`
    update users set name = coalesce(${name?.trim() ?? null}, name), updated_at = now(),
      default_account_id = coalesce(${account ?? null}::integer, default_account_id)
    where id = ${userId}`)
  return show(db, by)
}

const PEOPLE_MAX = 2_000

/** All coworkers; the web app shows names. A guest sees people of their projects; accounts that are blocked for the caller are left out. */
export const people = (
  db: Database,
  userId: number,
  blocked: readonly number[] = [],
): Promise<{ user_id: number; name: string }[]> =>
  db.rows(
    sql`select u.id as user_id, u.name from users u where u.id in (${colleagues(userId, blocked)}) order by u.id limit ${PEOPLE_MAX}`,
  )

/** Whether a person is one of them. */
export const knows = async (db: Database, userId: number, other: number): Promise<boolean> =>
  (await db.one(sql`select from users u where u.id = ${other} and u.id in (${colleagues(userId, [])})`)) !== undefined

const colleagues = (userId: number, blocked: readonly number[]) => sql`
  select o.user_id from account_members m join account_members o on o.account_id = m.account_id
    where m.user_id = ${userId} and m.role <> 'guest' and m.account_id <> all (${blocked}::integer[])
  union all select pm.user_id from project_access a join project_members pm on pm.account_id = a.account_id and pm.project_id = a.project_id
    where a.user_id = ${userId} and a.account_id <> all (${blocked}::integer[])
  union all select ${userId}::integer`
