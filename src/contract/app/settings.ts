import { Type } from 'typebox'
import { email, flag, list, name, nullable, object, oneOf, partial, shortId } from '../fields.ts'
import { DAYS_MAX, TIMEZONE_MAX } from '../limits.ts'
import * as param from '../params.ts'
import { patch, plainGet, post, remove } from '../routes/route.ts'
import * as sets from '../sets.ts'
import * as app from './shapes.ts'

/** The settings of a person and of an account; a part of the table in `routes.ts`. */

const days = Type.Integer({ minimum: 1, maximum: DAYS_MAX })

const ofTokens = { scope: 'admin:tokens' } as const

export const settingsRoutes = {
  listTokens: {
    ...plainGet,
    path: '/v1/me/tokens',
    summary: 'API tokens of the caller, newest first',
    ...ofTokens,
    reply: list('tokens', app.Token),
  },
  createToken: {
    ...post,
    path: '/v1/me/tokens',
    summary: 'Make an API token; its value is answered once',
    ...ofTokens,
    body: object({
      name,
      scopes: Type.Array(oneOf(sets.SCOPES), { maxItems: 20 }),
      expires_in_days: Type.Optional(nullable(days)),
      /** Null: every account of the caller; with projects, only these. */
      account_id: Type.Optional(nullable(shortId)),
      project_ids: Type.Optional(nullable(Type.Array(shortId, { minItems: 1, maxItems: 100 }))),
    }),
    reply: object({ ...app.Token.properties, token: Type.String() }),
    created: 201,
  },
  revokeToken: {
    ...remove,
    path: '/v1/me/tokens/:id',
    summary: 'Make a token invalid at once',
    ...ofTokens,
    reply: app.Done,
  },
  listAccountTokens: {
    ...plainGet,
    path: '/v1/accounts/:account_id/tokens',
    summary: 'API tokens that reach an account, of whomever, newest first',
    role: 'admin',
    reply: list('tokens', app.AccountToken),
  },
  revokeAccountToken: {
    ...remove,
    path: '/v1/accounts/:account_id/tokens/:id',
    summary:
      "Make a member's token that is held to the account invalid at once; one that reaches others too no longer reaches this one",
    role: 'admin',
    reply: app.Done,
  },
  listSessions: {
    ...plainGet,
    path: '/v1/me/sessions',
    summary: 'Browsers that are signed in',
    reply: list('sessions', app.Session),
  },
  endSession: { ...remove, path: '/v1/me/sessions/:id', summary: 'Sign a browser out', reply: app.Done },
  endOtherSessions: {
    ...remove,
    path: '/v1/me/sessions',
    summary: 'Sign out everywhere but here',
    reply: app.Done,
  },
  listConnectedAccounts: {
    ...plainGet,
    path: '/v1/me/connected_accounts',
    summary: 'What the caller is called elsewhere',
    reply: list('connected_accounts', app.ConnectedAccount),
  },
  addConnectedAccount: {
    ...post,
    path: '/v1/me/connected_accounts',
    summary: 'Tell what the caller is called elsewhere: authors of changes are recognised by it',
    body: object({ provider: Type.String({ pattern: '^[a-z0-9_-]{1,40}$' }), uid: name }),
    reply: app.ConnectedAccount,
    created: 201,
  },
  removeConnectedAccount: {
    ...remove,
    path: '/v1/me/connected_accounts/:id',
    summary: 'Forget a name',
    reply: app.Done,
  },

  showAccount: {
    ...plainGet,
    path: '/v1/accounts/:account_id',
    summary: 'An account with its use',
    role: 'member',
    reply: app.Account,
  },
  editAccount: {
    ...patch,
    path: '/v1/accounts/:account_id',
    summary:
      'Change the name, the timezone, whether members see every project, whether a language model words findings, the greatest age of tokens, and data retention',
    role: 'admin',
    body: partial({
      name,
      timezone: Type.String({ maxLength: TIMEZONE_MAX }),
      members_see_projects: flag,
      uses_language_model: flag,
      token_days_max: nullable(days),
      /** Missing kinds stay unchanged; null: the service's retention. */
      retention: partial(
        Object.fromEntries(sets.RETENTION_KINDS.map((kind) => [kind, nullable(days)])) as Record<
          sets.RetentionKind,
          ReturnType<typeof nullable<typeof days>>
        >,
      ),
    }),
    reply: app.Account,
    writes: true,
  },
  showUsage: {
    ...plainGet,
    path: '/v1/accounts/:account_id/usage',
    summary: 'What an account uses of what it may; of open streams every process counts its own',
    role: 'admin',
    reply: list('usage', app.QuotaUsage),
  },
  editAccountSecurity: {
    ...patch,
    path: '/v1/accounts/:account_id/security',
    summary: 'Say from which addresses people and their tokens may come, and whether people need a second factor',
    role: 'owner',
    body: partial({
      /** Addresses and ranges; null or empty: any. */
      allowed_addresses: nullable(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 200 })),
      requires_second_factor: flag,
    }),
    reply: app.Account,
    writes: true,
  },
  /** Allowed on a read-only account: this is what reopens it. */
  editBilling: {
    ...patch,
    path: '/v1/accounts/:account_id/billing',
    summary: 'Record a payment method or choose a plan, by the manual billing provider',
    role: 'owner',
    body: partial({ payment_method: flag, plan: oneOf(sets.PLANS) }),
    reply: app.Account,
  },
  listAccountMembers: {
    ...plainGet,
    path: '/v1/accounts/:account_id/members',
    summary: 'The people of an account by name',
    role: 'member',
    reply: list('members', app.Member),
  },
  editAccountMember: {
    ...patch,
    path: '/v1/accounts/:account_id/members/:user_id',
    summary: 'Change a role; the last owner stays one, and only owners make owners',
    role: 'admin',
    body: object({ role: oneOf(sets.ACCOUNT_ROLES) }),
    reply: app.Done,
  },
  removeAccountMember: {
    ...remove,
    path: '/v1/accounts/:account_id/members/:user_id',
    summary: 'Take somebody out of an account; everybody may leave by themselves',
    role: 'guest',
    reply: app.Done,
  },
  listMadeTokens: {
    ...plainGet,
    path: '/v1/accounts/:account_id/made_tokens',
    summary:
      'Unreal Game Sync tokens and integrations created by one person, or by everybody who left the account: those people may still know the token',
    role: 'admin',
    query: { user_id: param.shortReference },
    reply: list('tokens', app.MadeToken),
  },
  listClaimedAccounts: {
    ...plainGet,
    path: '/v1/accounts/:account_id/connected_accounts',
    summary: 'Names elsewhere that members of an account claim and no owner has confirmed',
    role: 'admin',
    reply: list('connected_accounts', app.ClaimedAccount),
  },
  confirmClaimedAccount: {
    ...post,
    path: '/v1/accounts/:account_id/connected_accounts/:id/confirm',
    summary: 'Let a name elsewhere stand for a member: authors of changes are recognised by it',
    role: 'admin',
    reply: app.Done,
    writes: true,
  },
  listInvitations: {
    ...plainGet,
    path: '/v1/accounts/:account_id/invitations',
    summary: 'Invitations that wait',
    role: 'admin',
    reply: list('invitations', app.Invitation),
  },
  invite: {
    ...post,
    path: '/v1/accounts/:account_id/invitations',
    summary: 'Invite by e-mail; where no mail leaves, the link is answered, to be handed over',
    role: 'admin',
    body: object({
      email,
      role: oneOf(sets.ACCOUNT_ROLES),
      project_ids: Type.Optional(Type.Array(shortId, { maxItems: 100 })),
    }),
    reply: object({ ...app.Invitation.properties, url: nullable(Type.String()) }),
    created: 201,
    writes: true,
  },
  withdrawInvitation: {
    ...remove,
    path: '/v1/accounts/:account_id/invitations/:id',
    summary: 'Take an invitation back',
    role: 'admin',
    reply: app.Done,
  },
} as const
