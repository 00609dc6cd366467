import { type Database, sql } from '../../db/database.ts'
import { enqueue, type Jobs } from '../../db/queue.ts'
import * as tokens from '../access/tokens.ts'
import * as users from '../accounts/users.ts'
import * as mailTemplates from '../mail/mail-templates.ts'
import { isFlooded, recipient, writeToUser } from '../mail/mails.ts'
import { proveAddress } from './address-proof.ts'
import * as mailedLinks from './mailed-links.ts'
import * as sessions from './sessions.ts'

/** A job looks up the address, so that the response takes the same time for known and unknown ones. */
export function request(db: Database, address: string, site: string) {
  const email = address.trim().toLowerCase()
  return enqueue(db, 'mail_password_reset', { email, token: mailedLinks.newToken(), site }, { owner: recipient(email) })
}

export function mail(db: Database, { email, token, site }: Jobs['mail_password_reset']): Promise<void> {
  return db.transaction(async (db) => {
    const user = await db.one<{ id: number }>(sql`select id from users where lower(email) = ${email}`)
    if (!user || (await isFlooded(db, email, mailTemplates.RESET_SUBJECT))) return
    if (await mailedLinks.issue(db, 'password-reset', token, String(user.id)))
      await writeToUser(db, user.id, mailTemplates.resetPassword(site, token))
  })
}

/**
 * A forgotten password may be a stolen one: everything that was created with it is revoked. Following the link verifies the address too;
 * factors stay unless they are from before its first verification. Returns the user.
 */
export function complete(db: Database, { token, password }: { token: string; password: string }, site: string): Promise<number> {
  return db.transaction(async (db) => {
    const id = Number(await mailedLinks.consume(db, 'password-reset', token))
    await proveAddress(db, id)
    await users.setPassword(db, id, password)
    await db.execute(sql`update users set email_verified = true, updated_at = now() where id = ${id}`)
    await mailedLinks.withdraw(db, 'password-reset', String(id))
    await sessions.endAll(db, id)
    const revoked = await tokens.revokeAll(db, id)
    await writeToUser(db, id, mailTemplates.passwordChanged(site, 'with a link from an email', revoked))
    return id
  })
}
