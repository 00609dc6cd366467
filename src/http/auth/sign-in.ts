import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, wrongSignIn } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import * as audit from '../../domain/audit/sign-ins.ts'
import { refuseElsewhere, refuseIfRequired } from '../../domain/sign-in/required.ts'
import * as twoFactor from '../../domain/sign-in/two-factor.ts'
import { addressOf, networkOf } from '../limits/network.ts'
import { jsonOf } from '../routes/request-body.ts'
import type { Service } from '../service.ts'
import { providerSignOut } from '../sso/sign-out.ts'
import type { Auth } from './auth.ts'
import { requireSameOrigin } from './auth-scheme.ts'
import { ADDRESS_HEADER, AUTH_PATH } from './library.ts'
import { cookiesOf, sessionOf } from './session-cookie.ts'
import { sealChallenge } from './two-factor-challenge.ts'

const SIGN_IN = '/sign-in/email'
const SIGN_OUT = '/sign-out'

/** The library's endpoints that pages use; the rest is not exposed. */
const OPEN: [method: 'GET' | 'POST', path: string, limited?: true][] = [
  ['POST', SIGN_IN, true],
  ['POST', SIGN_OUT],
  ['POST', '/send-verification-email', true],
  ['GET', '/verify-email', true],
]

/** Signing in and out, and links that verify an address. */
export function serveSignIn(app: FastifyInstance, service: Service, auth: () => Promise<Auth>) {
  for (const [method, path, limited] of OPEN)
    app.route({
      method,
      url: `${AUTH_PATH}${path}`,
      onRequest: async (request) => requireSameOrigin(request),
      handler: async (request, reply) => {
        const body = method === 'POST' ? ((jsonOf(request) ?? {}) as { email?: unknown }) : {}
        if (limited) await countSignIn(service, request, body.email)
        const { handler } = await auth()
        const ask = () =>
          handler(
            new Request(new URL(request.url, service.site), {
              method,
              headers: headersOf(request),
              ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
            }),
          )
        if (path === SIGN_IN)
          return pass(reply, await withPassword(service, request, typeof body.email === 'string' ? body.email : '', ask))
        if (path !== SIGN_OUT) return pass(reply, await ask())
        const session = sessionOf(request.headers.cookie ?? '', cookiesOf(service.site, service.cookieKey))
        const redirect_to = await providerSignOut(service, session)
        return pass(reply, await ask(), redirect_to === undefined ? undefined : { redirect_to })
      },
    })
}

/** The library has checked the password and created a session: it is discarded if a second factor is needed. */
async function withPassword(
  { db, vault }: Service,
  { ip: ip_address }: FastifyRequest,
  email: string,
  signIn: () => Promise<Response>,
): Promise<Response> {
  const before = await passwordOf(db, email)
  const answer = await signIn()
  if (!answer.ok) {
    if (answer.status === UNAUTHORIZED) await audit.requestRefusal(db, email, ip_address)
    return answer
  }
  const { token, user } = (await answer.clone().json()) as { token: string; user: { id: string } }
  const shown = { user_id: Number(user.id), method: 'password', ip_address } as const
  try {
    // A password that is replaced while it is being checked opens no session: its replacement has just ended all sessions.
    if ((await passwordOf(db, email)) !== before) throw wrongSignIn()
    await refuseIfRequired(db, shown.user_id)
    await refuseElsewhere(db, shown.user_id, addressOf(ip_address))
    if (!(await twoFactor.isOn(db, shown.user_id))) {
      await audit.recordSignIn(db, shown)
      return answer
    }
  } catch (error) {
    await end(db, token)
    if (error instanceof ApiError) await audit.recordRefusal(db, { ...shown, reason: error.code })
    throw error
  }
  await end(db, token)
  return Response.json({ two_factor: sealChallenge(vault, shown.user_id, before ?? '') })
}

const UNAUTHORIZED = 401

const end = (db: Database, token: string) => db.execute(sql`delete from sessions where token = ${token}`)

const passwordOf = async (db: Database, email: string) =>
  (
    await db.one<{ password: string | null }>(sql`
      select l.password from users u join logins l on l.user_id = u.id and l.provider_id = 'credential'
      where lower(u.email) = ${email.trim().toLowerCase().replaceAll('\0', '')}`)
  )?.password

/** Guessing is limited per address, more strictly per person from one address, and the more so the more addresses try one person. */
export async function countSignIn(service: Service, request: FastifyRequest, email: unknown) {
  const who = typeof email === 'string' ? email.trim().toLowerCase().slice(0, 254) : ''
  await countAttempt(service, request, who)
  if (who !== '') await service.limits.signInsAs(who, networkOf(request.ip))
}

/** Other anonymous attempts: a link, a token, an address to write to. */
export async function countAttempt({ limits }: Service, request: FastifyRequest, what: string) {
  const place = networkOf(request.ip)
  await limits.signIns(`${place} ${what}`)
  await limits.signInsWide(`address ${place}`)
}

export function headersOf(request: FastifyRequest): Headers {
  const { cookie, 'user-agent': agent, origin } = request.headers
  return new Headers({
    'content-type': 'application/json',
    [ADDRESS_HEADER]: request.ip,
    ...(cookie ? { cookie } : {}),
    ...(agent ? { 'user-agent': agent.slice(0, 300) } : {}),
    ...(origin ? { origin } : {}),
  })
}

async function pass(reply: FastifyReply, answer: Response, also?: Record<string, string>) {
  reply.code(answer.status).header('cache-control', 'no-store')
  for (const cookie of answer.headers.getSetCookie()) reply.header('set-cookie', cookie)
  const text = await answer.text()
  return reply
    .type('application/json; charset=utf-8')
    .send(answer.ok ? (also ? JSON.stringify({ ...JSON.parse(text), ...also }) : text) : refusal(text))
}

/** The error in our own format. */
function refusal(text: string) {
  const { code = 'bad_request', message = 'This did not work.' } = (text.startsWith('{') ? JSON.parse(text) : {}) as {
    code?: string
    message?: string
  }
  return JSON.stringify({ error: code.toLowerCase(), message })
}
