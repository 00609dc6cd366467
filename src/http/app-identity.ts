import { VERSION } from '../contract/version.ts'
import * as invitations from '../domain/invitations.ts'
import { changePassword } from '../domain/password-change.ts'
import * as passwordResets from '../domain/password-resets.ts'
import * as profile from '../domain/profile.ts'
import * as signUps from '../domain/sign-ups.ts'
import type { AppCall, AppHandlers } from './app-rest.ts'
import { countSignIn, headersOf } from './sign-in.ts'

const done = { ok: true }

type Names =
  | 'welcome'
  | 'signUp'
  | 'showInvitation'
  | 'acceptInvitation'
  | 'requestPasswordReset'
  | 'completePasswordReset'
  | 'changePassword'

/** How somebody comes in: signing up, invitations, passwords. */
export const identityHandlers: Pick<AppHandlers, Names> = {
  async welcome({ db, signUp }) {
    return { first_run: await signUps.isFirstRun(db), sign_up: await signUps.isOpen(db, signUp), version: VERSION }
  },
  async signUp(call) {
    await countSignIn(call, call.request, call.body.email)
    const user = await signUps.signUp(call.db, call.signUp, call.body, call.metering)
    await signIn(call, user.email, call.body.password)
    if (!user.email_verified) await confirmAddress(call, user.email)
    return done
  },
  async showInvitation({ db, path }) {
    const { account_name, email, role, has_user } = await invitations.find(db, path.token)
    return { account_name, email, role, has_user }
  },
  acceptInvitation: ({ db, visit, path }) => invitations.accept(db, path.token, visit.user_id),
  async requestPasswordReset(call) {
    await countSignIn(call, call.request, call.body.email)
    await passwordResets.request(call.db, call.body.email, call.site)
    return done
  },
  async completePasswordReset(call) {
    await countSignIn(call, call.request, undefined)
    await passwordResets.complete(call.db, call.body, call.site)
    return done
  },
  async changePassword(call) {
    const { db, visit, body, site } = call
    const { user } = await profile.show(db, visit.user_id)
    await countSignIn(call, call.request, user.email)
    await changePassword(db, visit.user_id, { revoke_tokens: true, ...body }, site)
    await signIn(call, user.email, body.new_password)
    return done
  },
}

/** A session for whoever has just shown who they are. */
async function signIn(call: AppCall<Names>, email: string, password: string) {
  const { api } = await call.auth()
  const { headers } = await api.signInEmail({ body: { email, password }, headers: headersOf(call.request), returnHeaders: true })
  call.setCookies(headers.getSetCookie())
}

async function confirmAddress(call: AppCall<Names>, email: string) {
  const { api } = await call.auth()
  await api
    .sendVerificationEmail({ body: { email } })
    .catch((error: Error) => call.log.warn({ error: error.message }, 'no verification mail'))
}
