import { Type } from 'typebox'
import { flag, list, nullable, object, oneOf, ownText, recordId } from '../fields.ts'
import * as param from '../params.ts'
import * as sets from '../sets.ts'
import * as app from './shapes.ts'

/** Tools that tell us, and addresses that we tell; a part of the table in `app-routes.ts`. */

const none = {}
const secret = Type.String({ minLength: 1, maxLength: 500 })
const config = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown())

const mine = { who: 'member', query: none } as const
const accountOwner = { who: 'owner', query: none } as const
const projectOwner = { who: 'owner', query: none } as const

export const toolRoutes = {
  listIntegrations: {
    method: 'GET',
    path: '/v1/projects/:project_id/integrations',
    summary: 'The tools of a project and whether they speak',
    ...mine,
    reply: list('integrations', app.Integration),
  },
  createIntegration: {
    method: 'POST',
    path: '/v1/projects/:project_id/integrations',
    summary: 'Connect a tool',
    ...projectOwner,
    body: object({
      provider: oneOf(sets.PROVIDERS),
      signing_secret: Type.Optional(nullable(secret)),
      config: Type.Optional(config),
    }),
    reply: app.IntegrationDetail,
    created: 201,
    writes: true,
  },
  showIntegration: {
    method: 'GET',
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'An integration with its token and how it is set up',
    ...projectOwner,
    reply: app.IntegrationDetail,
  },
  editIntegration: {
    method: 'PATCH',
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'Switch it on or off, set its secrets or its own settings, let its tool hand over a secret',
    ...projectOwner,
    body: Type.Partial(
      object({ active: flag, signing_secrets: Type.Array(secret, { maxItems: 5 }), config, ask_handshake: flag }),
    ),
    reply: app.IntegrationDetail,
    writes: true,
  },
  rotateIntegrationToken: {
    method: 'POST',
    path: '/v1/projects/:project_id/integrations/:id/token',
    summary: 'Replace the webhook token; the old one ends at once',
    ...projectOwner,
    reply: app.IntegrationDetail,
    writes: true,
  },
  deleteIntegration: {
    method: 'DELETE',
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'Forget a tool, its token and its delivery log; what it told stays',
    ...projectOwner,
    reply: app.Done,
    writes: true,
  },
  testIntegration: {
    method: 'POST',
    path: '/v1/projects/:project_id/integrations/:id/test',
    summary: 'Send ourselves what the tool would send',
    ...projectOwner,
    reply: app.Delivered,
    writes: true,
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/projects/:project_id/deliveries',
    summary: 'What tools told, newest first',
    who: 'member',
    query: {
      integration_id: param.reference,
      outcome: param.oneOf(sets.DELIVERY_OUTCOMES),
      before: param.reference,
      limit: param.limit,
    },
    reply: object({ deliveries: Type.Array(app.DeliveryEntry), has_more: flag }),
  },
  showDelivery: {
    method: 'GET',
    path: '/v1/projects/:project_id/deliveries/:id',
    summary: 'One delivery with headers and body',
    ...mine,
    reply: app.DeliveryDetail,
  },
  replayDelivery: {
    method: 'POST',
    path: '/v1/projects/:project_id/deliveries/:id/replay',
    summary: 'Take a delivery in once more',
    ...projectOwner,
    reply: app.Delivered,
    writes: true,
  },

  listWebhooks: {
    method: 'GET',
    path: '/v1/accounts/:account_id/webhooks',
    summary: 'Addresses that are told what happens',
    ...accountOwner,
    reply: list('webhooks', app.Webhook),
  },
  createWebhook: {
    method: 'POST',
    path: '/v1/accounts/:account_id/webhooks',
    summary: 'Register an address',
    ...accountOwner,
    body: object({
      url: Type.String({ maxLength: 2000 }),
      event_types: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 20 })),
      project_id: Type.Optional(nullable(recordId)),
    }),
    reply: app.WebhookWithSecret,
    created: 201,
    writes: true,
  },
  editWebhook: {
    method: 'PATCH',
    path: '/v1/accounts/:account_id/webhooks/:id',
    summary: 'Change where and what, or stop and resume',
    ...accountOwner,
    body: Type.Partial(
      object({
        url: Type.String({ maxLength: 2000 }),
        event_types: Type.Array(Type.String({ maxLength: 60 }), { maxItems: 20 }),
        project_id: nullable(recordId),
        status: oneOf(['active', 'paused'] as const),
      }),
    ),
    reply: app.Webhook,
    writes: true,
  },
  removeWebhook: {
    method: 'DELETE',
    path: '/v1/accounts/:account_id/webhooks/:id',
    summary: 'Remove an address',
    ...accountOwner,
    reply: app.Done,
    writes: true,
  },
  showWebhookSecret: {
    method: 'GET',
    path: '/v1/accounts/:account_id/webhooks/:id/secret',
    summary: 'What messages are signed with',
    ...accountOwner,
    reply: object({ secret: ownText }),
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/accounts/:account_id/webhooks/:id/secret',
    summary: 'Replace the secret; the former one signs too for a day',
    ...accountOwner,
    reply: app.WebhookWithSecret,
    writes: true,
  },
  listOutgoing: {
    method: 'GET',
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries',
    summary: 'Messages to an address, newest first',
    who: 'owner',
    query: { status: param.oneOf(sets.OUTGOING_STATUSES), before: param.reference, limit: param.limit },
    reply: object({ deliveries: Type.Array(app.Outgoing), has_more: flag }),
  },
  showOutgoing: {
    method: 'GET',
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries/:message_id',
    summary: 'One message and every time it was sent',
    ...accountOwner,
    reply: app.OutgoingDetail,
  },
  replayOutgoing: {
    method: 'POST',
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries/:message_id/replay',
    summary: 'Send a message again',
    ...accountOwner,
    reply: app.Done,
    writes: true,
  },
} as const
