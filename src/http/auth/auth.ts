import { APIError, betterAuth } from 'better-auth'
import { PASSWORD } from '../../contract/limits.ts'
import { sql } from '../../db/database.ts'
import * as mailTemplates from '../../domain/mail/mail-templates.ts'
import { writeToUser } from '../../domain/mail/mails.ts'
import type { Service } from '../service.ts'
import { ADDRESS_HEADER, AUTH_PATH } from './library.ts'
import { logOfLibrary } from './library-log.ts'
import { cookiesOf, sessionOf } from './session-cookie.ts'

const DAY = 86_400

/**
 * The library handles sessions, password checks and the link that verifies an address; tables and columns are ours, and so is everything
 * else.
 */
export const openAuth = ({ db, site, cookieKey, log, sessionSeconds }: Service) =>
  betterAuth({
    appName: 'Goldmaster',
    baseURL: site,
    basePath: AUTH_PATH,
    secret: cookieKey,
    database: db.pool,
    telemetry: { enabled: false },
    logger: { level: 'error', log: logOfLibrary(log) },
    // Our own limits count, which several nodes share.
    rateLimit: { enabled: false },
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: PASSWORD.minLength,
      maxPasswordLength: PASSWORD.maxLength,
    },
    emailVerification: {
      sendVerificationEmail: ({ user, token }) => writeToUser(db, Number(user.id), mailTemplates.verifyAddress(site, token)),
      // Somebody else may have signed up with the address: the person who follows the link must also be the one who chose the password.
      beforeEmailVerification: async (user, request) => {
        const session = sessionOf(request?.headers.get('cookie') ?? '', cookiesOf(site, cookieKey))
        const theirs = await db.one(sql`select from sessions where token = ${session ?? ''} and user_id = ${Number(user.id)}`)
        if (!theirs)
          throw new APIError('UNAUTHORIZED', { code: 'SIGN_IN_FIRST', message: 'Sign in first, then follow the link again.' })
      },
    },
    user: { modelName: 'users', fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' } },
    account: {
      modelName: 'logins',
      fields: {
        accountId: 'provider_account_id',
        providerId: 'provider_id',
        userId: 'user_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    session: {
      modelName: 'sessions',
      expiresIn: sessionSeconds,
      // How often a session in use is renewed.
      updateAge: Math.min(DAY, sessionSeconds / 4),
      fields: {
        userId: 'user_id',
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        createdAt: 'created_at',
        updatedAt: 'updated_at',
      },
    },
    verification: {
      modelName: 'verifications',
      fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
    },
    advanced: {
      cookiePrefix: 'goldmaster',
      useSecureCookies: site.startsWith('https:'),
      defaultCookieAttributes: { sameSite: 'strict', httpOnly: true },
      database: { generateId: 'serial' },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      // `requireSameOrigin` runs before the library and is stricter.
      disableCSRFCheck: true,
    },
  })

export type Auth = ReturnType<typeof openAuth>
