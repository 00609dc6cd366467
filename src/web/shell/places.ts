import type { IconName } from '../ui/icons.ts'

/** Where one can go inside a project, in the order of the pipeline. */
export const PROJECT_PLACES: [path: string, label: string, icon: IconName][] = [
  ['', 'Overview', 'overview'],
  ['/tasks', 'Tasks', 'task'],
  ['/changes', 'Changes', 'change'],
  ['/builds', 'Builds', 'build'],
  ['/breakages', 'Breakages', 'breakage'],
  ['/branches', 'Branches', 'branch'],
  ['/assets', 'Assets', 'asset'],
  ['/approvals', 'Approvals', 'approval'],
  ['/deployments', 'Deployments', 'deployment'],
  ['/members', 'Members', 'members'],
  ['/integrations', 'Integrations', 'tool'],
  ['/settings', 'Project settings', 'settings'],
]

export const SETTINGS_PLACES: [path: string, label: string, icon: IconName][] = [
  ['/settings/profile', 'Profile', 'person'],
  ['/settings/sessions', 'Sessions', 'key'],
  ['/settings/connected-accounts', 'Connected accounts', 'members'],
  ['/settings/notifications', 'Notifications', 'bell'],
  ['/settings/tokens', 'API tokens', 'key'],
  ['/settings/account', 'Account', 'settings'],
  ['/settings/members', 'People', 'members'],
  ['/settings/billing', 'Billing', 'overview'],
  ['/settings/channels', 'Chat channels', 'chat'],
  ['/settings/webhooks', 'Outbound webhooks', 'deployment'],
]
/** Only operators of the service see these. */
export const OPERATOR_PLACES: typeof SETTINGS_PLACES = [['/settings/mails', 'Mails', 'mail']]
