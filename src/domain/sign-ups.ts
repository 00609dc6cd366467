import { ApiError } from '../contract/errors.ts'
import { type Database, sql } from '../db/database.ts'
import * as accounts from './accounts.ts'
import * as invitations from './invitations.ts'
import { newAccount } from './metering.ts'
import * as users from './users.ts'

/** Who may make a user of themselves: everybody, or those with an invitation. Unset is open until somebody owns the service. */
export type SignUpPolicy = 'open' | 'invite' | undefined

const LOCK = 5_207_115

export const isFirstRun = async (db: Database): Promise<boolean> => !(await db.one(sql`select from users limit 1`))

export const isOpen = async (db: Database, policy: SignUpPolicy): Promise<boolean> =>
  policy === 'open' || (policy === undefined && (await isFirstRun(db)))

interface SignUp {
  name: string
  email: string
  password: string
  invitation?: string
}

/** A user with an account of their own; the very first one owns the service. */
export function signUp(db: Database, policy: SignUpPolicy, input: SignUp, metering: boolean): Promise<users.User> {
  const name = input.name.trim()
  return db.transaction(async (db) => {
    // Two first visitors take turns, so that only one of them is the first.
    await db.count(sql`select pg_advisory_xact_lock(${LOCK})`)
    const first = await isFirstRun(db)
    const invited = input.invitation === undefined ? undefined : await invitations.find(db, input.invitation)
    if (!invited && !(first || (await isOpen(db, policy))))
      throw new ApiError(403, 'sign_up_closed', 'Signing up needs an invitation here.')
    const personal = await accounts.create(db, {
      name: first ? `${name}’s studio` : name,
      ...newAccount(metering, first),
    })
    const user = await users.create(db, { ...input, name, account_id: personal.id, role: 'owner' })
    await db.count(sql`update users set operator = ${first}, email_verified = ${first} where id = ${user.id}`)
    if (invited) await invitations.accept(db, input.invitation!, user.id)
    return users.find(db, user.id)
  })
}
