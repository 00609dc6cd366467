import type { AppBody, AppReply } from '../../contract/app/routes.ts'
import { insufficientRole, invalidParameter, lastOwner, notFound } from '../../contract/errors.ts'
import { timezone } from '../../contract/field-readers.ts'
import { type AccountRole, DAILY_INVESTIGATIONS, RETENTION_KINDS, type RetentionKind, suffices } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import * as accounts from './accounts.ts'
import { rememberFormerMember } from './forget-person.ts'
import type { Retention } from './retention-days.ts'

type Shown = AppReply<'showAccount'>

/** An account with its usage of investigations, and the maximum retention of the service. */
export async function show(db: Database, id: number, service: Retention): Promise<Shown> {
  const account = await accounts.find(db, id)
  const usage = await db.rows<Shown['usage'][number]>(sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as investigations, count(refunded_at) as refunded
    from investigations where account_id = ${id} and created_at >= date_trunc('day', now(), 'UTC') - interval '29 days'
    group by 1 order by 1 desc`)
  const today = usage.find(({ day }) => day === new Date().toISOString().slice(0, 10))
  return {
    ...account,
    retention: {
      ...ofEveryKind((kind) => account.retention[kind] ?? null),
      artifact_builds: account.retention.artifact_builds ?? null,
    },
    retention_max: ofEveryKind((kind) => service[kind]),
    daily_limit: account.daily_limit ?? DAILY_INVESTIGATIONS[account.plan],
    used_today: today ? today.investigations - today.refunded : 0,
    usage,
  }
}

const ofEveryKind = (days: (kind: RetentionKind) => number | null) =>
  Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, days(kind)])) as Record<RetentionKind, number | null>

export async function edit(
  db: Database,
  id: number,
  { name, timezone: zone, retention = {}, ...given }: AppBody<'editAccount'>,
  service: Retention,
): Promise<Shown> {
  for (const kind of RETENTION_KINDS)
    if ((retention[kind] ?? 0) > (service[kind] ?? Number.POSITIVE_INFINITY))
      throw invalidParameter(`retention.${kind}`, `must be at most ${service[kind]}, the limit of this service`)
  await accounts.edit(db, id, {
    ...given,
    name: name?.trim(),
    timezone: zone === undefined ? undefined : timezone('timezone', zone),
  })
  await db.execute(sql`
    update accounts set retention = jsonb_strip_nulls(retention || ${JSON.stringify(retention)}::jsonb) where id = ${id}`)
  return show(db, id, service)
}

/** Owners and admins see email addresses; other members see names. */
export const members = (
  db: Database,
  accountId: number,
  withAddresses: boolean,
): Promise<AppReply<'listAccountMembers'>['members']> =>
  db.rows(sql`
    select u.id as user_id, u.name, case when ${withAddresses} then u.email end as email, m.role, m.created_at
    from account_members m join users u on u.id = m.user_id where m.account_id = ${accountId} order by u.name, u.id`)

/** An account must keep at least one owner. */
async function refuseWithoutOwner(db: Database, accountId: number) {
  if (!(await db.one(sql`select from account_members where account_id = ${accountId} and role = 'owner' limit 1`)))
    throw lastOwner()
}

/** Nobody can grant or revoke a role above their own. */
export function refuseAboveOwn(own: AccountRole, role: AccountRole) {
  if (!suffices(own, role)) throw insufficientRole(role)
}

/** `by`: the role of the caller in the account. */
async function refuseToTouch(db: Database, accountId: number, userId: number, by: AccountRole) {
  const found = await db.one<{ role: AccountRole }>(
    sql`select role from account_members where account_id = ${accountId} and user_id = ${userId}`,
  )
  if (!found) throw notFound('Member')
  refuseAboveOwn(by, found.role)
}

export function setRole(db: Database, accountId: number, userId: number, role: AccountRole, by: AccountRole) {
  return db.transaction(async (db) => {
    await lock(db, accountId)
    await refuseToTouch(db, accountId, userId, by)
    refuseAboveOwn(by, role)
    await db.execute(sql`update account_members set role = ${role} where account_id = ${accountId} and user_id = ${userId}`)
    await refuseWithoutOwner(db, accountId)
  })
}

/** Their tokens and sessions lose access to the account with the next request. */
export function remove(db: Database, accountId: number, userId: number, by: AccountRole) {
  return db.transaction(async (db) => {
    await lock(db, accountId)
    await refuseToTouch(db, accountId, userId, by)
    await rememberFormerMember(db, sql`account_id = ${accountId} and user_id = ${userId}`)
    await db.execute(sql`delete from account_members where account_id = ${accountId} and user_id = ${userId}`)
    await refuseWithoutOwner(db, accountId)
    await db.execute(sql`delete from project_members where account_id = ${accountId} and user_id = ${userId}`)
    await db.execute(sql`delete from connected_accounts where found_in = ${accountId} and user_id = ${userId}`)
    await db.execute(sql`
      delete from connected_account_confirmations k using connected_accounts a
      where k.account_id = ${accountId} and a.id = k.connected_account_id and a.user_id = ${userId}`)
    await db.execute(sql`
      update users set default_account_id = null where id = ${userId} and default_account_id = ${accountId}`)
    await withdrawPost(db, accountId, userId)
  })
}

/** Deletes what is pending for a removed member: an invitation link that would let them back in, and unsent emails. */
export async function withdrawPost(db: Database, accountId: number, userId: number) {
  await db.execute(sql`
    delete from invitations i using users u where i.account_id = ${accountId} and i.accepted_at is null
      and u.id = ${userId} and lower(u.email) = lower(i.email)`)
  await db.execute(sql`
    delete from mails m using users u where m.account_id = ${accountId} and m.sent_at is null
      and u.id = ${userId} and (m.to_user_id = u.id or lower(m.to_address) = lower(u.email))`)
}

/** Serializes two owners who remove each other's role. */
export const lock = (db: Database, accountId: number) =>
  db.one(sql`select from accounts where id = ${accountId} for no key update`)
