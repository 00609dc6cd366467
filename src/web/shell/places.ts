import type { Me } from '../../contract/app/shapes.ts'
import type { IconName } from '../ui/icons.ts'

/** Where one can go inside a project, in the order of the pipeline; a key goes there after g. */
export const PROJECT_PLACES: [path: string, label: string, icon: IconName, key?: string][] = [
  ['', 'Overview', 'overview', 'o'],
  ['/tasks', 'Tasks', 'task', 't'],
  ['/changes', 'Changes', 'change', 'c'],
  ['/builds', 'Builds', 'build', 'b'],
  ['/breakages', 'Breakages', 'breakage', 'k'],
  ['/branches', 'Branches', 'branch', 'r'],
  ['/assets', 'Assets', 'asset', 's'],
  ['/approvals', 'Approvals', 'approval', 'a'],
  ['/deployments', 'Deployments', 'deployment', 'd'],
  ['/members', 'Members', 'members', 'm'],
  ['/integrations', 'Integrations', 'tool'],
  ['/settings', 'Project settings', 'settings'],
]

export const SETTINGS_PLACES: [path: string, label: string, icon: IconName][] = [
  ['/settings/profile', 'Profile', 'person'],
  ['/settings/sign-in', 'Sign-in', 'key'],
  ['/settings/sessions', 'Sessions', 'key'],
  ['/settings/connected-accounts', 'Connected accounts', 'members'],
  ['/settings/notifications', 'Notifications', 'bell'],
  ['/settings/tokens', 'API tokens', 'key'],
  ['/settings/account', 'Account', 'settings'],
  ['/settings/members', 'People', 'members'],
  ['/settings/single-sign-on', 'Single sign-on', 'key'],
  ['/settings/usage', 'Usage', 'overview'],
  ['/settings/channels', 'Chat channels', 'chat'],
  ['/settings/webhooks', 'Outbound webhooks', 'deployment'],
  ['/settings/audit', 'Audit log', 'approval'],
]
/** Only operators of the service see these. */
export const OPERATOR_PLACES: typeof SETTINGS_PLACES = [
  ['/settings/service', 'Service status', 'overview'],
  ['/settings/mails', 'Mails', 'mail'],
]
/** Only where the service meters accounts. */
export const METERED_PLACES: typeof SETTINGS_PLACES = [['/settings/billing', 'Billing', 'overview']]

export const settingsPlaces = ({ user, metering }: Me): typeof SETTINGS_PLACES => [
  ...SETTINGS_PLACES,
  ...(metering ? METERED_PLACES : []),
  ...(user.operator ? OPERATOR_PLACES : []),
]
