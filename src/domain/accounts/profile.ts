import type { Me } from '../../contract/app/shapes.ts'
import { notFound } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'

/** Who somebody is to themselves: their accounts, roles and projects. */
export async function show(db: Database, userId: number): Promise<Me> {
  const me = await db.one<Me>(sql`
    select
      json_build_object('id', u.id, 'name', u.name, 'email', u.email, 'email_verified', u.email_verified, 'operator', u.operator,
        'default_account_id', coalesce(u.default_account_id, (select min(account_id) from account_members where user_id = u.id))) as user,
      (select coalesce(json_agg(a order by a.id), '[]') from (
        select a.id, a.name, a.plan, m.role, a.timezone, a.demo, a.payment_method, iso(a.trial_ends_at) as trial_ends_at,
          case when a.demo then 'demo' when a.swept_at is not null then 'trial_expired' end as read_only, a.credits
        from accounts a join account_members m on m.account_id = a.id and m.user_id = u.id) a) as accounts,
      (select coalesce(json_agg(p order by p.name, p.id), '[]') from (
        select p.id, p.account_id, p.name, p.engine, p.status,
          case when m.role = 'owner' or pm.role = 'owner' then 'owner' else 'member' end as role
        from projects p join account_members m on m.account_id = p.account_id and m.user_id = u.id
        left join project_members pm on pm.project_id = p.id and pm.user_id = u.id) p) as projects
    from users u where u.id = ${userId}`)
  return me!
}

export async function edit(db: Database, userId: number, input: { name?: string; default_account_id?: number }): Promise<Me> {
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
  return show(db, userId)
}

const PEOPLE_MAX = 2_000

/** Everybody one works with; inside the web app people have names. */
export const people = (db: Database, userId: number): Promise<{ user_id: number; name: string }[]> =>
  db.rows(sql`
    select u.id as user_id, u.name from users u
    where u.id in (
      select o.user_id from account_members m join account_members o on o.account_id = m.account_id where m.user_id = ${userId})
    order by u.id limit ${PEOPLE_MAX}`)
