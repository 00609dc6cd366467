import { Type } from 'typebox'
import { flag, list, nullable, object, oneOf } from '../fields.ts'
import * as sets from '../sets.ts'
import * as app from './shapes.ts'

/** The settings of a person, an account and a project; a part of the table in `app-routes.ts`. */

const name = Type.String({ minLength: 1, maxLength: 120, pattern: '\\S' })
const email = Type.String({ minLength: 3, maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' })
const none = {}

const mine = { who: 'member', query: none } as const
const accountOwner = { who: 'owner', query: none } as const
const projectOwner = { who: 'owner', query: none } as const

export const settingsRoutes = {
  listTokens: {
    method: 'GET',
    path: '/v1/me/tokens',
    summary: 'API tokens of the caller, newest first',
    ...mine,
    reply: list('tokens', app.Token),
  },
  createToken: {
    method: 'POST',
    path: '/v1/me/tokens',
    summary: 'Make an API token; its value is answered once',
    ...mine,
    body: object({
      name,
      scopes: Type.Array(oneOf(sets.SCOPES), { maxItems: 20 }),
      expires_in_days: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 3650 }))),
    }),
    reply: object({ ...app.Token.properties, token: Type.String() }),
    created: 201,
  },
  revokeToken: { method: 'DELETE', path: '/v1/me/tokens/:id', summary: 'Make a token invalid at once', ...mine, reply: app.Done },
  listSessions: {
    method: 'GET',
    path: '/v1/me/sessions',
    summary: 'Browsers that are signed in',
    ...mine,
    reply: list('sessions', app.Session),
  },
  endSession: { method: 'DELETE', path: '/v1/me/sessions/:id', summary: 'Sign a browser out', ...mine, reply: app.Done },
  endOtherSessions: {
    method: 'DELETE',
    path: '/v1/me/sessions',
    summary: 'Sign out everywhere but here',
    ...mine,
    reply: app.Done,
  },
  listConnectedAccounts: {
    method: 'GET',
    path: '/v1/me/connected_accounts',
    summary: 'What the caller is called elsewhere',
    ...mine,
    reply: list('connected_accounts', app.ConnectedAccount),
  },
  addConnectedAccount: {
    method: 'POST',
    path: '/v1/me/connected_accounts',
    summary: 'Tell what the caller is called elsewhere: authors of changes are recognised by it',
    ...mine,
    body: object({ provider: Type.String({ pattern: '^[a-z0-9_-]{1,40}$' }), uid: name }),
    reply: app.ConnectedAccount,
    created: 201,
  },
  removeConnectedAccount: {
    method: 'DELETE',
    path: '/v1/me/connected_accounts/:id',
    summary: 'Forget a name',
    ...mine,
    reply: app.Done,
  },

  showAccount: {
    method: 'GET',
    path: '/v1/accounts/:account_id',
    summary: 'An account with its use',
    ...mine,
    reply: app.Account,
  },
  editAccount: {
    method: 'PATCH',
    path: '/v1/accounts/:account_id',
    summary: 'Change the name or the timezone',
    ...accountOwner,
    body: Type.Partial(object({ name, timezone: Type.String({ maxLength: 60 }) })),
    reply: app.Account,
    writes: true,
  },
  /** Not refused on a read-only account: this is what opens it again. */
  editBilling: {
    method: 'PATCH',
    path: '/v1/accounts/:account_id/billing',
    summary: 'Record a payment method or choose a plan, by the manual billing provider',
    ...accountOwner,
    body: Type.Partial(object({ payment_method: flag, plan: oneOf(sets.PLANS) })),
    reply: app.Account,
  },
  listAccountMembers: {
    method: 'GET',
    path: '/v1/accounts/:account_id/members',
    summary: 'The people of an account by name',
    ...mine,
    reply: list('members', app.Member),
  },
  editAccountMember: {
    method: 'PATCH',
    path: '/v1/accounts/:account_id/members/:user_id',
    summary: 'Change a role; the last owner stays one',
    ...accountOwner,
    body: object({ role: oneOf(sets.ROLES) }),
    reply: app.Done,
  },
  removeAccountMember: {
    method: 'DELETE',
    path: '/v1/accounts/:account_id/members/:user_id',
    summary: 'Take somebody out of an account; members may leave by themselves',
    ...mine,
    reply: app.Done,
  },
  listClaimedAccounts: {
    method: 'GET',
    path: '/v1/accounts/:account_id/connected_accounts',
    summary: 'Names elsewhere that members of an account claim and no owner has confirmed',
    ...accountOwner,
    reply: list('connected_accounts', app.ClaimedAccount),
  },
  confirmClaimedAccount: {
    method: 'POST',
    path: '/v1/accounts/:account_id/connected_accounts/:id/confirm',
    summary: 'Let a name elsewhere stand for a member: authors of changes are recognised by it',
    ...accountOwner,
    reply: app.Done,
    writes: true,
  },
  listInvitations: {
    method: 'GET',
    path: '/v1/accounts/:account_id/invitations',
    summary: 'Invitations that wait',
    ...accountOwner,
    reply: list('invitations', app.Invitation),
  },
  invite: {
    method: 'POST',
    path: '/v1/accounts/:account_id/invitations',
    summary: 'Invite by e-mail; where no mail leaves, the link is answered, to be handed over',
    ...accountOwner,
    body: object({ email, role: oneOf(sets.ROLES) }),
    reply: object({ ...app.Invitation.properties, url: nullable(Type.String()) }),
    created: 201,
    writes: true,
  },
  withdrawInvitation: {
    method: 'DELETE',
    path: '/v1/accounts/:account_id/invitations/:id',
    summary: 'Take an invitation back',
    ...accountOwner,
    reply: app.Done,
  },
  createProject: {
    method: 'POST',
    path: '/v1/accounts/:account_id/projects',
    summary: 'Make a project; its maker owns it',
    ...mine,
    body: object({ name, engine: Type.String({ maxLength: 60 }) }),
    reply: app.ProjectSettings,
    created: 201,
    writes: true,
  },

  showProjectSettings: {
    method: 'GET',
    path: '/v1/projects/:project_id/settings',
    summary: 'What a project is set to',
    ...mine,
    reply: app.ProjectSettings,
  },
  editProject: {
    method: 'PATCH',
    path: '/v1/projects/:project_id/settings',
    summary: 'Rename, pause, archive, or choose what needs an approval',
    ...projectOwner,
    body: Type.Partial(
      object({
        name,
        engine: Type.String({ maxLength: 60 }),
        status: oneOf(sets.PROJECT_STATUSES),
        approval_types: nullable(Type.Array(oneOf(sets.ASSET_TYPES), { maxItems: 20 })),
      }),
    ),
    reply: app.ProjectSettings,
    writes: true,
  },
  listProjectPeople: {
    method: 'GET',
    path: '/v1/projects/:project_id/people',
    summary: 'The members of a project by name',
    ...mine,
    reply: list('members', app.Member),
  },
  setProjectMember: {
    method: 'PUT',
    path: '/v1/projects/:project_id/people/:user_id',
    summary: 'List somebody of the account as a member or an owner',
    ...projectOwner,
    body: object({ role: oneOf(sets.ROLES) }),
    reply: app.Done,
    writes: true,
  },
  removeProjectMember: {
    method: 'DELETE',
    path: '/v1/projects/:project_id/people/:user_id',
    summary: 'Take somebody off the list',
    ...projectOwner,
    reply: app.Done,
    writes: true,
  },
} as const
