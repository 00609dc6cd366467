import { wrongPassword } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import * as tokens from '../access/tokens.ts'
import { hashPassword, verifyPassword } from '../accounts/passwords.ts'
import * as users from '../accounts/users.ts'
import * as mailTemplates from '../mail/mail-templates.ts'
import { writeToUser } from '../mail/mails.ts'
import * as mailedLinks from './mailed-links.ts'
import * as sessions from './sessions.ts'

interface Change {
  current_password: string
  new_password: string
  revoke_tokens: boolean
}

/** Ends every session, the caller's too, since its cookie may be stolen; revokes tokens if requested. */
export async function changePassword(db: Database, userId: number, change: Change, site: string): Promise<void> {
  const held = await db.one<{ password: string }>(sql`
    select password from logins where user_id = ${userId} and provider_id = 'credential' and password is not null`)
  if (!held || !(await verifyPassword(change.current_password, held.password))) throw wrongPassword()
  const password = await hashPassword(change.new_password)
  await db.transaction(async (db) => {
    await users.lock(db, userId)
    const changed = await db.execute(sql`
      update logins set password = ${password}, updated_at = now()
      where user_id = ${userId} and provider_id = 'credential' and password = ${held.password}`)
    // Another request was faster: the password that was correct a moment ago no longer is.
    if (changed === 0) throw wrongPassword()
    await mailedLinks.withdraw(db, 'password-reset', String(userId))
    await sessions.endAll(db, userId)
    const revoked = change.revoke_tokens ? await tokens.revokeAll(db, userId) : 0
    await writeToUser(db, userId, mailTemplates.passwordChanged(site, 'in your profile', revoked))
  })
}
