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
    summary: 'Whether the service has an owner yet and whether one may sign up',
    role: 'anyone',
    reply: app.Welcome,
  },
  setUp: {
    ...post,
    path: '/v1/set_up',
    summary: 'Make the first user, who owns the service, by the set-up token that its start printed',
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
    summary: 'Mail a link that ends a sign-up; the answer is the same whether somebody has the address or not',
    role: 'anyone',
    body: object({ name, email }),
    reply: app.Done,
  },
  completeSignUp: {
    ...post,
    path: '/v1/sign_ups/complete',
    summary: 'Make a user with an account of their own by a mailed link; they are signed in',
    role: 'anyone',
    body: object({ token, password }),
    reply: app.Done,
    created: 201,
  },
  joinByInvitation: {
    ...post,
    path: '/v1/sign_ups/invited',
    summary: 'Make a user for the address an invitation was made for, in the account that invites; they are signed in',
    role: 'anyone',
    body: object({ name, email, password, invitation: token }),
    reply: app.Done,
    created: 201,
  },
  showInvitation: {
    ...plainGet,
    path: '/v1/invitations/:token',
    summary: 'Who invites whom into what',
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
    summary: 'Join the account that invites',
    reply: object({ account_id: Type.Integer() }),
  },
  requestPasswordReset: {
    ...post,
    path: '/v1/password_resets',
    summary: 'Mail a link that sets a new password; the answer is the same whether somebody has the address or not',
    role: 'anyone',
    body: object({ email }),
    reply: app.Done,
  },
  completePasswordReset: {
    ...post,
    path: '/v1/password_resets/complete',
    summary: 'Set a new password by a mailed link; ends every session and API token of the user',
    role: 'anyone',
    body: object({ token, password }),
    reply: app.Done,
  },
  changePassword: {
    ...put,
    path: '/v1/me/password',
    summary: 'Set a new password by the current one; ends every other session, and the API tokens unless they are to stay',
    body: object({
      current_password: Type.String({ maxLength: PASSWORD.maxLength }),
      new_password: password,
      revoke_tokens: Type.Optional(Type.Boolean()),
    }),
    reply: app.Done,
    detached: true,
  },
} as const
