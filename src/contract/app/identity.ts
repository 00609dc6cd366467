import { Type } from 'typebox'
import { email, name, object, oneOf } from '../fields.ts'
import { PASSWORD, TIMEZONE_MAX } from '../limits.ts'
import { plainGet, post, put } from '../routes/route.ts'
import * as sets from '../sets.ts'
import * as app from './shapes.ts'

/** Sign-up, invitations and passwords; a part of the table in `routes.ts`. */

const password = Type.String(PASSWORD)
/** The token of a link. */
const token = Type.String({ maxLength: 100 })

export const identityRoutes = {
  welcome: {
    ...plainGet,
    path: '/v1/welcome',
    summary: 'Show whether the service has an owner and allows sign-up',
    role: 'anyone',
    reply: app.Welcome,
  },
  setUp: {
    ...post,
    path: '/v1/set_up',
    summary: 'Create the first user, the owner, with the setup token from the start-up output',
    role: 'anyone',
    body: object({
      name,
      email,
      password,
      set_up_token: token,
      studio: Type.Optional(name),
      timezone: Type.Optional(Type.String({ maxLength: TIMEZONE_MAX })),
    }),
    reply: app.Done,
    created: 201,
  },
  requestSignUp: {
    ...post,
    path: '/v1/sign_ups',
    summary: 'Send a sign-up link by email; the response is the same for known addresses',
    role: 'anyone',
    body: object({ name, email }),
    reply: app.Done,
  },
  completeSignUp: {
    ...post,
    path: '/v1/sign_ups/complete',
    summary: 'Create a user with a new account from a sign-up link, and sign in',
    role: 'anyone',
    body: object({ token, password }),
    reply: app.Done,
    created: 201,
  },
  joinByInvitation: {
    ...post,
    path: '/v1/sign_ups/invited',
    summary: 'Create a user from an invitation, and sign in',
    role: 'anyone',
    body: object({ name, email, password, invitation: token }),
    reply: app.Done,
    created: 201,
  },
  showInvitation: {
    ...plainGet,
    path: '/v1/invitations/:token',
    summary: 'Show an invitation',
    role: 'anyone',
    reply: object({
      account_name: Type.String(),
      email: Type.String(),
      role: oneOf(sets.ACCOUNT_ROLES),
      has_user: Type.Boolean(),
    }),
  },
  acceptInvitation: {
    ...post,
    path: '/v1/invitations/:token/accept',
    summary: 'Accept an invitation',
    reply: object({ account_id: Type.Integer() }),
  },
  requestPasswordReset: {
    ...post,
    path: '/v1/password_resets',
    summary: 'Send a password reset link by email; the response is the same for unknown addresses',
    role: 'anyone',
    body: object({ email }),
    reply: app.Done,
  },
  completePasswordReset: {
    ...post,
    path: '/v1/password_resets/complete',
    summary: 'Set a new password with a reset link; ends all sessions and revokes all API tokens',
    role: 'anyone',
    body: object({ token, password }),
    reply: app.Done,
  },
  changePassword: {
    ...put,
    path: '/v1/me/password',
    summary: 'Change your password; ends all other sessions, and revokes API tokens unless you keep them',
    body: object({
      current_password: Type.String({ maxLength: PASSWORD.maxLength }),
      new_password: password,
      revoke_tokens: Type.Optional(Type.Boolean()),
    }),
    reply: app.Done,
    detached: true,
  },
} as const
