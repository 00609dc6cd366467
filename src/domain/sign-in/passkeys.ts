import { randomBytes } from 'node:crypto'
import { invalidPasskey, notFound, tooManyPasskeys } from '../../contract/errors.ts'
import { type Database, isUniqueViolation, sql } from '../../db/database.ts'
import * as users from '../accounts/users.ts'
import { hashOf } from '../privacy/secrets.ts'
import { type Assertion, type NewKey, readAssertion, readNewKey } from './webauthn.ts'

const PASSKEYS_MAX = 20
const CHALLENGE_MINUTES = 5

interface Passkey {
  id: string
  name: string
  last_used_at: string | null
  created_at: string
}

export const list = (db: Database, userId: number): Promise<Passkey[]> =>
  db.rows(sql`
    select id::text, name, iso(last_used_at) as last_used_at, iso(created_at) as created_at from passkeys
    where user_id = ${userId} order by id`)

/** The user who adds a passkey; null for a sign-in. */
type Requester = { user_id: number; session_id: number | null } | null

const askerOf = (asked: Requester) => (asked ? `${asked.user_id}/${asked.session_id}` : 'null')

/** A challenge that is valid once and for some minutes; for a new passkey only in the session that requested it. */
export async function challenge(db: Database, asked: Requester): Promise<string> {
  const made = randomBytes(32).toString('base64url')
  await db.execute(sql`
    insert into verifications (identifier, value, expires_at)
    values (${identifier(made)}, ${askerOf(asked)}, now() + make_interval(mins => ${CHALLENGE_MINUTES}))`)
  return made
}

const identifier = (made: string) => `passkey:${hashOf(made).toString('hex')}`

const consume = async (db: Database, made: string, asked: Requester) =>
  (await db.execute(sql`
    delete from verifications where identifier = ${identifier(made)} and value = ${askerOf(asked)} and expires_at > now()`)) > 0

type Added = NewKey & { challenge: string; name: string }

export async function add(db: Database, by: NonNullable<Requester>, { name, ...said }: Added, site: string): Promise<Passkey> {
  const { user_id: userId } = by
  // Consumed whatever the result.
  if (!(await consume(db, said.challenge, by))) throw invalidPasskey()
  const key = readNewKey(said, { challenge: said.challenge, origin: new URL(site).origin })
  if (!key) throw invalidPasskey()
  try {
    return await db.transaction(async (db) => {
      await users.lock(db, userId)
      if ((await list(db, userId)).length >= PASSKEYS_MAX) throw tooManyPasskeys(PASSKEYS_MAX)
      const row = await db.one<Passkey>(sql`
        insert into passkeys (user_id, credential_id, public_key, name)
        values (${userId}, ${key.credential_id}, ${key.public_key}, ${name.trim()})
        returning id::text, name, iso(last_used_at) as last_used_at, iso(created_at) as created_at`)
      return row!
    })
  } catch (error) {
    if (isUniqueViolation(error, 'passkeys_credential_id_key')) throw invalidPasskey()
    throw error
  }
}

export type Answer = Assertion & { challenge: string; credential_id: string }

/** The user whose key signed the challenge. */
export async function verify(db: Database, { credential_id, ...said }: Answer, site: string): Promise<number> {
  if (!(await consume(db, said.challenge, null))) throw invalidPasskey()
  return db.transaction(async (db) => {
    const held = await db.one<{ id: number; user_id: number; public_key: Buffer; sign_count: number }>(sql`
      select id, user_id, public_key, sign_count from passkeys
      where credential_id = ${Buffer.from(credential_id, 'base64url')} for update`)
    const right = held && readAssertion(said, held.public_key, { challenge: said.challenge, origin: new URL(site).origin })
    // A key whose counter falls behind was cloned. Synchronized keys do not count.
    if (!right || (held.sign_count > 0 && right.sign_count <= held.sign_count)) throw invalidPasskey()
    await db.execute(sql`update passkeys set sign_count = ${right.sign_count}, last_used_at = now() where id = ${held.id}`)
    return held.user_id
  })
}

export async function remove(db: Database, userId: number, id: number) {
  if ((await db.execute(sql`delete from passkeys where id = ${id} and user_id = ${userId}`)) === 0) throw notFound('Passkey')
}

export const removeAll = (db: Database, userId: number) => db.execute(sql`delete from passkeys where user_id = ${userId}`)
