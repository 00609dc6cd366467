/** Where people chat: what somebody is called there can stand among their connected accounts. */
export const CHAT_VENDORS = {
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Microsoft Teams',
  mattermost: 'Mattermost',
  rocketchat: 'Rocket.Chat',
} as const
type ChatVendor = keyof typeof CHAT_VENDORS

/** Where chat messages go: what an owner gives us to post there, and what can be done with a message later. */
interface ChannelKindRow {
  label: string
  vendor: ChatVendor
  /** A bot with a token posts to a room that is named; a webhook's address stands for one room. */
  secret: 'token' | 'url'
  /** Whether a message can be changed after it was posted, so that it always tells the present state. */
  edits: boolean
  /** Whether what follows can be said below a message. */
  threads: boolean
  /** Whether it can write to one person alone. */
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

/** Stopped by its owner, or because the room is gone or the secret does not count any more. */
export const CHANNEL_STATUSES = ['active', 'paused', 'broken'] as const
export type ChannelStatus = (typeof CHANNEL_STATUSES)[number]

/** What a channel may hear of, by the rules of its owner. */
export const RULE_SUBJECTS = {
  breakage:
    'One message per breakage. It is edited when the state changes, or a new one is posted if the chat service can’t edit.',
  breakage_fixed: 'A separate message when a breakage is fixed.',
  approval: 'The assets of a change need approval.',
  deployment: 'A deployment started or changed its status.',
  last_known_good: 'The last known good change of a branch is older than a number of hours.',
} as const
export type RuleSubject = keyof typeof RULE_SUBJECTS

/** What messages are about: the subjects of rules, what follows in a thread, and an owner's trial. */
export const MESSAGE_SUBJECTS = [
  ...(Object.keys(RULE_SUBJECTS) as RuleSubject[]),
  'breakage_reopened',
  'breakage_flickering',
  'task',
  'test',
] as const
export type MessageSubject = (typeof MESSAGE_SUBJECTS)[number]

/** `sending` is stored before a message is sent: after a crash such a message may have arrived. Messages that are no longer true are skipped. */
export const CHANNEL_MESSAGE_STATUSES = ['waiting', 'sending', 'sent', 'uncertain', 'failed', 'skipped'] as const
export type ChannelMessageStatus = (typeof CHANNEL_MESSAGE_STATUSES)[number]

/** What concerns one person. */
export const NOTIFICATION_KINDS = {
  suspected: 'My change is suspected of breaking a build',
  given: 'A breakage is assigned to me',
  approval: 'Assets are waiting for my approval',
  task: 'A task is assigned to me',
} as const
export type NotificationKind = keyof typeof NOTIFICATION_KINDS

/** The hour of the day, where its reader is, at which the mail of the day is written. */
export const DIGEST_HOUR = 8

/** Where a person hears of something that concerns them. */
export const NOTIFICATION_WAYS = ['in_app', 'mail', 'chat'] as const
export type NotificationWay = (typeof NOTIFICATION_WAYS)[number]

/** What holds for somebody who has chosen nothing. */
export const NOTIFICATION_DEFAULTS: Record<NotificationKind, Record<NotificationWay, boolean>> = {
  suspected: { in_app: true, mail: true, chat: true },
  given: { in_app: true, mail: true, chat: true },
  approval: { in_app: true, mail: false, chat: false },
  task: { in_app: true, mail: true, chat: false },
}
