import type { Me } from '../../contract/app/shapes.ts'
import type { IconName } from '../ui/icons.ts'

/** The pages of a project, in the order of the pipeline; a key opens one after g. */
export const PROJECT_PAGES: [path: string, label: string, icon: IconName, key?: string][] = [
  ['', 'Overview', 'overview', 'o'],
  ['/tasks', 'Tasks', 'task', 't'],
  ['/changes', 'Changes', 'change', 'c'],
  ['/builds', 'Builds', 'build', 'b'],
  ['/breakages', 'Breakages', 'breakage', 'k'],
  ['/tests', 'Tests', 'test', 'e'],
  ['/measures', 'Measures', 'measure', 'u'],
  ['/agents', 'Agents', 'agent', 'n'],
  ['/branches', 'Branches', 'branch', 'r'],
  ['/assets', 'Assets', 'asset', 's'],
  ['/approvals', 'Approvals', 'approval', 'a'],
  ['/deployments', 'Deployments', 'deployment', 'd'],
  ['/members', 'Members', 'members', 'm'],
  ['/integrations', 'Integrations', 'tool'],
  ['/settings', 'Project settings', 'settings'],
]

/** A page of the settings; the line describes its content. */
export type SettingsPage = [path: string, label: string, icon: IconName, line: string]

/** The settings of a project, below its path. */
export const PROJECT_SETTINGS: SettingsPage[] = [
  ['/settings', 'Project settings', 'settings', 'Name, engine, required jobs, approval rules, export and deletion'],
  ['/members', 'Members', 'members', 'People on the project and their roles'],
  ['/integrations', 'Integrations', 'tool', 'Connected version control, CI, stores and trackers'],
  ['/unreal-game-sync', 'Unreal Game Sync', 'build', 'Tokens and setup for Unreal Game Sync clients'],
]

const YOU: SettingsPage[] = [
  ['/settings/profile', 'Profile', 'person', 'Name, email, password, theme and date format'],
  ['/settings/sign-in', 'Sign-in', 'key', 'Authenticator app, passkeys and recovery codes'],
  ['/settings/sessions', 'Sessions', 'key', 'Browsers where you are signed in'],
  ['/settings/connected-accounts', 'Connected accounts', 'members', 'Your names in version control and chat'],
  ['/settings/notifications', 'Notifications', 'bell', 'What you get in the app, by email and in chat'],
  ['/settings/tokens', 'API tokens', 'key', 'Tokens for scripts, the command line and assistants'],
]

const STUDIO: SettingsPage[] = [
  ['/settings/account', 'Account', 'settings', 'Name, time zone, access, data retention, credits, export and deletion'],
  ['/settings/members', 'People', 'members', 'Members, roles and invitations'],
  ['/settings/single-sign-on', 'Single sign-on', 'key', 'Sign-in with your own OpenID provider'],
  ['/settings/usage', 'Usage', 'overview', 'Deliveries, storage and other limits'],
  ['/settings/channels', 'Chat channels', 'chat', 'Messages to Slack, Discord, Teams, Mattermost and Rocket.Chat'],
  ['/settings/webhooks', 'Outbound webhooks', 'deployment', 'Events sent to your own URLs'],
  ['/settings/audit', 'Audit log', 'approval', 'Who changed what in the account, and when'],
]

export const SETTINGS_PAGES: SettingsPage[] = [...YOU, ...STUDIO]
/** Only for operators of the service. */
export const OPERATOR_PAGES: SettingsPage[] = [
  ['/settings/service', 'Service status', 'overview', 'Nodes, queues, storage and backups of this service'],
  ['/settings/mails', 'Emails', 'mail', 'Emails of this service, sent or pending'],
]
/** Only if the service meters accounts. */
export const METERED_PAGES: SettingsPage[] = [['/settings/billing', 'Billing', 'overview', 'Plan, payment method and credits']]

/** All settings that do not belong to a project, in the order of the sidebar. */
export const settingsGroups = ({ user, metering }: Me): [name: string, places: SettingsPage[]][] => [
  ['You', YOU],
  ['Studio', [...STUDIO, ...(metering ? METERED_PAGES : [])]],
  ...(user.operator ? ([['Operations', OPERATOR_PAGES]] as [string, SettingsPage[]][]) : []),
]
