import type { FastifyInstance } from 'fastify'
import { isSignInRefusal, type SignInRefusal } from '../../contract/app/sign-in-refusals.ts'
import { ApiError, signInRefused } from '../../contract/errors.ts'
import { sql } from '../../db/database.ts'
import { recordRefusal } from '../../domain/audit/sign-ins.ts'
import { admit } from '../../domain/sign-in/admit.ts'
import * as connections from '../../domain/sign-in/connections.ts'
import { isElsewhere } from '../../domain/sign-in/required.ts'
import { cookieNamed, cookieOf, cookiesOf } from '../auth/session-cookie.ts'
import { countAttempt } from '../auth/sign-in.ts'
import { startSession } from '../auth/start-session.ts'
import { addressOf } from '../limits/network.ts'
import type { Service } from '../service.ts'
import { begin, CALLBACK, complete, type Pending } from './provider.ts'
import { idTokenOf } from './sign-out.ts'

const PENDING = 'sso'
const PENDING_SECONDS = 600

/** A separate cookie: the provider redirects here from another site, and browsers would not send the session's own cookie. */
const pendingName = ({ site }: Service) => cookiesOf(site, '').name.replace('session_token', 'sso')
const pendingCookie = (service: Service, value: string, seconds: number) =>
  cookieOf(pendingName(service), value, { seconds, sameSite: 'Lax' })

interface Wanted {
  email: string
  to?: string | undefined
  /** The sign-in confirms an existing session. */
  again?: boolean | undefined
}

/** The URL to redirect a browser to, and the cookie that it must send back. */
export async function start(service: Service, { email, to = '/', again = false }: Wanted) {
  const connection = await connections.findByEmail(service.db, email.replaceAll('\0', ''))
  if (!connection) throw signInRefused('sso_unknown')
  const { url, pending } = await begin(service, connection, { email: email.trim(), to: isPage(to) ? to : '/', again })
  return {
    redirect_to: url,
    cookie: pendingCookie(service, service.vault.seal(JSON.stringify(pending), PENDING), PENDING_SECONDS),
  }
}

/** A page of ours: anything that a browser might read as another host is not. */
const isPage = (to: string) => /^\/(?![/\\])[\x20-\x7e]*$/.test(to)

/** Where providers redirect the browser after a sign-in or a refusal. */
export function serveSingleSignOn(app: FastifyInstance, service: Service) {
  app.get(CALLBACK, async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    reply.header('set-cookie', pendingCookie(service, '', 0))
    try {
      await countAttempt(service, request, 'single sign-on')
      const pending = readPending(service, request.headers.cookie ?? '')
      const connection = await connections.find(service.db, pending.account_id)
      if (!connection) throw signInRefused('sso_unknown')
      const search = request.url.slice(request.url.indexOf('?'))
      const { claims, idToken } = await complete(service, connection, pending, search)
      const cookie = await service.db.transaction(async (db) => {
        const admitted = await admit(db, connection, claims, request.ip)
        const refuse = async (user_id: number | undefined, reason: SignInRefusal) => {
          const about = { method: 'sso', ip_address: request.ip, reason, account_id: connection.account_id } as const
          if (user_id !== undefined) await recordRefusal(db, { user_id, ...about })
          return { refused: reason }
        }
        if (admitted.refused) return refuse(admitted.user_id, admitted.refused)
        const { user_id } = admitted
        if (await isElsewhere(db, user_id, addressOf(request.ip))) return refuse(user_id, 'address_not_allowed')
        const { session_id, cookie } = await startSession(db, service, request, user_id, 'sso')
        await db.execute(sql`
          insert into sso_sessions (session_id, account_id, id_token_sealed)
          values (${session_id}, ${connection.account_id}, ${service.vault.seal(idToken, idTokenOf(session_id))})`)
        return cookie
      })
      if (typeof cookie !== 'string') throw signInRefused(cookie.refused)
      return await reply.header('set-cookie', cookie).redirect(pending.to, 302)
    } catch (error) {
      if (!(error instanceof ApiError) || !(isSignInRefusal(error.code) || error.status === 429)) throw error
      return reply.redirect(`/sign-in?${new URLSearchParams({ why: error.code })}`, 302)
    }
  })
}

function readPending({ vault, ...service }: Service, header: string): Pending {
  const sealed = cookieNamed(header, pendingName({ vault, ...service }))
  const refused: SignInRefusal = 'sso_expired'
  let pending: Pending | undefined
  try {
    pending = JSON.parse(vault.open(sealed ?? '', PENDING)) as Pending
  } catch {
    throw signInRefused(refused)
  }
  if (pending.kind !== 'sso' || pending.until < Date.now()) throw signInRefused(refused)
  return pending
}
