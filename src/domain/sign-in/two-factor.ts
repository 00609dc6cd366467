import { randomBytes } from 'node:crypto'
import { backOff } from '../../contract/back-off.ts'
import { setUpExpired, tooManyCodes, twoFactorOn, wrongCode } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import * as users from '../accounts/users.ts'
import * as mailTemplates from '../mail/mail-templates.ts'
import { writeToUser } from '../mail/mails.ts'
import { hashOf, sealedIn, type Vault } from '../privacy/secrets.ts'
import { base32, isCode, matchingStep, newSecret, otpauthUrl } from './totp.ts'

const RECOVERY_CODES = 10
/** How long a secret waits for its first code. */
const PENDING_MINUTES = 10

const secretOf = (userId: number) => sealedIn('two_factors', userId, 'secret_sealed')

interface Held {
  secret: string
  last_step: number
  confirmed: boolean
  /** Since the last correct one. */
  wrong_codes: number
  /** Seconds since the last wrong one. */
  rested: number
}

async function find(db: Database, vault: Vault, userId: number): Promise<Held | undefined> {
  const row = await db.one<Omit<Held, 'secret'> & { sealed: string }>(sql`
    select secret_sealed as sealed, last_step, confirmed_at is not null as confirmed, wrong_codes,
      coalesce(extract(epoch from clock_timestamp() - wrong_at), 0)::float8 as rested
    from two_factors where user_id = ${userId} for update`)
  if (!row) return undefined
  const { sealed, ...rest } = row
  return { ...rest, secret: vault.open(sealed, secretOf(userId)) }
}

export const isOn = async (db: Database, userId: number): Promise<boolean> =>
  (await db.one(sql`select from two_factors where user_id = ${userId} and confirmed_at is not null`)) !== undefined

/** A secret for the app. Codes are required only after the app has given one, in the same session and within minutes. */
export function start(db: Database, vault: Vault, userId: number, sessionId: number | null) {
  return db.transaction(async (db) => {
    await users.lock(db, userId)
    if (await isOn(db, userId)) throw twoFactorOn()
    const secret = newSecret()
    await db.execute(sql`
      insert into two_factors (user_id, secret_sealed, session_id) values (${userId}, ${vault.seal(secret, secretOf(userId))}, ${sessionId})
      on conflict (user_id) do update set secret_sealed = excluded.secret_sealed, session_id = excluded.session_id, last_step = 0,
        created_at = now()`)
    const { email } = await users.find(db, userId)
    return { secret, otpauth_url: otpauthUrl(secret, email) }
  })
}

/** The first code turns it on. The recovery codes are returned this once; only their hashes are stored. */
export function confirm(db: Database, vault: Vault, userId: number, sessionId: number | null, code: string): Promise<string[]> {
  return db.transaction(async (db) => {
    await users.lock(db, userId)
    const held = await find(db, vault, userId)
    if (held?.confirmed) throw twoFactorOn()
    const begun = await db.one(sql`
      select from two_factors where user_id = ${userId} and session_id = ${sessionId}
        and created_at > now() - make_interval(mins => ${PENDING_MINUTES})`)
    if (!begun) throw setUpExpired()
    const step = held && matchingStep(held.secret, code.trim(), Date.now(), 0)
    if (step === undefined) throw wrongCode()
    await db.execute(
      sql`update two_factors set confirmed_at = now(), session_id = null, last_step = ${step} where user_id = ${userId}`,
    )
    await db.execute(sql`update sessions set method = 'second_factor' where id = ${sessionId}`)
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
    await db.execute(sql`delete from recovery_codes where user_id = ${userId}`)
    await db.execute(sql`
      insert into recovery_codes (user_id, hash) select ${userId}::integer, hash from unnest(${codes.map(kept)}::bytea[]) hash`)
    return codes
  })
}

const newRecoveryCode = () =>
  base32(randomBytes(10))
    .toLowerCase()
    .replace(/(.{4})(?!$)/g, '$1-')

/** In any spelling. */
const kept = (code: string): Buffer => hashOf(code.toLowerCase().replace(/[^a-z0-9]/g, ''))

/** Wrong codes that cause no delay. */
const FREE = 5
const FIRST_WAIT_S = 30
const LONGEST_WAIT_S = 3_600

const waitAfter = (wrong: number) =>
  wrong < FREE ? 0 : backOff(wrong - FREE + 1, { first: FIRST_WAIT_S, longest: LONGEST_WAIT_S })

interface TwoFactorContext {
  vault: Vault
  site: string
}

/**
 * Checks a code of the app, or a recovery code, each usable once. The caller already has the password and may guess six digits from a
 * thousand addresses: so wrong codes are counted per person, each causes a longer delay, and the owner is notified. Recovery codes are too
 * long to guess and never wait; with one, or with a passkey, the owner can sign in meanwhile. Not in a transaction: wrong codes must be
 * counted.
 */
export async function verify(db: Database, means: TwoFactorContext, userId: number, code: string): Promise<void> {
  const refused = await db.transaction((db) => take(db, means, userId, code))
  if (refused) throw refused
}

async function take(db: Database, { vault, site }: TwoFactorContext, userId: number, code: string): Promise<Error | undefined> {
  const held = await find(db, vault, userId)
  if (!held?.confirmed) return wrongCode()
  const digits = code.replace(/\s/g, '')
  if (!isCode(digits)) {
    const taken = await db.execute(sql`delete from recovery_codes where user_id = ${userId} and hash = ${kept(code)}`)
    if (taken === 0) return wrongCode()
    return void (await db.execute(sql`update two_factors set wrong_codes = 0 where user_id = ${userId}`))
  }
  const wait = Math.ceil(waitAfter(held.wrong_codes) - held.rested)
  if (wait > 0) return tooManyCodes(wait)
  const step = matchingStep(held.secret, digits, Date.now(), held.last_step)
  if (step !== undefined)
    return void (await db.execute(sql`update two_factors set last_step = ${step}, wrong_codes = 0 where user_id = ${userId}`))
  await db.execute(sql`
    update two_factors set wrong_codes = wrong_codes + 1, wrong_at = clock_timestamp() where user_id = ${userId}`)
  if (held.wrong_codes + 1 === FREE) await writeToUser(db, userId, mailTemplates.wrongCodes(site, FREE))
  return wrongCode()
}

export const remove = async (db: Database, userId: number) => {
  await db.execute(sql`delete from recovery_codes where user_id = ${userId}`)
  await db.execute(sql`delete from two_factors where user_id = ${userId}`)
}

export const recoveryCodes = async (db: Database, userId: number): Promise<number> =>
  (await db.one<{ count: number }>(sql`select count(*) as count from recovery_codes where user_id = ${userId}`))!.count
