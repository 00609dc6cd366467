import { type Database, type Sql, sql } from '../../db/database.ts'
import { enqueue, type Jobs } from '../../db/queue.ts'
import { accountsOf, record } from './audit-log.ts'

/** How somebody showed who they are; with a second factor the password came before. */
export type SignInMethod = 'password' | 'second_factor' | 'passkey' | 'sso'

interface SignIn {
  user_id: number
  method: SignInMethod
  ip_address: string
}

/** In every account that they belong to: whoever looks after one wants to know who comes in. */
export const recordSignIn = (db: Database, { user_id, method, ip_address }: SignIn) =>
  record(db, accountsOf(user_id), {
    actor: 'user',
    user_id,
    ip_address,
    action: 'signIn',
    subject: `user/${user_id}`,
    after: { method },
  })

/** Of one person in one account: somebody who tries all day fills no log. */
const REFUSED_PER_HOUR = 10
/** Entries of that person that are looked at for it. */
const LOOKED_AT = 200

interface Refusal extends SignIn {
  reason: string
  /** The account whose provider it is about; otherwise all that they belong to. */
  account_id?: number
  /** When, of what is written down later; the same is written down once. */
  attempted_at?: string
}

/** Only of people who are known. */
export function recordRefusal(db: Database, { user_id, method, ip_address, reason, account_id, attempted_at }: Refusal) {
  const accounts = account_id === undefined ? accountsOf(user_id) : sql`select ${account_id}::integer`
  return record(db, unlessFlooded(accounts, user_id, attempted_at), {
    actor: 'user',
    user_id,
    ip_address,
    action: 'signInRefused',
    subject: `user/${user_id}`,
    after: { method, reason, attempted_at },
  })
}

const unlessFlooded = (accounts: Sql, userId: number, attemptedAt: string | undefined) => sql`
  select f.id from accounts f where f.id in (${accounts}) and (
    select count(*) < ${REFUSED_PER_HOUR} and not coalesce(bool_or(l.after ->> 'attempted_at' = ${attemptedAt ?? null}), false) from (
      select l.action, l.at, l.after from audit_log l where l.account_id = f.id and l.user_id = ${userId} order by l.at desc, l.id desc limit ${LOOKED_AT}) l
    where l.action = 'signInRefused' and l.at > now() - interval '1 hour')`

/** A job looks whether somebody has the address, so that the time of the answer does not tell. */
export const requestRefusal = (db: Database, email: string, ip_address: string) =>
  enqueue(
    db,
    'audit_refused_sign_in',
    { email: email.trim().toLowerCase().replaceAll('\0', ''), ip_address, attempted_at: new Date().toISOString() },
    { owner: 'sign-ins' },
  )

export async function recordWrongPassword(db: Database, { email, ...attempt }: Jobs['audit_refused_sign_in']) {
  const user = await db.one<{ id: number }>(sql`select id from users where lower(email) = ${email}`)
  if (user) await recordRefusal(db, { user_id: user.id, method: 'password', reason: 'wrong_password', ...attempt })
}
