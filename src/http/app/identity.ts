import { timingSafeEqual } from 'node:crypto'
import type { identityRoutes } from '../../contract/app/identity.ts'
import { invalidSetUpToken } from '../../contract/errors.ts'
import { VERSION } from '../../contract/version.ts'
import { type Database, sql } from '../../db/database.ts'
import { refuseBreached } from '../../domain/access/breached-passwords.ts'
import { accountsOf, record } from '../../domain/audit/audit-log.ts'
import { hashOf } from '../../domain/privacy/secrets.ts'
import * as invitations from '../../domain/sign-in/invitations.ts'
import { changePassword } from '../../domain/sign-in/password-change.ts'
import * as passwordResets from '../../domain/sign-in/password-resets.ts'
import * as profile from '../../domain/sign-in/profile.ts'
import { refuseIfRequired } from '../../domain/sign-in/required.ts'
import * as signUps from '../../domain/sign-in/sign-ups.ts'
import { refuseForeignHost } from '../auth/auth-scheme.ts'
import { countAttempt, headersOf } from '../auth/sign-in.ts'
import { type Call, done, type Handlers } from '../routes/call.ts'

type Name = keyof typeof identityRoutes

/** Sign-up, invitations and passwords. */
export const identityHandlers: Handlers<Name> = {
  async welcome({ db, signUp, mailing }) {
    return { first_run: await signUps.isFirstRun(db), sign_up: await signUps.isOpen(db, signUp), mailing, version: VERSION }
  },
  async setUp(call) {
    const { db, body, request, metering } = call
    const { set_up_token, studio, timezone, ...person } = body
    await countAttempt(call, request, 'set up')
    refuseForeignHost(call.site, request)
    if (!isSame(set_up_token, call.setUpToken)) throw invalidSetUpToken()
    await refuseBreached(call.breachedPasswords, person.password)
    const user = await db.transaction(async (db) => {
      const user = await signUps.setUp(db, person, { name: studio, timezone }, metering)
      await came(db, call, 'setUp', user.id)
      return user
    })
    await signIn(call, user.email, person.password)
    return done
  },
  async requestSignUp(call) {
    await countAttempt(call, call.request, 'sign up')
    await signUps.request(call.db, call.signUp, call.body, call.site)
    return done
  },
  async completeSignUp(call) {
    await countAttempt(call, call.request, 'sign up')
    await refuseBreached(call.breachedPasswords, call.body.password)
    const user = await call.db.transaction(async (db) => {
      const user = await signUps.complete(db, call.signUp, call.body, call.metering)
      await came(db, call, 'completeSignUp', user.id)
      return user
    })
    await signIn(call, user.email, call.body.password)
    return done
  },
  async joinByInvitation(call) {
    await countAttempt(call, call.request, 'join')
    await refuseBreached(call.breachedPasswords, call.body.password)
    const user = await signUps.join(call.db, call.body, call.request.ip)
    await refuseIfRequired(call.db, user.id)
    await signIn(call, user.email, call.body.password)
    return done
  },
  async showInvitation({ db, path }) {
    const { account_name, email, role, has_user } = await invitations.find(db, path.token)
    return { account_name, email, role, has_user }
  },
  acceptInvitation: ({ db, caller, path }) => invitations.accept(db, path.token, caller.user_id),
  async requestPasswordReset(call) {
    await countAttempt(call, call.request, 'reset')
    await passwordResets.request(call.db, call.body.email, call.site)
    return done
  },
  async completePasswordReset(call) {
    await countAttempt(call, call.request, 'reset')
    await refuseBreached(call.breachedPasswords, call.body.password)
    await call.db.transaction(async (db) =>
      came(db, call, 'completePasswordReset', await passwordResets.complete(db, call.body, call.site)),
    )
    return done
  },
  async changePassword(call) {
    const { db, caller, body, site } = call
    const { user } = await profile.show(db, caller)
    const former = await db.one<{ method: string | null }>(sql`select method from sessions where id = ${caller.session_id}`)
    await countAttempt(call, call.request, `change ${user.id}`)
    await refuseIfRequired(db, user.id)
    await refuseBreached(call.breachedPasswords, body.new_password)
    await changePassword(db, caller.user_id, { revoke_tokens: true, ...body }, site)
    const token = await signIn(call, user.email, body.new_password)
    // It is the same browser, so the new session keeps the factors that the old one had shown.
    if (former?.method !== 'sso')
      await db.execute(sql`update sessions set method = ${former?.method ?? null} where token = ${token}`)
    return done
  },
}

/** The request was anonymous; the user is known now. */
const came = (db: Database, { request }: Call<Name>, action: Name, user_id: number) =>
  record(db, accountsOf(user_id), { actor: 'user', user_id, ip_address: request.ip, action, subject: `user/${user_id}` })

/** A session for a person who has just authenticated. */
async function signIn(call: Call<Name>, email: string, password: string) {
  const { api } = await call.auth()
  const { headers, response } = await api.signInEmail({
    body: { email, password },
    headers: headersOf(call.request),
    returnHeaders: true,
  })
  call.setCookies(headers.getSetCookie())
  return response.token
}

/** In constant time, whatever its length. */
const isSame = (given: string, right: string) => timingSafeEqual(hashOf(given), hashOf(right))
