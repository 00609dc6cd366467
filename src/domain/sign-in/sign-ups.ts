import { invalidEmail, setUpDone, signUpClosed } from '../../contract/errors.ts'
import { timezone } from '../../contract/field-readers.ts'
import { type Database, sql } from '../../db/database.ts'
import { enqueue, type Jobs } from '../../db/queue.ts'
import * as accounts from '../accounts/accounts.ts'
import { newAccount } from '../accounts/metering.ts'
import * as users from '../accounts/users.ts'
import { record } from '../audit/audit-log.ts'
import * as mailTemplates from '../mail/mail-templates.ts'
import { isFlooded, recipient, writeToAddress, writeToUser } from '../mail/mails.ts'
import * as invitations from './invitations.ts'
import * as mailedLinks from './mailed-links.ts'

/** Who can sign up: everybody, or people with an invitation. Unset: people with an invitation. */
export type SignUpPolicy = 'open' | 'invite' | undefined

const LOCK = 5_207_117

export const isFirstRun = async (db: Database): Promise<boolean> => !(await db.one(sql`select from users limit 1`))

/** Nobody signs up before the service has an owner, who needs the set-up token. */
export const isOpen = async (db: Database, policy: SignUpPolicy): Promise<boolean> => policy === 'open' && !(await isFirstRun(db))

interface Person {
  name: string
  email: string
  password: string
}

/** The name of their account, and their time zone. */
interface Studio {
  name: string | undefined
  timezone: string | undefined
}

/** The first user, who owns the service. The caller has checked the set-up token. */
export function setUp(db: Database, person: Person, studio: Studio, metering: boolean): Promise<users.User> {
  const zone = studio.timezone === undefined ? {} : { timezone: timezone('timezone', studio.timezone) }
  return db.transaction(async (db) => {
    // Serializes two first visitors, so that only one of them becomes the owner.
    await db.execute(sql`select pg_advisory_xact_lock(${LOCK})`)
    if (!(await isFirstRun(db))) throw setUpDone()
    const account = await accounts.create(db, {
      name: studio.name?.trim() ?? `${person.name.trim()}’s studio`,
      ...zone,
      ...newAccount(metering, true),
    })
    const user = await users.create(db, { ...named(person), account_id: account.id, role: 'owner' })
    await users.setOperator(db, user.id, true)
    return user
  })
}

/** A new user for the address of an invitation, in the inviting account. */
export function join(db: Database, { invitation, ...person }: Person & { invitation: string }, ip: string): Promise<users.User> {
  return db.transaction(async (db) => {
    const { email, role, mailed } = await invitations.find(db, invitation, true)
    if (email !== person.email.trim().toLowerCase()) throw invalidEmail('This invitation is for another address.')
    const user = await users.create(db, named(person))
    if (!mailed) await db.execute(sql`update users set address_unproven = true where id = ${user.id}`)
    const { account_id } = await invitations.accept(db, invitation, user.id)
    await record(db, sql`select ${account_id}::integer`, {
      actor: 'user',
      user_id: user.id,
      ip_address: ip,
      action: 'joinByInvitation',
      subject: `member/${user.id}`,
      after: { role },
    })
    return user
  })
}

/** A job looks up the address, so that neither the response nor its time reveals whether it exists. */
export async function request(db: Database, policy: SignUpPolicy, asked: { name: string; email: string }, site: string) {
  if (!(await isOpen(db, policy))) throw signUpClosed()
  const [name, email] = [asked.name.trim(), asked.email.trim().toLowerCase()]
  await enqueue(db, 'mail_sign_up', { name, email, token: mailedLinks.newToken(), site }, { owner: recipient(email) })
}

/** Sends a link to continue, or a notice of the attempt if the address already has a user. */
export function mail(db: Database, { name, email, token, site }: Jobs['mail_sign_up']): Promise<void> {
  return db.transaction(async (db) => {
    const user = await db.one<{ id: number }>(sql`select id from users where lower(email) = ${email}`)
    const letter = user ? mailTemplates.signedUpAlready(site) : mailTemplates.signUp(site, token)
    if (await isFlooded(db, email, letter.subject)) return
    if (!(await mailedLinks.issue(db, 'sign-up', token, JSON.stringify({ name, email })))) return
    await (user ? writeToUser(db, user.id, letter) : writeToAddress(db, email, letter))
  })
}

/** The person who reads the email chooses the password: nobody can prepare a user under somebody else's address. */
export function complete(
  db: Database,
  policy: SignUpPolicy,
  { token, password }: { token: string; password: string },
  metering: boolean,
): Promise<users.User> {
  return db.transaction(async (db) => {
    if (!(await isOpen(db, policy))) throw signUpClosed()
    const { name, email } = JSON.parse(await mailedLinks.consume(db, 'sign-up', token)) as { name: string; email: string }
    const account = await accounts.create(db, { name, ...newAccount(metering, false) })
    return users.create(db, { name, email, password, account_id: account.id, role: 'owner' })
  })
}

const named = (person: Person): Person => ({ ...person, name: person.name.trim() })
