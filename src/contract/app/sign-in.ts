import { Type } from 'typebox'
import { email, flag, idText, instant, name, nullable, object, oneOf, ownText, partial } from '../fields.ts'
import { NAME_MAX, PASSWORD, URL_MAX } from '../limits.ts'
import { plainGet, post, put, remove } from '../routes/route.ts'
import * as sets from '../sets.ts'
import * as app from './shapes.ts'

/** Sign-in methods other than the password; a part of the table in `routes.ts`. */

const ROLE_GROUPS_MAX = 100
const DOMAINS_MAX = 50

const domain = Type.String({ maxLength: 253, pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$' })
const settings = {
  issuer: Type.String({ minLength: 8, maxLength: URL_MAX, pattern: '^https?://[^\\s]+$' }),
  client_id: Type.String({ minLength: 1, maxLength: 500 }),
  trusts_email: flag,
  groups_claim: Type.String({ minLength: 1, maxLength: NAME_MAX }),
  role_groups: Type.Array(object({ group: Type.String({ minLength: 1, maxLength: 200 }), role: oneOf(sets.ACCOUNT_ROLES) }), {
    maxItems: ROLE_GROUPS_MAX,
  }),
  default_role: nullable(oneOf(sets.ACCOUNT_ROLES)),
  domains: Type.Array(domain, { maxItems: DOMAINS_MAX }),
  required: flag,
}

/** Bytes as browsers send them. */
const bytes = Type.String({ minLength: 1, maxLength: 8_000, pattern: '^[A-Za-z0-9_-]+$' })
const code = Type.String({ minLength: 6, maxLength: 60 })
const answer = { challenge: bytes, credential_id: bytes, client_data: bytes, authenticator_data: bytes, signature: bytes }
const Passkey = object({ id: idText, name: ownText, last_used_at: nullable(instant), created_at: instant })
const Question = object({ challenge: ownText, rp_id: ownText })

export const secondFactorRoutes = {
  completeTwoFactor: {
    ...post,
    path: '/v1/two_factor_sign_ins',
    summary: 'Complete a sign-in with a code of the authenticator app or a recovery code',
    role: 'anyone',
    body: object({ challenge: Type.String({ maxLength: 2_000 }), code }),
    reply: app.Done,
  },
  startPasskeySignIn: {
    ...post,
    path: '/v1/passkey_sign_ins/challenges',
    summary: 'Get a challenge to sign in with a passkey; valid once',
    role: 'anyone',
    reply: Question,
  },
  completePasskeySignIn: {
    ...post,
    path: '/v1/passkey_sign_ins',
    summary: 'Sign in with a passkey',
    role: 'anyone',
    body: object(answer),
    reply: app.Done,
  },
  showSignIn: {
    ...plainGet,
    path: '/v1/me/sign_in',
    summary: 'Show your sign-in methods',
    reply: object({ two_factor: flag, recovery_codes: Type.Integer(), passkeys: Type.Array(Passkey) }),
  },
  confirmSession: {
    ...post,
    path: '/v1/me/session/confirmation',
    summary: 'Confirm your identity with password, authenticator code or passkey; exports, tokens and new factors need it',
    body: partial({
      password: Type.String({ minLength: 1, maxLength: PASSWORD.maxLength }),
      code,
      passkey: object(answer),
    }),
    reply: app.Done,
    unaudited: true,
  },
  startTwoFactor: {
    ...post,
    path: '/v1/me/two_factor',
    summary: 'Get a secret for a new authenticator app; its first code activates it',
    reply: object({ secret: ownText, otpauth_url: ownText }),
    unaudited: true,
  },
  confirmTwoFactor: {
    ...put,
    path: '/v1/me/two_factor',
    summary: 'Activate the authenticator app with its first code; returns the recovery codes once',
    body: object({ code }),
    reply: object({ recovery_codes: Type.Array(ownText) }),
  },
  removeTwoFactor: {
    ...post,
    path: '/v1/me/two_factor/remove',
    summary: 'Remove the authenticator app, with one of its codes or a recovery code',
    body: object({ code }),
    reply: app.Done,
    // A wrong code is counted even if the request fails.
    detached: true,
  },
  startPasskey: {
    ...post,
    path: '/v1/me/passkeys/challenges',
    summary: 'Get a challenge for a new passkey; valid once',
    reply: object({ ...Question.properties, user_handle: ownText }),
    unaudited: true,
  },
  addPasskey: {
    ...post,
    path: '/v1/me/passkeys',
    summary: 'Add a passkey',
    body: object({ name, challenge: bytes, client_data: bytes, authenticator_data: bytes, public_key: bytes }),
    reply: Passkey,
    created: 201,
  },
  removePasskey: {
    ...remove,
    path: '/v1/me/passkeys/:id',
    summary: 'Delete a passkey',
    reply: app.Done,
  },
} as const

export const singleSignOnRoutes = {
  startSingleSignOn: {
    ...post,
    path: '/v1/single_sign_on',
    summary: 'Get the URL of the identity provider for an email address',
    role: 'anyone',
    /** `again`: the provider asks for a sign-in even if it has a session. */
    body: object({ email, to: Type.Optional(Type.String({ maxLength: 2_000 })), again: Type.Optional(flag) }),
    reply: object({ redirect_to: ownText }),
  },
  showSingleSignOn: {
    ...plainGet,
    path: '/v1/accounts/:account_id/single_sign_on',
    summary: 'Show the single sign-on settings of an account',
    role: 'owner',
    reply: object({
      connection: nullable(object({ ...settings, created_at: instant, updated_at: instant })),
      /** To be registered with the provider. */
      redirect_uri: ownText,
      post_logout_redirect_uri: ownText,
      /** Whether this session was opened through the provider, so that it may be required. */
      came_through: flag,
      /** Members whose address is in none of the domains: they keep their passwords. */
      outside: Type.Integer(),
    }),
  },
  setSingleSignOn: {
    ...put,
    path: '/v1/accounts/:account_id/single_sign_on',
    summary: 'Set up or change single sign-on; without client_secret the old one stays. Only an operator can set the domains',
    role: 'owner',
    body: object({ ...settings, client_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })) }),
    reply: app.Done,
    writes: true,
    detached: true,
  },
  removeSingleSignOn: {
    ...remove,
    path: '/v1/accounts/:account_id/single_sign_on',
    summary: 'Remove single sign-on; its members stay and need a password',
    role: 'owner',
    reply: app.Done,
  },
} as const
