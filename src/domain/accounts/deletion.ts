import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, type Pool, raw, sql } from '../../db/database.ts'
import { enqueue } from '../../db/queue.ts'
import { forgetPerson } from './forget-person.ts'
import { type Scope, TABLE_OWNERSHIP } from './table-ownership.ts'
import { someOf } from './table-placement.ts'

const BATCH = 1_000

type Deleted = Record<string, number>

/** Hides the project from its members and refuses its tools; a job deletes its data. */
export async function requestProject(db: Database, scope: Required<Scope>) {
  await closeProject(db, scope.project_id)
  await enqueue(db, 'delete_project', scope, { account_id: scope.account_id, name: `delete_project:${scope.project_id}` })
}

/** Hides the account from everybody and signs out members without another account; a job deletes its data. */
export async function requestAccount(db: Database, account_id: number) {
  await closeAccount(db, account_id)
  await enqueue(db, 'delete_account', { account_id }, { account_id, name: `delete_account:${account_id}` })
}

const closeProject = (db: Database, project_id: number) =>
  db.transaction(async (db) => {
    await db.execute(sql`
      update projects set deleted_at = coalesce(deleted_at, now()), badge_key = null where id = ${project_id}`)
    await db.execute(sql`update integrations set active = false where project_id = ${project_id}`)
    await db.execute(sql`delete from ugs_tokens where project_id = ${project_id}`)
  })

const closeAccount = (db: Database, account_id: number) =>
  db.transaction(async (db) => {
    // Stored because the memberships are deleted at once: a restarted run still finds the remaining people.
    await db.execute(sql`
      update accounts set closed_member_ids = coalesce(closed_member_ids, '{}')
        || array(select user_id from account_members where account_id = ${account_id})
      where id = ${account_id}`)
    for (const { id } of await db.rows<{ id: number }>(sql`select id from projects where account_id = ${account_id}`))
      await closeProject(db, id)
    await db.execute(sql`
      delete from sessions where user_id in (
        select m.user_id from account_members m where m.account_id = ${account_id}
          and not exists (select from account_members o where o.user_id = m.user_id and o.account_id <> m.account_id))`)
    await db.execute(sql`
      update users u set default_account_id = (
        select min(m.account_id) from account_members m where m.user_id = u.id and m.account_id <> ${account_id})
      where u.default_account_id = ${account_id}`)
    // None of these can make somebody a member again.
    await db.execute(sql`update invitations set expires_at = least(expires_at, now()) where account_id = ${account_id}`)
    for (const table of ['sso_domains', 'sso_connections', 'scim_tokens', 'account_members'])
      await db.execute(sql`delete from ${raw(table)} where account_id = ${account_id}`)
  })

/**
 * Deletes everything of a project, children before parents, in short transactions with pauses for others. An interrupted run can be
 * restarted; the project row goes last.
 */
export async function deleteProject(
  db: Pool,
  scope: Required<Scope>,
  onProgress: (deleted: Deleted) => void = () => {},
): Promise<Deleted> {
  await closeProject(db, scope.project_id)
  return deleteHoldings(db, scope, ['project'], onProgress)
}

/** Deletes everything of an account, and the people who belong to no other. */
export async function deleteAccount(
  db: Pool,
  account_id: number,
  onProgress: (deleted: Deleted) => void = () => {},
): Promise<Deleted> {
  await closeAccount(db, account_id)
  await forgetUnowned(db, account_id)
  await deleteHoldings(db, { account_id }, ['project'], onProgress)
  const people = await db.rows<{ id: number }>(sql`
    select u.id from accounts a join users u on u.id = any (a.closed_member_ids)
    where a.id = ${account_id} and not exists (select from account_members m where m.user_id = u.id)`)
  for (const { id } of people) {
    const elsewhere = await forgetPerson(db, id, account_id)
    // Somebody who is still referenced by an account they had left stays there as a former member.
    if (elsewhere.accounts === 0) await db.execute(sql`delete from users where id = ${id}`)
  }
  return deleteHoldings(db, { account_id }, ['project', 'account'], onProgress)
}

/**
 * Emails without an account that mention this one: digests, and those written by nodes of the previous version. Matched by their content
 * alone, since other accounts write to the same people and addresses.
 */
const forgetUnowned = (db: Database, accountId: number) =>
  db.execute(sql`
    delete from mails m using accounts a where a.id = ${accountId} and m.account_id is null and (
      lower(m.to_address) in (select lower(email) from invitations where account_id = a.id)
        and right(m.subject, length(a.name) + 1) = ' ' || a.name
      or m.to_user_id = any (a.closed_member_ids) and m.unsubscribe <> '' and m.text ~ (
        select '/projects/(' || string_agg(p.id::text, '|') || ')([^0-9]|$)' from projects p where p.account_id = a.id))`)

async function deleteHoldings(
  db: Pool,
  scope: Scope,
  levels: string[],
  onProgress: (deleted: Deleted) => void,
): Promise<Deleted> {
  const deleted: Deleted = {}
  const holdings = Object.entries(TABLE_OWNERSHIP).filter(
    ([, { level, appendOnly, swept }]) => levels.includes(level) && !appendOnly && !swept,
  )
  for (const [table, { of }] of holdings.toReversed())
    for (let gone = BATCH; gone === BATCH; ) {
      const began = performance.now()
      gone = await db.execute(sql`
        delete from ${raw(table)} t where ${await someOf(db, table, scope.account_id, of(scope), BATCH)}`)
      deleted[table] = (deleted[table] ?? 0) + gone
      onProgress(deleted)
      if (gone === BATCH) await sleep(performance.now() - began)
    }
  return deleted
}
