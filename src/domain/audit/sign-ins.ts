import { type Database, type Sql, sql } from '../../db/database.ts'
import { enqueue, type Jobs } from '../../db/queue.ts'
import { accountsOf, record } from './audit-log.ts'

/** How somebody authenticated; a second factor implies a password before. */
export type SignInMethod = 'password' | 'second_factor' | 'passkey' | 'sso'

interface SignIn {
  user_id: number
  method: SignInMethod
  ip_address: string
}

/** In every account that they belong to, for its admins. */
export const recordSignIn = (db: Database, { user_id, method, ip_address }: SignIn) =>
  record(db, accountsOf(user_id), {
    actor: 'user',
    user_id,
    ip_address,
    action: 'signIn',
    subject: `user/${user_id}`,
    after: { method },
  })

/** Per person and account: somebody who tries all day must not fill the log. */
const REFUSED_PER_HOUR = 10
/** The entries of that person that are read for the limit. */
const LOOKED_AT = 200

interface Refusal extends SignIn {
  reason: string
  /** The account of the identity provider; otherwise all that they belong to. */
  account_id?: number
  /** The time of the attempt if it is recorded later; the same attempt is recorded once. */
  attempted_at?: string
}

/** Only for known people. */
export function recordRefusal(db: Database, { user_id, method, ip_address, reason, account_id, attempted_at }: Refusal) {
  const accounts = account_id === undefined ? accountsOf(user_id) : sql`select ${account_id}::integer`
  const entry = {
    actor: 'user' as const,
    user_id,
    ip_address,
    action: 'signInRefused',
    subject: `user/${user_id}`,
    after: { method, reason, attempted_at },
  }
  return record(db, accounts, entry, isFlooded(user_id, attempted_at))
}

const isFlooded = (userId: number, attemptedAt: string | undefined) => (account: Sql) =>
  sql`(
  select count(*) >= ${REFUSED_PER_HOUR} or coalesce(bool_or(l.after ->> 'attempted_at' = ${attemptedAt ?? null}), false) from (
    select l.action, l.at, l.after from audit_log l where l.account_id = ${account} and l.user_id = ${userId} order by l.at desc, l.id desc limit ${LOOKED_AT}) l
  where l.action = 'signInRefused' and l.at > now() - interval '1 hour')`

/** A job looks up the address, so that the response time does not reveal whether it exists. */
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
