import type { singleSignOnRoutes } from '../../contract/app/sign-in.ts'
import { invalidSingleSignOn, operatorRequired } from '../../contract/errors.ts'
import { sql } from '../../db/database.ts'
import * as connections from '../../domain/sign-in/connections.ts'
import { endOtherSessions } from '../../domain/sign-in/required.ts'
import { countSignIn } from '../auth/sign-in.ts'
import { type Call, done, type Handlers } from '../routes/call.ts'
import { CALLBACK, discover, rootOf } from '../sso/provider.ts'
import { start } from '../sso/sso.ts'

type Name = keyof typeof singleSignOnRoutes

/** Sign-in methods other than the password. */
export const signInHandlers: Handlers<Name> = {
  async startSingleSignOn(call) {
    await countSignIn(call, call.request, call.body.email)
    const { redirect_to, cookie } = await start(call, call.body)
    call.setCookies([cookie])
    return { redirect_to }
  },
  async showSingleSignOn(call) {
    const { db, account_id, site } = call
    const found = await connections.find(db, account_id)
    const { account_id: _, ...connection } = found ?? { account_id }
    return {
      connection: found ? (connection as Omit<connections.Connection, 'account_id'>) : null,
      redirect_uri: `${site}${CALLBACK}`,
      post_logout_redirect_uri: `${site}/sign-in`,
      came_through: await cameThrough(call),
      outside: await connections.outside(db, account_id),
    }
  },
  async setSingleSignOn(call) {
    const { db, vault, account_id, caller } = call
    const body = { ...call.body, domains: [...new Set(call.body.domains)].sort(), issuer: call.body.issuer.trim() }
    const before = await connections.find(db, account_id)
    if (!caller.operator && body.domains.join() !== (before?.domains ?? []).join())
      throw operatorRequired('set the domains of a provider: goldmaster admin sso set --domains')
    const moved = before?.issuer !== body.issuer
    // The operator allowed the domains for this provider: with another provider, or one that trusts unverified addresses, anybody with such
    // an address could become an owner.
    if (!caller.operator && body.domains.length > 0 && (moved || (body.trusts_email && !before?.trusts_email)))
      throw operatorRequired('change the provider of a domain, or trust its email addresses: goldmaster admin sso set')
    // Only somebody who signed in through the provider may require it: otherwise a wrong setting would lock everybody out.
    if (body.required && !before?.required && !(await cameThrough(call)))
      throw invalidSingleSignOn('Sign in with the provider yourself before you require it.')
    const secret = body.client_secret ?? (before && !moved ? await connections.clientSecret(db, vault, account_id) : undefined)
    if (secret === undefined) throw invalidSingleSignOn('client_secret is required.')
    await discover(call, { ...body, secret }).catch((error: unknown) => {
      throw invalidSingleSignOn(`Can’t use this provider: ${rootOf(error).message}`)
    })
    await db.transaction(async (db) => {
      await connections.set(db, vault, account_id, body)
      if (body.required && !before?.required) await endOtherSessions(db, account_id)
    })
    return done
  },
  async removeSingleSignOn({ db, account_id }) {
    await connections.remove(db, account_id)
    return done
  },
}

const cameThrough = async ({ db, account_id, caller }: Call<Name>): Promise<boolean> =>
  (await db.one(sql`select from sso_sessions where session_id = ${caller.session_id} and account_id = ${account_id}`)) !==
  undefined
