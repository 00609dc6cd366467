import type { secondFactorRoutes } from '../../contract/app/sign-in.ts'
import { ApiError, signInExpired } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import { refuseUnlessShown } from '../../domain/access/blocked.ts'
import { recordRefusal, type SignInMethod } from '../../domain/audit/sign-ins.ts'
import * as mailTemplates from '../../domain/mail/mail-templates.ts'
import { writeToUser } from '../../domain/mail/mails.ts'
import { confirmSession } from '../../domain/sign-in/confirm-session.ts'
import { requireFresh } from '../../domain/sign-in/fresh-sign-in.ts'
import * as passkeys from '../../domain/sign-in/passkeys.ts'
import { refuseElsewhere, refuseIfRequired } from '../../domain/sign-in/required.ts'
import * as sessions from '../../domain/sign-in/sessions.ts'
import * as twoFactor from '../../domain/sign-in/two-factor.ts'
import { countAttempt, countSignIn } from '../auth/sign-in.ts'
import { startSession } from '../auth/start-session.ts'
import { fingerprintOf, openChallenge } from '../auth/two-factor-challenge.ts'
import { addressOf } from '../limits/network.ts'
import { type Call, done, type Handlers } from '../routes/call.ts'
import { idOf } from '../routes/path-ids.ts'

type Name = keyof typeof secondFactorRoutes

/** Authenticator apps and passkeys. */
export const secondFactorHandlers: Handlers<Name> = {
  async completeTwoFactor(call) {
    const { db, vault, body } = call
    const challenge = openChallenge(vault, body.challenge)
    if (!challenge) throw signInExpired()
    await countSignIn(call, call.request, `two-factor ${challenge.user_id}`)
    await refusing(call, challenge.user_id, 'second_factor', async () => {
      await refuseElsewhere(db, challenge.user_id, addressOf(call.request.ip))
      await twoFactor.verify(db, call, challenge.user_id, body.code)
    })
    const cookie = await db.transaction(async (db) => {
      const held = await db.one<{ password: string }>(sql`
        select password from logins where user_id = ${challenge.user_id} and provider_id = 'credential' for share`)
      if (!held || fingerprintOf(held.password) !== challenge.password) throw signInExpired()
      await refuseIfRequired(db, challenge.user_id)
      return (await startSession(db, call, call.request, challenge.user_id, 'second_factor')).cookie
    })
    call.setCookies([cookie])
    return done
  },
  async startPasskeySignIn(call) {
    await countAttempt(call, call.request, 'passkey')
    return { challenge: await passkeys.challenge(call.db, null), rp_id: rpId(call) }
  },
  async completePasskeySignIn(call) {
    await countAttempt(call, call.request, 'passkey answer')
    const userId = await passkeys.verify(call.db, call.body, call.site)
    await refusing(call, userId, 'passkey', async () => {
      await refuseIfRequired(call.db, userId)
      await refuseElsewhere(call.db, userId, addressOf(call.request.ip))
    })
    const { cookie } = await call.db.transaction((db) => startSession(db, call, call.request, userId, 'passkey'))
    call.setCookies([cookie])
    return done
  },

  showSignIn: async ({ db, caller }) => ({
    two_factor: await twoFactor.isOn(db, caller.user_id),
    recovery_codes: await twoFactor.recoveryCodes(db, caller.user_id),
    passkeys: await passkeys.list(db, caller.user_id),
  }),
  async confirmSession(call) {
    const { user_id } = call.caller
    const { code, passkey } = call.body
    await countSignIn(call, call.request, `confirm ${user_id}`)
    const method = code !== undefined ? 'second_factor' : passkey !== undefined ? 'passkey' : 'password'
    await refusing(call, user_id, method, () => confirmSession(call.db, call, call.caller, call.body))
    return done
  },
  async startTwoFactor(call) {
    await refuseFactorChange(call.db, call.caller)
    return twoFactor.start(call.db, call.vault, call.caller.user_id, call.caller.session_id)
  },
  async confirmTwoFactor(call) {
    await countAttempt(call, call.request, `two-factor ${call.caller.user_id}`)
    return call.db.transaction(async (db) => {
      const { user_id, session_id } = call.caller
      await refuseFactorChange(db, call.caller)
      const recovery_codes = await twoFactor.confirm(db, call.vault, user_id, session_id, call.body.code)
      // The other sessions were opened with a password alone.
      await sessions.endOthers(db, call.caller.user_id, call.caller.session_id)
      await tell(db, call, 'An authenticator app was added')
      return { recovery_codes }
    })
  },
  async removeTwoFactor(call) {
    const { db, caller, body } = call
    await countSignIn(call, call.request, `two-factor ${caller.user_id}`)
    await twoFactor.verify(db, call, caller.user_id, body.code)
    await db.transaction(async (db) => {
      await twoFactor.remove(db, caller.user_id)
      await tell(db, call, 'The authenticator app was removed')
    })
    return done
  },
  async startPasskey(call) {
    await refuseFactorChange(call.db, call.caller)
    const user_handle = Buffer.from(`goldmaster ${call.caller.user_id}`).toString('base64url')
    return { challenge: await passkeys.challenge(call.db, call.caller), rp_id: rpId(call), user_handle }
  },
  async addPasskey(call) {
    await refuseFactorChange(call.db, call.caller)
    const added = await passkeys.add(call.db, call.caller, call.body, call.site)
    await tell(call.db, call, 'A passkey was added')
    return added
  },
  async removePasskey({ db, caller, path }) {
    await refuseFactorChange(db, caller)
    await passkeys.remove(db, caller.user_id, idOf(path.id, 'Passkey'))
    return done
  },
}

/** The caller has already shown one factor, so a refusal is recorded. */
const refusing = ({ db, request }: Call<Name>, user_id: number, method: SignInMethod, check: () => Promise<void>) =>
  check().catch(async (error: unknown) => {
    if (error instanceof ApiError) await recordRefusal(db, { user_id, method, ip_address: request.ip, reason: error.code })
    throw error
  })

const rpId = ({ site }: { site: string }) => new URL(site).hostname

/** Changing sign-in factors needs a fresh sign-in that has shown the existing factors. */
async function refuseFactorChange(db: Database, caller: Call<Name>['caller']) {
  await refuseUnlessShown(db, caller)
  await requireFresh(db, caller)
}

const tell = (db: Database, { caller, site }: Call<Name>, what: string) =>
  writeToUser(db, caller.user_id, mailTemplates.signInChanged(site, what))
