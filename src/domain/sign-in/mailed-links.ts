import { invalidLink } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import { hashOf, newScannableToken } from '../privacy/secrets.ts'

/** Links that verify an address: mailed to it, usable once, within the hour. Only their hash is stored. */
type Purpose = 'password-reset' | 'sign-up'

const identifier = (purpose: Purpose, token: string) => `${purpose}:${hashOf(token).toString('hex')}`

export const newToken = () => newScannableToken('link')

/** False if it was issued before: a repeated job sends its email once. */
export async function issue(db: Database, purpose: Purpose, token: string, value: string): Promise<boolean> {
  const key = identifier(purpose, token)
  const made = await db.execute(sql`
    insert into verifications (identifier, value, expires_at) select ${key}, ${value}, now() + interval '1 hour'
    where not exists (select from verifications where identifier = ${key})`)
  return made > 0
}

/** In the transaction that it authorizes: concurrent uses are serialized, and the second finds it used. */
export async function consume(db: Database, purpose: Purpose, token: string): Promise<string> {
  const found = await db.one<{ value: string }>(sql`
    delete from verifications where identifier = ${identifier(purpose, token)} and expires_at > now() returning value`)
  if (!found) throw invalidLink()
  return found.value
}

/** Revokes every link of one purpose with this value. */
export const withdraw = (db: Database, purpose: Purpose, value: string) =>
  db.execute(sql`delete from verifications where value = ${value} and starts_with(identifier, ${`${purpose}:`})`)
