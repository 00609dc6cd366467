import { Type } from 'typebox'
import { email, flag, integer, list, name, nullable, object, oneOf, partial, shortId, text } from '../fields.ts'
import { BULK_MAX, DAYS_MAX, KEPT_BUILDS_MAX, PEOPLE_LIST_MAX, SHARE_DAYS_MAX, TIMEZONE_MAX } from '../limits.ts'
import * as param from '../params.ts'
import { patch, plainGet, post, remove } from '../routes/route.ts'
import * as sets from '../sets.ts'
import * as app from './shapes.ts'

/** The settings of a person and of an account; a part of the table in `routes.ts`. */

const days = Type.Integer({ minimum: 1, maximum: DAYS_MAX })

const toolName = Type.String({ pattern: '^[a-z0-9_-]{1,40}$' })
const nameIds = Type.Array(shortId, { minItems: 1, maxItems: BULK_MAX })

const ofTokens = { scope: 'admin:tokens' } as const

/** Members by user id, without their names. */
const names = { role: 'admin', scope: 'admin:integrations' } as const

export const settingsRoutes = {
  listTokens: {
    ...plainGet,
    path: '/v1/me/tokens',
    summary: 'List your API tokens, newest first',
    ...ofTokens,
    reply: list('tokens', app.Token),
  },
  createToken: {
    ...post,
    path: '/v1/me/tokens',
    summary: 'Create an API token; returns its value once',
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
    summary: 'Revoke an API token immediately',
    ...ofTokens,
    reply: app.Done,
  },
  listAccountTokens: {
    ...plainGet,
    path: '/v1/accounts/:account_id/tokens',
    summary: 'List all API tokens that can access an account, newest first',
    role: 'admin',
    reply: list('tokens', app.AccountToken),
  },
  revokeAccountToken: {
    ...remove,
    path: '/v1/accounts/:account_id/tokens/:id',
    summary: 'Revoke a token of a member; a token for several accounts only loses access to this one',
    role: 'admin',
    reply: app.Done,
  },
  listSessions: {
    ...plainGet,
    path: '/v1/me/sessions',
    summary: 'List your sessions',
    reply: list('sessions', app.Session),
  },
  endSession: { ...remove, path: '/v1/me/sessions/:id', summary: 'End a session', reply: app.Done },
  endOtherSessions: {
    ...remove,
    path: '/v1/me/sessions',
    summary: 'End all other sessions',
    reply: app.Done,
  },
  listConnectedAccounts: {
    ...plainGet,
    path: '/v1/me/connected_accounts',
    summary: 'List your user names in connected tools',
    reply: list('connected_accounts', app.ConnectedAccount),
  },
  addConnectedAccount: {
    ...post,
    path: '/v1/me/connected_accounts',
    summary: 'Add your user name in a connected tool, to match authors of changes',
    body: object({ provider: toolName, uid: name }),
    reply: app.ConnectedAccount,
    created: 201,
  },
  removeConnectedAccount: {
    ...remove,
    path: '/v1/me/connected_accounts/:id',
    summary: 'Delete a user name',
    reply: app.Done,
  },

  showAccount: {
    ...plainGet,
    path: '/v1/accounts/:account_id',
    summary: 'Show an account with its usage',
    role: 'member',
    reply: app.Account,
  },
  editAccount: {
    ...patch,
    path: '/v1/accounts/:account_id',
    summary:
      'Change the settings of an account: name, time zone, project visibility, language model, maximum token age, data retention',
    role: 'admin',
    body: partial({
      name,
      timezone: Type.String({ maxLength: TIMEZONE_MAX }),
      members_see_projects: flag,
      uses_language_model: flag,
      token_days_max: nullable(days),
      /** Missing kinds stay unchanged; null: the service's retention. */
      retention: partial({
        ...(Object.fromEntries(sets.RETENTION_KINDS.map((kind) => [kind, nullable(days)])) as Record<
          sets.RetentionKind,
          ReturnType<typeof nullable<typeof days>>
        >),
        artifact_builds: nullable(Type.Integer({ minimum: 1, maximum: KEPT_BUILDS_MAX })),
      }),
    }),
    reply: app.Account,
    writes: true,
  },
  showUsage: {
    ...plainGet,
    path: '/v1/accounts/:account_id/usage',
    summary: 'Show the usage and quotas of an account; event streams are counted per process',
    role: 'admin',
    reply: list('usage', app.QuotaUsage),
  },
  editAccountSecurity: {
    ...patch,
    path: '/v1/accounts/:account_id/security',
    summary: 'Set the allowed IP ranges, whether members need a second factor, and who may share artifacts',
    role: 'owner',
    body: partial({
      /** Addresses and ranges; null or empty: any. */
      allowed_addresses: nullable(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 200 })),
      requires_second_factor: flag,
      share_policy: oneOf(sets.SHARE_POLICIES),
      share_days_max: Type.Integer({ minimum: 1, maximum: SHARE_DAYS_MAX }),
      share_anywhere: flag,
    }),
    reply: app.Account,
    writes: true,
  },
  /** Allowed on a read-only account: this is what reopens it. */
  editBilling: {
    ...patch,
    path: '/v1/accounts/:account_id/billing',
    summary: 'Record a payment method or choose a plan (manual billing)',
    role: 'owner',
    body: partial({ payment_method: flag, plan: oneOf(sets.PLANS) }),
    reply: app.Account,
  },
  listAccountMembers: {
    ...plainGet,
    path: '/v1/accounts/:account_id/members',
    summary: 'List the people of an account with names',
    role: 'member',
    reply: list('members', app.Member),
  },
  editAccountMember: {
    ...patch,
    path: '/v1/accounts/:account_id/members/:user_id',
    summary: 'Change a role; only owners can add owners, and the last owner stays',
    role: 'admin',
    body: object({ role: oneOf(sets.ACCOUNT_ROLES) }),
    reply: app.Done,
  },
  removeAccountMember: {
    ...remove,
    path: '/v1/accounts/:account_id/members/:user_id',
    summary: 'Remove a person from an account, or leave it',
    role: 'guest',
    reply: app.Done,
  },
  listMadeTokens: {
    ...plainGet,
    path: '/v1/accounts/:account_id/made_tokens',
    summary:
      'List Unreal Game Sync tokens and integrations created by a person or by former members, who may still know the token',
    role: 'admin',
    query: { user_id: param.shortReference },
    reply: list('tokens', app.MadeToken),
  },
  listMemberNames: {
    ...plainGet,
    path: '/v1/accounts/:account_id/connected_accounts',
    summary: 'List the user names of members in tools, how each was found and who confirmed it',
    ...names,
    reply: list('connected_accounts', app.MemberName),
  },
  confirmMemberNames: {
    ...post,
    path: '/v1/accounts/:account_id/connected_accounts/confirm',
    summary: 'Confirm user names of members in tools, to match authors of changes',
    ...names,
    body: object({ ids: nameIds }),
    reply: app.Done,
    writes: true,
  },
  rejectMemberNames: {
    ...post,
    path: '/v1/accounts/:account_id/connected_accounts/reject',
    summary: 'Reject user names of members in tools, or take back their confirmation',
    ...names,
    body: object({ ids: nameIds }),
    reply: app.Done,
    writes: true,
  },
  matchMemberNames: {
    ...post,
    path: '/v1/accounts/:account_id/connected_accounts/match',
    summary: 'Match a tool’s list of its users with the members of an account; without a list the tool’s servers are asked',
    ...names,
    body: object({ provider: toolName, list: Type.Optional(Type.String({ minLength: 1, maxLength: PEOPLE_LIST_MAX })) }),
    /** `unknown_names` is empty for tokens. */
    reply: object({ connected: integer, proposed: integer, known: integer, unknown: integer, unknown_names: Type.Array(text) }),
    writes: true,
    detached: true,
  },
  listInvitations: {
    ...plainGet,
    path: '/v1/accounts/:account_id/invitations',
    summary: 'List pending invitations',
    role: 'admin',
    reply: list('invitations', app.Invitation),
  },
  invite: {
    ...post,
    path: '/v1/accounts/:account_id/invitations',
    summary: 'Invite a person by email; returns the link if the service cannot send email',
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
    summary: 'Revoke an invitation',
    role: 'admin',
    reply: app.Done,
  },
} as const
