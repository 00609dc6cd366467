/** Chat vendors: a person's id there can be one of their connected accounts. */
export const CHAT_VENDORS = {
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  mattermost: 'Mattermost',
  rocketchat: 'Rocket.Chat',
} as const
type ChatVendor = keyof typeof CHAT_VENDORS

/** A kind of chat channel: what an owner has to enter, and what can be done with a message later. */
interface ChannelKindRow {
  label: string
  vendor: ChatVendor
  /** A bot with a token posts to a given room; a webhook URL belongs to one room. */
  secret: 'token' | 'url'
  /** Whether a message can be edited after it was posted, so that it always shows the current state. */
  edits: boolean
  /** Whether follow-ups can be posted in a thread. */
  threads: boolean
  /** Whether it can send direct messages. */
  direct: boolean
}

export const CHANNEL_KIND_TABLE = {
  slack: { label: 'Slack (bot)', vendor: 'slack', secret: 'token', edits: true, threads: true, direct: true },
  slack_webhook: {
    label: 'Slack (incoming webhook)',
    vendor: 'slack',
    secret: 'url',
    edits: false,
    threads: false,
    direct: false,
  },
  discord: { label: 'Discord', vendor: 'discord', secret: 'url', edits: true, threads: false, direct: false },
  teams: { label: 'Microsoft Teams', vendor: 'teams', secret: 'url', edits: false, threads: false, direct: false },
  mattermost: { label: 'Mattermost', vendor: 'mattermost', secret: 'url', edits: false, threads: false, direct: false },
  rocketchat: { label: 'Rocket.Chat', vendor: 'rocketchat', secret: 'url', edits: false, threads: false, direct: false },
} as const satisfies Record<string, ChannelKindRow>

export type ChannelKind = keyof typeof CHANNEL_KIND_TABLE
export const CHANNEL_KINDS = Object.keys(CHANNEL_KIND_TABLE) as ChannelKind[]

const kindsThat = (does: 'edits' | 'threads' | 'direct') => CHANNEL_KINDS.filter((kind) => CHANNEL_KIND_TABLE[kind][does])
export const EDITING_KINDS = kindsThat('edits')
export const THREADING_KINDS = kindsThat('threads')
export const DIRECT_KINDS = kindsThat('direct')

/** Paused by its owner, or broken because the room is gone or the secret is invalid. */
export const CHANNEL_STATUSES = ['active', 'paused', 'broken'] as const
export type ChannelStatus = (typeof CHANNEL_STATUSES)[number]

/** The subjects that the rules of a channel can select. */
export const RULE_SUBJECTS = {
  breakage:
    'One message per breakage. It is edited when the state changes, or a new one is posted if the chat service can’t edit.',
  breakage_fixed: 'A separate message when a breakage is fixed.',
  approval: 'The assets of a change need approval.',
  deployment: 'A deployment started or changed its status. A new message when it is live, rejected or rolled back.',
  budget:
    'A measure exceeds its budget or no longer comes. The message is edited when it is back, or a new one is posted if the chat service can’t edit.',
  last_known_good: 'The last known good change of a branch is older than a number of hours.',
} as const
export type RuleSubject = keyof typeof RULE_SUBJECTS

/** The subjects of messages: those of rules, follow-ups in a thread, and an owner's test. */
export const MESSAGE_SUBJECTS = [
  ...(Object.keys(RULE_SUBJECTS) as RuleSubject[]),
  'breakage_reopened',
  'breakage_flickering',
  'deployment_live',
  'deployment_rejected',
  'deployment_rolled_back',
  'task',
  'comment',
  'test',
] as const
export type MessageSubject = (typeof MESSAGE_SUBJECTS)[number]

/** `sending` is stored before a message is sent: after a crash such a message may have arrived. Messages that are no longer true are skipped. */
export const CHANNEL_MESSAGE_STATUSES = ['waiting', 'sending', 'sent', 'uncertain', 'failed', 'skipped'] as const
export type ChannelMessageStatus = (typeof CHANNEL_MESSAGE_STATUSES)[number]

/** Kinds of notifications to one person. */
export const NOTIFICATION_KINDS = {
  suspected: 'My change is suspected of breaking a build',
  given: 'A breakage is assigned to me',
  mentioned: 'Somebody mentions me in a comment',
  approval: 'Assets are waiting for my approval',
  task: 'A task is assigned to me',
  budget: 'A measure exceeds its budget, in a project that I lead or by my change',
  quarantine: 'The quarantine of a test that I own ends',
} as const
export type NotificationKind = keyof typeof NOTIFICATION_KINDS

/** The hour of the reader's day at which the daily digest is written. */
export const DIGEST_HOUR = 8

/** Where a person gets a notification. */
export const NOTIFICATION_WAYS = ['in_app', 'mail', 'chat'] as const
export type NotificationWay = (typeof NOTIFICATION_WAYS)[number]

/** Kinds that are only in the inbox and email. */
export const NEVER_IN_CHAT: readonly NotificationKind[] = ['quarantine']

/** The defaults for a person without preferences. */
export const NOTIFICATION_DEFAULTS: Record<NotificationKind, Record<NotificationWay, boolean>> = {
  suspected: { in_app: true, mail: true, chat: true },
  given: { in_app: true, mail: true, chat: true },
  mentioned: { in_app: true, mail: true, chat: true },
  approval: { in_app: true, mail: false, chat: false },
  task: { in_app: true, mail: true, chat: false },
  budget: { in_app: true, mail: false, chat: false },
  quarantine: { in_app: true, mail: false, chat: false },
}
