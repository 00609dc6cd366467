import { labelOf } from '../../../contract/labels.ts'
import { countOf } from '../../ui/text/count.ts'

/** Names of people, projects and tools for readers of the log. */
export interface AuditNames {
  user(id: number): string
  project(id: number): string
  provider(name: string): string
}

export type Fields = Record<string, unknown>

/** The parts of an entry for its sentence. */
interface Facts {
  names: AuditNames
  /** The id in the subject: `7` of `member/7`. */
  id: string
  /** The person in the subject, if it is one. */
  person: string
  isSelf: boolean
  /** ` in Starfall`, or nothing. */
  inProject: string
  project: string
  before: Fields
  after: Fields
  isNew: boolean
  /** `role from Member to Admin, status from Active to Paused`; empty if nothing changed. */
  changes: string
}

/** The label is the action's name in the filter; the sentence follows the actor's name. */
type Action = [label: string, says: (facts: Facts) => string]

const edited = (thing: string) => (facts: Facts) => `changed ${thing}${facts.changes && `: ${facts.changes}`}`

const METHODS: Record<string, string> = {
  password: 'a password',
  second_factor: 'a password and a code',
  passkey: 'a passkey',
  sso: 'single sign-on',
}

const roleChange = ({ person, before, after, changes }: Facts, where: string) => {
  if (after.role === undefined && before.role !== undefined) return `removed ${person} from ${where}`
  if (before.role === undefined && after.role)
    return `added ${person} to ${where} as ${labelOf('account_role', String(after.role))}`
  return changes ? `changed ${person}’s ${changes}` : `updated ${person}`
}

const BREAKAGE: Record<string, string> = { claimed: 'claimed', muted: 'muted', fixed: 'resolved' }

const breakageEdit = ({ id, before, after, changes, names }: Facts) => {
  const thing = `breakage #${id}`
  if (after.state === 'open')
    return `${before.state === 'fixed' ? 'reopened' : before.state === 'muted' ? 'unmuted' : 'released'} ${thing}`
  const owner = typeof after.owner_user_id === 'number' ? ` for ${names.user(after.owner_user_id)}` : ''
  if (after.state !== undefined)
    return `${BREAKAGE[String(after.state)] ?? 'changed'} ${thing}${after.state === 'claimed' ? owner : ''}`
  return changes ? `changed ${thing}: ${changes}` : `added a note to ${thing}`
}

const DONE: Record<string, string> = { approved: 'approved', denied: 'denied', ignored: 'ignored' }
const several = (noun: string) => (facts: Facts) => countOf(Array.isArray(facts.after.ids) ? facts.after.ids.length : 0, noun)
/** `2 assets`, `the level Maps/L_City`, or both. */
const assetsAndLevels = (facts: Facts) => {
  const { ids, levels } = facts.after
  if (!Array.isArray(levels)) return several('asset')(facts)
  const named = levels.length === 1 ? `the level ${levels[0]}` : `${levels.length} levels (${levels.join(', ')})`
  return Array.isArray(ids) && ids.length > 0 ? `${several('asset')(facts)} and ${named}` : named
}

const integration = ({ names, before, after, inProject }: Facts) =>
  `${typeof (after.provider ?? before.provider) === 'string' ? names.provider(String(after.provider ?? before.provider)) : 'an integration'}${inProject}`
const channel = ({ before, after }: Facts) => `a chat channel${roomOf(after.room ?? before.room)}`
const roomOf = (room: unknown) => (typeof room === 'string' && room !== '' ? ` (${room})` : '')
const webhook = ({ before, after }: Facts) => `an outbound webhook${hostOf(after.host ?? before.host)}`
const hostOf = (host: unknown) => (typeof host === 'string' ? ` to ${host}` : '')
const token = ({ before, after }: Facts) => {
  const prefix = after.prefix ?? before.prefix
  return `token${typeof prefix === 'string' ? ` ${prefix}…` : ''}`
}
const switched = ({ after }: Facts, thing: string) =>
  after.active === true ? `enabled ${thing}` : after.active === false ? `disabled ${thing}` : undefined
const paused = ({ after, changes }: Facts, thing: string) =>
  after.status === 'paused'
    ? `paused ${thing}`
    : after.status === 'active'
      ? `resumed ${thing}`
      : `changed ${thing}${changes && `: ${changes}`}`

