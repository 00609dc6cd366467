import { type Static, Type } from 'typebox'
import * as channels from '../channels.ts'
import {
  flag,
  instant,
  integer,
  list,
  name,
  nullable,
  object,
  oneOf,
  ownText,
  partial,
  recordId,
  shortId,
  text,
} from '../fields.ts'
import { CHANNEL_RULES_MAX, CLOCK, PATTERN_MAX, URL_MAX } from '../limits.ts'
import * as param from '../params.ts'
import { patch, plainGet, post, remove } from '../routes/route.ts'
import { FAILURE_CATEGORIES } from '../sets.ts'
import { Done } from './shapes.ts'

/** Chat channels and the inbox; a part of the table in `routes.ts`. */

const RULE_SUBJECTS = Object.keys(channels.RULE_SUBJECTS) as channels.RuleSubject[]
const NOTIFICATION_KINDS = Object.keys(channels.NOTIFICATION_KINDS) as channels.NotificationKind[]
const clock = Type.String({ pattern: CLOCK.source })
const pattern = Type.String({ maxLength: PATTERN_MAX })

export const ChannelRule = object({
  project_id: shortId,
  subject: oneOf(RULE_SUBJECTS),
  branch: pattern,
  job: pattern,
  category: nullable(oneOf(FAILURE_CATEGORIES)),
  hours: nullable(Type.Integer({ minimum: 1, maximum: 2_000 })),
  here: flag,
  quiet_from: nullable(clock),
  quiet_until: nullable(clock),
})
export type ChannelRule = Static<typeof ChannelRule>

export const Channel = object({
  id: integer,
  account_id: integer,
  kind: oneOf(channels.CHANNEL_KINDS),
  name: ownText,
  room: ownText,
  status: oneOf(channels.CHANNEL_STATUSES),
  trouble: text,
  failing_since: nullable(instant),
  waiting: integer,
  rules: Type.Array(ChannelRule),
  /** Branch patterns of its rules that no branch of their project matches. */
  unmatched_patterns: Type.Array(object({ project_id: integer, branch: text })),
  created_at: instant,
  updated_at: instant,
})
export type Channel = Static<typeof Channel>

const ChannelMessage = object({
  id: integer,
  subject: oneOf(channels.MESSAGE_SUBJECTS),
  subject_id: text,
  project_id: nullable(integer),
  to_user_id: nullable(integer),
  status: oneOf(channels.CHANNEL_MESSAGE_STATUSES),
  tries: integer,
  error: text,
  sent_at: nullable(instant),
  created_at: instant,
})

const secret = Type.String({ minLength: 1, maxLength: URL_MAX })
const rules = Type.Array(ChannelRule, { maxItems: CHANNEL_RULES_MAX })
const room = Type.String({ maxLength: 100 })
const ways = { in_app: flag, mail: flag, chat: flag }
const Preferences = object({
  kinds: Type.Array(object({ kind: oneOf(NOTIFICATION_KINDS), ...ways })),
  daily_digest: flag,
  timezone: nullable(text),
})

export const channelRoutes = {
  listChannels: {
    ...plainGet,
    path: '/v1/accounts/:account_id/channels',
    summary: 'List chat channels',
    role: 'admin',
    reply: list('channels', Channel),
  },
  createChannel: {
    ...post,
    path: '/v1/accounts/:account_id/channels',
    summary: 'Create a chat channel; its secret is not shown again',
    role: 'admin',
    body: object({
      kind: oneOf(channels.CHANNEL_KINDS),
      name,
      secret,
      room: Type.Optional(room),
      rules: Type.Optional(rules),
    }),
    reply: Channel,
    created: 201,
    writes: true,
  },
  editChannel: {
    ...patch,
    path: '/v1/accounts/:account_id/channels/:id',
    summary: 'Change, pause or resume a channel',
    role: 'admin',
    body: partial({ name, secret, room, rules, status: oneOf(['active', 'paused'] as const) }),
    reply: Channel,
    writes: true,
  },
  removeChannel: {
    ...remove,
    path: '/v1/accounts/:account_id/channels/:id',
    summary: 'Delete a channel',
    role: 'admin',
    reply: Done,
    writes: true,
  },
  testChannel: {
    ...post,
    path: '/v1/accounts/:account_id/channels/:id/test',
    summary: 'Send a test message; the log shows the result',
    role: 'admin',
    reply: ChannelMessage,
    writes: true,
  },
  listChannelMessages: {
    ...plainGet,
    path: '/v1/accounts/:account_id/channels/:id/messages',
    summary: 'List the messages of a channel, newest first',
    role: 'admin',
    query: { status: param.oneOf(channels.CHANNEL_MESSAGE_STATUSES), before: param.reference, limit: param.limit },
    reply: object({ messages: Type.Array(ChannelMessage), has_more: flag }),
  },
  showChannelMessage: {
    ...plainGet,
    path: '/v1/accounts/:account_id/channels/:id/messages/:message_id',
    summary: 'Show a message with its text and attempts',
    role: 'admin',
    reply: object({
      ...ChannelMessage.properties,
      says: nullable(object({ title: text, url: ownText })),
      attempts: Type.Array(
        object({
          at: instant,
          action: text,
          status: nullable(integer),
          milliseconds: integer,
          error: text,
          response: text,
        }),
      ),
    }),
  },
  replayChannelMessage: {
    ...post,
    path: '/v1/accounts/:account_id/channels/:id/messages/:message_id/replay',
    summary: 'Send a message again, also one with an unknown result',
    role: 'admin',
    reply: Done,
    writes: true,
  },

  listNotifications: {
    method: 'GET',
    path: '/v1/me/notifications',
    summary: 'List your notifications, newest first',
    query: { before: param.reference, unread: param.flag },
    shows: ['breakage', 'task', 'approval'],
    reply: object({
      notifications: Type.Array(
        object({
          id: integer,
          kind: oneOf(NOTIFICATION_KINDS),
          project_id: integer,
          project_name: text,
          title: text,
          path: ownText,
          at: instant,
          read_at: nullable(instant),
        }),
      ),
      unread: integer,
      has_more: flag,
    }),
  },
  markNotifications: {
    ...post,
    path: '/v1/me/notifications/read',
    summary: 'Mark notifications as read or unread; without ids, all',
    body: object({ ids: Type.Optional(Type.Array(recordId, { maxItems: 200 })), read: flag }),
    reply: Done,
    unaudited: true,
  },
  showPreferences: {
    ...plainGet,
    path: '/v1/me/preferences',
    summary: 'Show your notification settings',
    reply: Preferences,
  },
  editPreferences: {
    ...patch,
    path: '/v1/me/preferences',
    summary: 'Change your notification settings',
    body: partial({
      kinds: Type.Array(object({ kind: oneOf(NOTIFICATION_KINDS), ...ways }), { maxItems: 20 }),
      daily_digest: flag,
      timezone: nullable(Type.String({ maxLength: 60 })),
    }),
    reply: Preferences,
    unaudited: true,
  },
  showUnsubscribe: {
    ...plainGet,
    path: '/v1/unsubscribe',
    summary: 'Show which emails an unsubscribe link stops; a POST to the link stops them',
    role: 'anyone',
    query: { token: param.text },
    reply: object({ kind: text }),
  },
} as const
