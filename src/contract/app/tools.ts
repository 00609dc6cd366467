import { Type } from 'typebox'
import { flag, list, nullable, object, oneOf, ownText, partial, recordId } from '../fields.ts'
import { SIGNING_SECRET_MAX, SIGNING_SECRETS_MAX, URL_MAX } from '../limits.ts'
import * as param from '../params.ts'
import * as sets from '../sets.ts'
import { Done } from './shapes.ts'
import * as tool from './tool-shapes.ts'

/** Tools that tell us, and addresses that we tell; a part of the table in `routes.ts`. */

const none = {}
const secret = Type.String({ minLength: 1, maxLength: SIGNING_SECRET_MAX })
const config = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown())

const integrations = { scope: 'admin:integrations', query: none } as const
const mine = { who: 'member', ...integrations } as const
const projectOwner = { who: 'owner', ...integrations } as const
const accountOwner = { who: 'owner', scope: 'admin:webhooks', query: none } as const

export const toolRoutes = {
  listProviders: {
    method: 'GET',
    path: '/v1/providers',
    summary: 'The tools that can be connected',
    ...mine,
    reply: list('providers', tool.Provider),
  },
  listIntegrations: {
    method: 'GET',
    path: '/v1/projects/:project_id/integrations',
    summary: 'The tools of a project and whether they speak',
    ...mine,
    reply: list('integrations', tool.Integration),
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
    reply: tool.IntegrationDetail,
    created: 201,
    writes: true,
  },
  showIntegration: {
    method: 'GET',
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'An integration with its token and how it is set up',
    ...projectOwner,
    reply: tool.IntegrationDetail,
  },
  editIntegration: {
    method: 'PATCH',
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'Switch it on or off, set its secrets or its own settings, let its tool hand over a secret',
    ...projectOwner,
    body: partial({
      active: flag,
      signing_secrets: Type.Array(secret, { maxItems: SIGNING_SECRETS_MAX }),
      config,
      ask_handshake: flag,
    }),
    reply: tool.IntegrationDetail,
    writes: true,
  },
  rotateIntegrationToken: {
    method: 'POST',
    path: '/v1/projects/:project_id/integrations/:id/token',
    summary: 'Replace the webhook token; the old one ends at once',
    ...projectOwner,
    reply: tool.IntegrationDetail,
    writes: true,
  },
  deleteIntegration: {
    method: 'DELETE',
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'Forget a tool, its token and its delivery log; what it told stays',
    ...projectOwner,
    reply: Done,
    writes: true,
  },
  testIntegration: {
    method: 'POST',
    path: '/v1/projects/:project_id/integrations/:id/test',
    summary: 'Send ourselves what the tool would send',
    ...projectOwner,
    reply: tool.Delivered,
    writes: true,
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/projects/:project_id/deliveries',
    summary: 'What tools told, newest first',
    ...mine,
    query: {
      integration_id: param.reference,
      outcome: param.oneOf(sets.DELIVERY_OUTCOMES),
      before: param.reference,
      limit: param.limit,
    },
    reply: object({ deliveries: Type.Array(tool.DeliveryEntry), has_more: flag }),
  },
  showDelivery: {
    method: 'GET',
    path: '/v1/projects/:project_id/deliveries/:id',
    summary: 'One delivery with headers and body',
    ...mine,
    reply: tool.DeliveryDetail,
  },
  replayDelivery: {
    method: 'POST',
    path: '/v1/projects/:project_id/deliveries/:id/replay',
    summary: 'Take a delivery in once more',
    ...projectOwner,
    reply: tool.Delivered,
    writes: true,
  },

  listWebhooks: {
    method: 'GET',
    path: '/v1/accounts/:account_id/webhooks',
    summary: 'Addresses that are told what happens',
    ...accountOwner,
    reply: list('webhooks', tool.Webhook),
  },
  createWebhook: {
    method: 'POST',
    path: '/v1/accounts/:account_id/webhooks',
    summary: 'Register an address',
    ...accountOwner,
    body: object({
      url: Type.String({ maxLength: URL_MAX }),
      event_types: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 20 })),
      project_id: Type.Optional(nullable(recordId)),
    }),
    reply: tool.WebhookWithSecret,
    created: 201,
    writes: true,
  },
  editWebhook: {
    method: 'PATCH',
    path: '/v1/accounts/:account_id/webhooks/:id',
    summary: 'Change where and what, or stop and resume',
    ...accountOwner,
    body: partial({
      url: Type.String({ maxLength: URL_MAX }),
      event_types: Type.Array(Type.String({ maxLength: 60 }), { maxItems: 20 }),
      project_id: nullable(recordId),
      status: oneOf(['active', 'paused'] as const),
    }),
    reply: tool.Webhook,
    writes: true,
  },
  removeWebhook: {
    method: 'DELETE',
    path: '/v1/accounts/:account_id/webhooks/:id',
    summary: 'Remove an address',
    ...accountOwner,
    reply: Done,
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
    reply: tool.WebhookWithSecret,
    writes: true,
  },
  listOutgoing: {
    method: 'GET',
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries',
    summary: 'Messages to an address, newest first',
    ...accountOwner,
    query: { status: param.oneOf(sets.OUTGOING_STATUSES), before: param.reference, limit: param.limit },
    reply: object({ deliveries: Type.Array(tool.Outgoing), has_more: flag }),
  },
  showOutgoing: {
    method: 'GET',
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries/:message_id',
    summary: 'One message and every time it was sent',
    ...accountOwner,
    reply: tool.OutgoingDetail,
  },
  replayOutgoing: {
    method: 'POST',
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries/:message_id/replay',
    summary: 'Send a message again',
    ...accountOwner,
    reply: Done,
    writes: true,
  },
} as const
