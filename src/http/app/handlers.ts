import type { DeclaredName } from '../../contract/app/routes.ts'
import { insufficientRole, notFound } from '../../contract/errors.ts'
import type { RouteName } from '../../contract/routes.ts'
import { suffices } from '../../contract/sets.ts'
import type { Database } from '../../db/database.ts'
import * as assistants from '../../domain/access/assistants.ts'
import * as loginCodes from '../../domain/access/login-codes.ts'
import * as tokens from '../../domain/access/tokens.ts'
import * as accountSettings from '../../domain/accounts/account-settings.ts'
import * as accounts from '../../domain/accounts/accounts.ts'
import * as connectedAccounts from '../../domain/accounts/connected-accounts.ts'
import { matchPeople } from '../../domain/accounts/match-people.ts'
import { readPeopleList } from '../../domain/accounts/people-list.ts'
import * as quotas from '../../domain/accounts/quotas.ts'
import { preview } from '../../domain/assets/approval-rules.ts'
import { decideAll } from '../../domain/assets/decisions.ts'
import { undo } from '../../domain/assets/undo.ts'
import * as auditChain from '../../domain/audit/audit-chain.ts'
import * as audit from '../../domain/audit/audit-log.ts'
import { trends } from '../../domain/builds/trends.ts'
import { overview } from '../../domain/feed/overview.ts'
import * as measureBudgets from '../../domain/measures/budgets.ts'
import * as projectSettings from '../../domain/projects/project-settings.ts'
import { search } from '../../domain/search/palette.ts'
import * as auditStreams from '../../domain/sending/audit-streams.ts'
import { editSecurity } from '../../domain/sign-in/account-security.ts'
import * as invitations from '../../domain/sign-in/invitations.ts'
import * as profile from '../../domain/sign-in/profile.ts'
import * as sessions from '../../domain/sign-in/sessions.ts'
import { judgeAllVerdicts } from '../../domain/tests/gate.ts'
import * as madeTokens from '../../domain/ugs/made-tokens.ts'
import * as ugsTokens from '../../domain/ugs/tokens.ts'
import { readCheckouts } from '../../intake/checkouts/read-checkouts.ts'
import { askForPeople } from '../../intake/providers/people.ts'
import { decide, openRequest } from '../auth/assistant-request.ts'
import { headersOf } from '../auth/sign-in.ts'
import { searches } from '../limits/search-gate.ts'
import { done, type Handlers } from '../routes/call.ts'
import { idOf, shortIdOf } from '../routes/path-ids.ts'
import { buildHandlers, deploymentHandlers } from './builds.ts'
import { channelHandlers } from './channels.ts'
import { deletionHandlers } from './deletion.ts'
import { exportHandlers } from './exports.ts'
import { identityHandlers } from './identity.ts'
import { integrationHandlers } from './integrations.ts'
import { operatorHandlers } from './operator.ts'
import { ruleHandlers } from './rules.ts'
import { secondFactorHandlers } from './second-factors.ts'
import { signInHandlers } from './sign-in.ts'
import { taskHandlers } from './tasks.ts'
import { viewHandlers } from './views.ts'
import { webhookHandlers } from './webhooks.ts'

