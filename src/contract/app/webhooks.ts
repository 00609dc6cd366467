import { Type } from 'typebox'
import { flag, instant, integer, list, nullable, object, oneOf, ownText, partial, shortId, text } from '../fields.ts'
import { URL_MAX } from '../limits.ts'
import * as param from '../params.ts'
import { patch, plainGet, post, remove } from '../routes/route.ts'
import * as sets from '../sets.ts'
import { Done } from './shapes.ts'

/** Outbound webhooks of an account, and their messages. */

const Webhook = object({
  id: integer,
  account_id: integer,
  project_id: nullable(integer),
  url: ownText,
  event_types: Type.Array(text),
  status: oneOf(sets.WEBHOOK_STATUSES),
  failing_since: nullable(instant),
  waiting: integer,
  created_at: instant,
  updated_at: instant,
})
const WebhookWithSecret = object({ ...Webhook.properties, secret: ownText })
const Outgoing = object({
  id: text,
  /** Where a page continues. */
  position: integer,
  event_type: text,
  status: oneOf(sets.WEBHOOK_MESSAGE_STATUSES),
  tries: integer,
  answer: nullable(integer),
  error: nullable(text),
  next_at: nullable(instant),
  finished_at: nullable(instant),
  created_at: instant,
})
const OutgoingDetail = object({
  payload: Type.Unknown(),
  attempts: Type.Array(object({ at: instant, status: nullable(integer), milliseconds: integer, error: text, response: text })),
})

const accountAdmin = { role: 'admin', scope: 'admin:webhooks' } as const

export const webhookRoutes = {
  listWebhooks: {
    ...plainGet,
    path: '/v1/accounts/:account_id/webhooks',
    summary: 'List outbound webhooks',
    ...accountAdmin,
    reply: list('webhooks', Webhook),
  },
  createWebhook: {
    ...post,
    path: '/v1/accounts/:account_id/webhooks',
    summary: 'Create an outbound webhook',
    ...accountAdmin,
    body: object({
      url: Type.String({ maxLength: URL_MAX }),
      event_types: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 20 })),
      project_id: Type.Optional(nullable(shortId)),
    }),
    reply: WebhookWithSecret,
    created: 201,
    writes: true,
  },
  editWebhook: {
    ...patch,
    path: '/v1/accounts/:account_id/webhooks/:id',
    summary: 'Change, pause or resume an outbound webhook',
    ...accountAdmin,
    body: partial({
      url: Type.String({ maxLength: URL_MAX }),
      event_types: Type.Array(Type.String({ maxLength: 60 }), { maxItems: 20 }),
      project_id: nullable(shortId),
      status: oneOf(['active', 'paused'] as const),
    }),
    reply: Webhook,
    writes: true,
  },
  removeWebhook: {
    ...remove,
    path: '/v1/accounts/:account_id/webhooks/:id',
    summary: 'Delete an outbound webhook',
    ...accountAdmin,
    reply: Done,
    writes: true,
  },
  showWebhookSecret: {
    ...plainGet,
    path: '/v1/accounts/:account_id/webhooks/:id/secret',
    summary: 'Show the signing secret of a webhook',
    ...accountAdmin,
    reply: object({ secret: ownText }),
  },
  rotateWebhookSecret: {
    ...post,
    path: '/v1/accounts/:account_id/webhooks/:id/secret',
    summary: 'Replace the signing secret; the old one stays valid for a day',
    ...accountAdmin,
    reply: WebhookWithSecret,
    writes: true,
  },
  listOutgoing: {
    ...plainGet,
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries',
    summary: 'List the messages of a webhook, newest first',
    ...accountAdmin,
    query: {
      status: param.oneOf(sets.WEBHOOK_MESSAGE_STATUSES),
      before: param.described(param.reference, 'Position of the last message of the previous page'),
      limit: param.limit,
    },
    reply: object({ deliveries: Type.Array(Outgoing), has_more: flag }),
  },
  showOutgoing: {
    ...plainGet,
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries/:message_id',
    summary: 'Show a message with its attempts',
    ...accountAdmin,
    reply: OutgoingDetail,
  },
  replayOutgoing: {
    ...post,
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries/:message_id/replay',
    summary: 'Send a message again',
    ...accountAdmin,
    reply: Done,
    writes: true,
  },
} as const