export const AUDIT_ACTIONS: Record<string, Action> = {
  createTask: ['Create a task', ({ id }) => `created task #${id}`],
  editTask: ['Change a task', (facts) => edited(`task #${facts.id}`)(facts)],
  reviseTask: ['Edit the text of a task', ({ id }) => `edited the text of task #${id}`],
  editTasks: ['Change several tasks', (facts) => `changed ${several('task')(facts)}`],
  deleteTasks: ['Delete tasks', (facts) => `deleted ${several('task')(facts)}`],
  restoreTasks: ['Restore tasks', (facts) => `restored ${several('task')(facts)}`],
  investigateBuild: ['Investigate a build', ({ inProject }) => `investigated a build${inProject}`],
  actOnBuild: ['Retry, stop or start a build', ({ after, inProject }) => `asked the CI to ${after.ids} a build${inProject}`],
  createShareLink: ['Create a share link', ({ inProject }) => `shared an artifact of a build${inProject}`],
  revokeShareLink: ['Revoke a share link', ({ inProject }) => `revoked a share link of an artifact${inProject}`],
  correctBuild: ['Correct a finding', ({ inProject }) => `corrected why a build failed${inProject}`],
  undoCorrection: ['Undo a correction', ({ inProject }) => `undid a correction${inProject}`],
  editDeployment: ['Change a deployment', (facts) => edited(`a deployment${facts.inProject}`)(facts)],
  decideAsset: [
    'Decide an asset',
    ({ after, inProject }) => `${DONE[String(after.approval_status)] ?? 'decided'} an asset${inProject}`,
  ],
  decideAssets: [
    'Decide several assets',
    (facts) => `${DONE[String(facts.after.status)] ?? 'decided'} ${assetsAndLevels(facts)}`,
  ],
  undoDecisions: ['Undo decisions', (facts) => `undid the decision about ${assetsAndLevels(facts)}`],
  markBranchGood: ['Mark a branch as good', ({ inProject }) => `marked a branch as good${inProject}`],
  muteAgent: [
    'Mute an agent',
    ({ after, inProject }) => `${after.muted === false ? 'unmuted' : 'muted'} the agent ${after.ids}${inProject}`,
  ],
  createComment: ['Comment on a record', ({ inProject }) => `commented on a record${inProject}`],
  createTaskComment: ['Comment on a task', ({ inProject }) => `commented on a task${inProject}`],
  createBuildComment: ['Comment on a build', ({ inProject }) => `commented on a build${inProject}`],
  createBreakageComment: ['Comment on a breakage', ({ inProject }) => `commented on a breakage${inProject}`],
  createChangeComment: ['Comment on a change', ({ inProject }) => `commented on a change${inProject}`],
  createAssetComment: ['Comment on an asset', ({ inProject }) => `commented on an asset${inProject}`],
  createDeploymentComment: ['Comment on a deployment', ({ inProject }) => `commented on a deployment${inProject}`],
  editComment: ['Edit a comment', ({ id, inProject }) => `edited comment #${id}${inProject}`],
  deleteComment: ['Delete a comment', ({ id, inProject }) => `deleted comment #${id}${inProject}`],
  resolveComment: [
    'Resolve a comment',
    ({ id, after, inProject }) =>
      `${after.resolved_at === null ? 'opened' : 'resolved'} comment #${id}${after.resolved_at === null ? ' again' : ''}${inProject}`,
  ],
  uploadPreview: ['Upload a preview', ({ id, inProject }) => `uploaded a preview of asset ${id}${inProject}`],
  attachToComment: ['Attach a file to a comment', ({ id, inProject }) => `attached a file to comment #${id}${inProject}`],
  editBreakage: ['Change a breakage', breakageEdit],
  editTest: [
    'Quarantine or release a test',
    ({ id, after, inProject }) => `${after.until === undefined ? 'released' : 'quarantined'} test #${id}${inProject}`,
  ],
  startBisection: ['Start a bisection', ({ inProject }) => `started a bisection${inProject}`],
  cancelBisection: ['Cancel a bisection', ({ inProject }) => `canceled a bisection${inProject}`],
  createBreakageTask: ['Create a task for a breakage', ({ inProject }) => `created a task for a breakage${inProject}`],
  acceptInvitation: ['Accept an invitation', () => 'joined the account'],
  joinByInvitation: [
    'Sign up with an invitation',
    ({ after }) => `signed up and joined the account${after.role ? ` as ${labelOf('account_role', String(after.role))}` : ''}`,
  ],
  changePassword: ['Change the password', () => 'changed their password'],
  completePasswordReset: ['Reset the password', () => 'reset their password'],
  confirmTwoFactor: ['Turn on an authenticator app', () => 'turned on an authenticator app'],
  removeTwoFactor: ['Remove the authenticator app', () => 'removed their authenticator app'],
  addPasskey: ['Add a passkey', () => 'added a passkey'],
  removePasskey: ['Remove a passkey', () => 'removed a passkey'],
  setSingleSignOn: [
    'Change single sign-on',
    (facts) => (facts.isNew ? 'set up single sign-on' : edited('single sign-on')(facts)),
  ],
  removeSingleSignOn: ['Remove single sign-on', () => 'removed single sign-on'],
  createChannel: ['Create a chat channel', (facts) => `created ${channel(facts)}`],
  editChannel: ['Change a chat channel', (facts) => paused(facts, channel(facts))],
  removeChannel: ['Remove a chat channel', (facts) => `removed ${channel(facts)}`],
  testChannel: ['Test a chat channel', () => 'sent a test message to a chat channel'],
  replayChannelMessage: ['Send a chat message again', () => 'sent a chat message again'],
  switchOffChannel: ['Disable a failing chat channel', () => 'disabled a chat channel, because messages can’t be posted there'],
  setAuditStream: [
    'Change audit log streaming',
    ({ after, isNew }) => `${isNew ? 'set up' : 'changed'} audit log streaming${after.address ? ` to ${after.address}` : ''}`,
  ],
  removeAuditStream: ['Stop audit log streaming', () => 'stopped audit log streaming'],
  exportAccount: ['Export the account', ({ after }) => `exported the account${after.secrets === true ? ' with secrets' : ''}`],
  exportProject: [
    'Export a project',
    ({ project, after }) => `exported ${project}${after.secrets === true ? ' with secrets' : ''}`,
  ],
  deleteAccount: ['Delete the account', () => 'deleted the account'],
  deleteProject: [
    'Delete a project',
    ({ before, project }) => `deleted ${typeof before.name === 'string' ? before.name : project}`,
  ],
  deleteMe: ['Delete one’s user', () => 'deleted their user'],
  editMe: ['Change the profile', () => 'changed their profile'],
  decideCommandLine: ['Answer a command line login', () => 'answered a login request of the command line'],
  decideAssistantRequest: ['Answer an assistant login', () => 'answered a login request of an assistant'],
  exchangeLoginCode: [
    'Log in a command line or assistant',
    ({ after }) => `logged in ${after.created_via === 'mcp' ? 'an assistant' : 'the command line'}`,
  ],
  createToken: ['Create an API token', (facts) => `created API ${token(facts)}`],
  revokeToken: ['Revoke an API token', (facts) => `revoked API ${token(facts)}`],
  revokeAccountToken: ['Revoke another person’s API token', (facts) => `revoked API ${token(facts)}`],
  createUgsToken: ['Create an Unreal Game Sync token', (facts) => `created Unreal Game Sync ${token(facts)}${facts.inProject}`],
  revokeUgsToken: ['Revoke an Unreal Game Sync token', (facts) => `revoked Unreal Game Sync ${token(facts)}${facts.inProject}`],
  endSession: ['Sign out a browser', () => 'signed out one of their browsers'],
  endOtherSessions: ['Sign out everywhere else', () => 'signed out everywhere else'],
  addConnectedAccount: ['Add a name in another tool', () => 'added a name in another tool'],
  removeConnectedAccount: ['Remove a name in another tool', () => 'removed a name in another tool'],
  confirmMemberNames: ['Confirm names in other tools', () => 'confirmed names of members in other tools'],
  rejectMemberNames: ['Reject names in other tools', () => 'rejected names of members in other tools'],
  matchMemberNames: ['Match a list of users', () => 'matched a tool’s list of users with members'],
  editAccount: ['Change account settings', edited('the account settings')],
  editAccountSecurity: ['Change security settings', edited('the security settings')],
  editBilling: ['Change billing', edited('billing')],
  editAccountMember: ['Change a role', (facts) => roleChange(facts, 'the account')],
  removeAccountMember: [
    'Remove a member',
    ({ isSelf, person }) => (isSelf ? 'left the account' : `removed ${person} from the account`),
  ],
  invite: [
    'Invite a person',
    ({ after }) => `invited a person${after.role ? ` as ${labelOf('account_role', String(after.role))}` : ''}`,
  ],
  withdrawInvitation: ['Withdraw an invitation', () => 'withdrew an invitation'],
  createProject: [
    'Create a project',
    ({ after, project }) => `created the project ${typeof after.name === 'string' ? after.name : project}`,
  ],
  editProject: ['Change project settings', (facts) => edited(`the settings of ${facts.project}`)(facts)],
  setMeasureBudgets: ['Change budgets of measures', ({ project }) => `changed the budgets of ${project}`],
  setApprovalRules: ['Change approval rules', ({ project }) => `changed the approval rules of ${project}`],
  setProjectMember: [
    'Add a project member or change their role',
    ({ isNew, person, project, after, changes }) =>
      isNew
        ? `added ${person} to ${project}${after.project_role ? ` as ${labelOf('project_role', String(after.project_role))}` : ''}`
        : `changed ${person}’s ${changes || 'role'} in ${project}`,
  ],
  removeProjectMember: ['Remove a project member', ({ person, project }) => `removed ${person} from ${project}`],
  createIntegration: ['Connect a tool', (facts) => `connected ${integration(facts)}`],
  editIntegration: ['Change an integration', (facts) => switched(facts, integration(facts)) ?? edited(integration(facts))(facts)],
  switchWriteBack: [
    'Switch write-back',
    (facts) => `switched write-back of ${integration(facts)} ${facts.after.write_back ? 'on' : 'off'}`,
  ],
  setPlaces: [
    'Change what a credential may be used for',
    (facts) => `${edited(`what the credential of ${integration(facts)} may be used for`)(facts)}`,
  ],
  rotateIntegrationToken: ['Replace a webhook token', (facts) => `replaced the webhook token of ${integration(facts)}`],
  deleteIntegration: ['Delete an integration', (facts) => `deleted ${integration(facts)}`],
  testIntegration: ['Test an integration', ({ inProject }) => `sent a test delivery${inProject}`],
  startImport: ['Start an import', ({ inProject }) => `started an import${inProject}`],
  cancelImport: ['Cancel an import', ({ inProject }) => `cancelled an import${inProject}`],
  undoImport: ['Undo an import', ({ inProject }) => `undid an import${inProject}`],
  replayDelivery: ['Replay a delivery', ({ id, inProject }) => `replayed delivery ${id}${inProject}`],
  createWebhook: ['Create an outbound webhook', (facts) => `created ${webhook(facts)}`],
  editWebhook: ['Change an outbound webhook', (facts) => paused(facts, webhook(facts))],
  removeWebhook: ['Remove an outbound webhook', (facts) => `removed ${webhook(facts)}`],
  rotateWebhookSecret: ['Replace a webhook secret', (facts) => `replaced the secret of ${webhook(facts)}`],
  replayOutgoing: ['Send a webhook message again', () => 'sent a webhook message again'],
  switchOffWebhook: ['Disable a failing webhook', () => 'disabled an outbound webhook after failed deliveries'],
  createFailureRule: ['Add a failure rule', ({ id }) => `added the failure rule ${id}`],
  editFailureRule: ['Change a failure rule', ({ id }) => `changed the failure rule ${id}`],
  removeFailureRule: ['Remove a failure rule', ({ id }) => `removed the failure rule ${id}`],
  signIn: ['Sign in', ({ after }) => `signed in with ${METHODS[String(after.method)] ?? 'another method'}`],
  signInRefused: [
    'Failed sign-in',
    ({ after }) =>
      `failed to sign in with ${METHODS[String(after.method)] ?? 'another method'}${after.reason ? ` (${String(after.reason).replaceAll('_', ' ')})` : ''}`,
  ],
  setUp: ['Set up the service', () => 'set up the service'],
  completeSignUp: ['Sign up', () => 'signed up'],
  scim: ['Provision a member (SCIM)', (facts) => provisioned(facts)],
  singleSignOn: [
    'Role from single sign-on',
    (facts) =>
      facts.after.role === undefined
        ? 'lost access through single sign-on'
        : `got the role ${labelOf('account_role', String(facts.after.role))} through single sign-on`,
  ],
}

const provisioned = ({ person, before, after, changes }: Facts) => {
  if (after.active === false && before.active !== false) return `deactivated ${person}`
  if (after.active === true && before.active === false) return `reactivated ${person}`
  return changes ? `changed ${person}’s ${changes}` : `updated ${person}`
}