/** Handlers of the web app's routes, one line each; larger groups are in separate files. */
export const appHandlers: Handlers<Exclude<DeclaredName, RouteName>> = {
  ...integrationHandlers,
  ...webhookHandlers,
  ...taskHandlers,
  ...buildHandlers,
  ...deploymentHandlers,
  ...viewHandlers,
  ...channelHandlers,
  ...exportHandlers,
  ...deletionHandlers,
  ...ruleHandlers,
  ...operatorHandlers,
  ...identityHandlers,
  ...signInHandlers,
  ...secondFactorHandlers,
  async showMe({ db, caller, auth, request, setCookies, metering }) {
    // Regular visitors stay signed in: reading the session renews it and its cookie once a day.
    const { headers } = await (await auth()).api.getSession({ headers: headersOf(request), returnHeaders: true })
    setCookies(headers.getSetCookie())
    return { ...(await profile.show(db, caller)), metering }
  },
  editMe: async ({ db, caller, body, metering }) => ({ ...(await profile.edit(db, caller, body)), metering }),
  listPeople: async ({ db, caller }) => ({ people: await profile.people(db, caller.user_id, caller.blocked_account_ids) }),
  search: async ({ db, caller, query }) => ({
    hits: await searches.enter(caller.user_id, () =>
      search(db, caller.user_id, query.q ?? '', query.project_id, caller.blocked_account_ids),
    ),
  }),
  showOverview: ({ db, by, caller, site }) => overview(db, by, caller.user_id, site),
  showPlots: ({ db, by, query }) => trends(db, by, query.days_back),
  undoDecisions: ({ db, by, caller, body }) => undo(db, by, caller.user_id, body),
  listCheckouts: ({ db, vault, allowedHosts: allowed, log, by, path }) =>
    readCheckouts({ db, vault, allowed, log }, by, path.asset_id),
  decideAssets: ({ db, by, caller, body }) => decideAll(db, by, caller, body),
  async decideCommandLine({ db, caller, body: { allow, port, state, ...consent } }) {
    const issue = (db: Database) => loginCodes.issue(db, { user_id: caller.user_id, ...consent })
    const answer: Record<string, string> = allow
      ? { code: await sessions.granting(db, caller, null, issue), state }
      : { error: 'access_denied', state }
    return { redirect_to: `http://127.0.0.1:${port}/callback?${new URLSearchParams(answer)}` }
  },
  async showAssistantRequest({ db, vault, query }) {
    const { asked, assistant } = await openRequest(db, vault, query.request ?? '')
    return { client_name: assistant.name, host: assistants.listener(asked.redirect_uri), scopes: [...asked.scopes] }
  },
  decideAssistantRequest: ({ db, vault, caller, site, body }) => decide({ db, vault, site }, caller, body),

  listTokens: async ({ db, caller }) => ({
    tokens: (await tokens.listOwn(db, caller)).map(({ user_id, ...token }) => token),
  }),
  async createToken({ db, caller, body: { name, scopes, expires_in_days, account_id = null, project_ids = null }, site }) {
    const expires_at = expires_in_days ? new Date(Date.now() + expires_in_days * 86_400_000).toISOString() : null
    const { user_id, ...token } = await sessions.granting(db, caller, account_id ?? caller.only_account_id, (db) =>
      tokens.createByOwner(db, caller, { name: name.trim(), scopes, expires_at, account_id, project_ids }, site),
    )
    return token
  },
  revokeToken: async ({ db, caller, path }) => {
    await tokens.revokeOwn(db, caller, shortIdOf(path.id, 'Token'))
    return done
  },
  listAccountTokens: async ({ db, account_id }) => ({ tokens: await tokens.listOfAccount(db, account_id) }),
  revokeAccountToken: async ({ db, account_id, path }) => {
    await tokens.revokeFromAccount(db, account_id, shortIdOf(path.id, 'Token'))
    return done
  },
  listSessions: async ({ db, caller }) => ({ sessions: await sessions.list(db, caller.user_id, caller.session_id) }),
  endSession: async ({ db, caller, path }) => {
    await sessions.end(db, caller.user_id, shortIdOf(path.id, 'Session'))
    return done
  },
  endOtherSessions: async ({ db, caller }) => {
    await sessions.endOthers(db, caller.user_id, caller.session_id)
    return done
  },
  listConnectedAccounts: async ({ db, caller }) => ({ connected_accounts: await connectedAccounts.list(db, caller.user_id) }),
  addConnectedAccount: ({ db, caller, body }) => connectedAccounts.claim(db, caller.user_id, body.provider, body.uid),
  removeConnectedAccount: async ({ db, caller, path }) => {
    await connectedAccounts.remove(db, caller.user_id, shortIdOf(path.id, 'Connected account'))
    return done
  },

  listAuditLog: ({ db, vault, account_id, query }) => audit.list(db, vault, account_id, query),
  verifyAuditLog: ({ db, vault, account_id }) => auditChain.verify(db, vault, account_id),
  showAuditStream: async ({ db, vault, account_id }) => ({ stream: await auditStreams.find(db, vault, account_id) }),
  setAuditStream: async ({ db, vault, account_id, body }) => {
    await auditStreams.set(db, vault, account_id, body)
    return { stream: await auditStreams.find(db, vault, account_id) }
  },
  removeAuditStream: async ({ db, account_id }) => {
    await auditStreams.remove(db, account_id)
    return done
  },
  showAccount: ({ db, account_id, retention }) => accountSettings.show(db, account_id, retention),
  editAccount: ({ db, account_id, body, retention }) => accountSettings.edit(db, account_id, body, retention),
  async showUsage({ db, account_id, quotas: service, retention, intakeQuota }) {
    await intakeQuota.flush(db)
    return { usage: await quotas.usage(db, service, account_id, retention.bodies) }
  },
  editAccountSecurity: async ({ db, account_id, caller, body, retention }) => {
    await editSecurity(db, account_id, caller, body)
    return accountSettings.show(db, account_id, retention)
  },
  async editBilling({ db, account_id, body, retention, metering }) {
    // Without metering the operator sets plans: an owner who chose a smaller one would only lose the feed.
    if (!metering) throw notFound('Page')
    await accounts.edit(db, account_id, body)
    return accountSettings.show(db, account_id, retention)
  },
  listAccountMembers: async ({ db, account_id, caller }) => ({
    members: await accountSettings.members(db, account_id, suffices(caller.account_role, 'admin')),
  }),
  editAccountMember: async ({ db, account_id, path, body, caller }) => {
    await accountSettings.setRole(db, account_id, shortIdOf(path.user_id, 'Member'), body.role, caller.account_role!)
    return done
  },
  removeAccountMember: async ({ db, account_id, path, caller }) => {
    const id = shortIdOf(path.user_id, 'Member')
    if (id !== caller.user_id && !suffices(caller.account_role, 'admin')) throw insufficientRole('admin')
    await accountSettings.remove(db, account_id, id, id === caller.user_id ? 'owner' : caller.account_role!)
    return done
  },
  listMadeTokens: async ({ db, account_id, query }) => ({ tokens: await madeTokens.list(db, account_id, query.user_id) }),
  listMemberNames: async ({ db, account_id }) => ({ connected_accounts: await connectedAccounts.ofMembers(db, account_id) }),
  confirmMemberNames: async ({ db, account_id, caller, body }) => {
    await connectedAccounts.confirm(db, account_id, body.ids, caller.user_id)
    return done
  },
  rejectMemberNames: async ({ db, account_id, caller, body }) => {
    await connectedAccounts.reject(db, account_id, body.ids, caller.user_id)
    return done
  },
  async matchMemberNames({ db, vault, allowedHosts: allowed, slackApi, account_id, body: { provider, list }, caller }) {
    const listed =
      list === undefined ? await askForPeople({ db, vault, allowed, slackApi }, account_id, provider) : readPeopleList(list)
    const matched = await matchPeople(db, account_id, provider, listed, { isTrusted: true })
    return caller.token_id === null ? matched : { ...matched, unknown_names: [] }
  },
  listInvitations: async ({ db, account_id }) => ({ invitations: await invitations.list(db, account_id) }),
  invite: async ({ db, account_id, caller, body, site, mailing, quotas: service }) => {
    accountSettings.refuseAboveOwn(caller.account_role!, body.role)
    await quotas.refuseIfFull(db, service, account_id, 'invitations')
    const { url, ...made } = await invitations.create(db, { account_id, invited_by: caller.user_id, ...body }, site)
    // Following the link verifies the address, so only its mailbox gets it if mail is configured.
    return { ...made, url: mailing ? null : url }
  },
  withdrawInvitation: async ({ db, account_id, path }) => {
    await invitations.withdraw(db, account_id, shortIdOf(path.id, 'Invitation'))
    return done
  },
  createProject: ({ db, account_id, caller, body }) => projectSettings.create(db, account_id, caller.user_id, body),

  showProjectSettings: ({ db, project_id }) => projectSettings.show(db, project_id),
  async editProject({ db, by, project_id, body }) {
    const settings = await projectSettings.edit(db, project_id, body)
    if (body.test_gate) await judgeAllVerdicts(db, by)
    return settings
  },
  async setApprovalRules({ db, project_id, body }) {
    const { approval_rules } = await projectSettings.edit(db, project_id, body)
    return { approval_rules }
  },
  setMeasureBudgets: ({ db, by, body }) => measureBudgets.set(db, by, body.budgets),
  previewApprovalRules: ({ db, by, body }) => preview(db, by, body.approval_rules),
  listProjectPeople: async ({ db, account_id, project_id, caller }) => ({
    members: await projectSettings.people(db, { account_id, project_id }, suffices(caller.account_role, 'admin')),
  }),
  listAssignees: async ({ db, account_id, project_id, caller }) => ({
    people: await projectSettings.assignees(db, { account_id, project_id }, suffices(caller.account_role, 'member')),
  }),
  setProjectMember: async ({ db, account_id, project_id, caller, path, body }) => {
    const user_id = shortIdOf(path.user_id, 'Member')
    // Otherwise a guest who leads a project would learn the name of everybody they add to it.
    if (!suffices(caller.account_role, 'member') && !(await profile.knows(db, caller.user_id, user_id))) throw notFound('Member')
    await projectSettings.setMember(db, { account_id, project_id }, user_id, body.project_role)
    return done
  },
  removeProjectMember: async ({ db, account_id, project_id, path }) => {
    await projectSettings.removeMember(db, { account_id, project_id }, shortIdOf(path.user_id, 'Member'))
    return done
  },
  listUgsTokens: async ({ db, project_id }) => ({ ugs_tokens: await ugsTokens.list(db, project_id) }),
  createUgsToken: ({ db, caller, project_id, body }) =>
    sessions.granting(db, caller, caller.account_id, (db) => ugsTokens.create(db, project_id, body.name.trim(), caller.user_id)),
  revokeUgsToken: async ({ db, account_id, project_id, path }) => {
    await ugsTokens.revoke(db, idOf(path.id, 'Token'), { account_id, project_id })
    return done
  },
}
