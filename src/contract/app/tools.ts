import { Type } from 'typebox'
import { EVENT_SOURCES } from '../event-facts.ts'
import { flag, list, nullable, object, oneOf, ownText, partial, shortId } from '../fields.ts'
import { SIGNING_SECRET_MAX, SIGNING_SECRETS_MAX, URL_MAX } from '../limits.ts'
import * as param from '../params.ts'
import { get, patch, plainGet, post, remove } from '../routes/route.ts'
import * as sets from '../sets.ts'
import { Done } from './shapes.ts'
import * as tool from './tool-shapes.ts'

/** Integrations and outbound webhooks; a part of the table in `routes.ts`. */

/** A delivery that created something is announced by the event of that record. */
const delivered = { shows: EVENT_SOURCES } as const
const secret = Type.String({ minLength: 1, maxLength: SIGNING_SECRET_MAX })
const config = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown())

const integrations = { scope: 'admin:integrations' } as const
const projectViewer = { role: 'viewer', ...integrations } as const
const projectLead = { role: 'lead', ...integrations } as const
const projectContributor = { role: 'contributor', ...integrations } as const
const accountAdmin = { role: 'admin', scope: 'admin:webhooks' } as const

export const toolRoutes = {
  listProviders: {
    ...plainGet,
    path: '/v1/providers',
    summary: 'The tools that can be connected',
    ...integrations,
    reply: list('providers', tool.Provider),
  },
  listIntegrations: {
    ...get,
    path: '/v1/projects/:project_id/integrations',
    summary: 'The tools of a project and whether they speak',
    ...projectViewer,
    ...delivered,
    reply: list('integrations', tool.Integration),
  },
  createIntegration: {
    ...post,
    path: '/v1/projects/:project_id/integrations',
    summary: 'Connect a tool',
    ...projectLead,
    body: object({
      provider: oneOf(sets.PROVIDERS),
      signing_secret: Type.Optional(nullable(secret)),
      /** By default on if there is a secret. */
      requires_signature: Type.Optional(flag),
      config: Type.Optional(config),
    }),
    reply: tool.IntegrationDetail,
    created: 201,
    writes: true,
  },
  showIntegration: {
    ...plainGet,
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'An integration with its token and how it is set up',
    ...projectLead,
    reply: tool.IntegrationDetail,
  },
  editIntegration: {
    ...patch,
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'Switch it on or off, set its secrets, require signatures, set its own settings, let its tool hand over a secret',
    ...projectLead,
    body: partial({
      active: flag,
      signing_secrets: Type.Array(secret, { maxItems: SIGNING_SECRETS_MAX }),
      requires_signature: flag,
      config,
      ask_handshake: flag,
    }),
    reply: tool.IntegrationDetail,
    writes: true,
  },
  rotateIntegrationToken: {
    ...post,
    path: '/v1/projects/:project_id/integrations/:id/token',
    summary: 'Replace the webhook token; the old one ends at once',
    ...projectLead,
    reply: tool.IntegrationDetail,
    writes: true,
  },
  deleteIntegration: {
    ...remove,
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'Forget a tool, its token and its delivery log; what it told stays',
    ...projectLead,
    reply: Done,
    writes: true,
  },
  testIntegration: {
    ...post,
    path: '/v1/projects/:project_id/integrations/:id/test',
    summary: 'Send ourselves what the tool would send',
    ...projectLead,
    reply: tool.Delivered,
    writes: true,
    detached: true,
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/projects/:project_id/deliveries',
    summary: 'What tools told, newest first',
    ...projectContributor,
    query: {
      integration_id: param.shortReference,
      outcome: param.oneOf(sets.DELIVERY_OUTCOMES),
      before: param.reference,
      limit: param.limit,
    },
    ...delivered,
    reply: object({ deliveries: Type.Array(tool.DeliveryEntry), has_more: flag }),
  },
  showDelivery: {
    ...plainGet,
    path: '/v1/projects/:project_id/deliveries/:id',
    summary: 'One delivery with headers and body',
    ...projectContributor,
    reply: tool.DeliveryDetail,
  },
  replayDelivery: {
    ...post,
    path: '/v1/projects/:project_id/deliveries/:id/replay',
    summary: 'Take a delivery in once more',
    ...projectLead,
    reply: tool.Delivered,
    writes: true,
    detached: true,
  },

  listWebhooks: {
    ...plainGet,
    path: '/v1/accounts/:account_id/webhooks',
    summary: 'Addresses that are told what happens',
    ...accountAdmin,
    reply: list('webhooks', tool.Webhook),
  },
  createWebhook: {
    ...post,
    path: '/v1/accounts/:account_id/webhooks',
    summary: 'Register an address',
    ...accountAdmin,
    body: object({
      url: Type.String({ maxLength: URL_MAX }),
      event_types: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 20 })),
      project_id: Type.Optional(nullable(shortId)),
    }),
    reply: tool.WebhookWithSecret,
    created: 201,
    writes: true,
  },
  editWebhook: {
    ...patch,
    path: '/v1/accounts/:account_id/webhooks/:id',
    summary: 'Change where and what, or stop and resume',
    ...accountAdmin,
    body: partial({
      url: Type.String({ maxLength: URL_MAX }),
      event_types: Type.Array(Type.String({ maxLength: 60 }), { maxItems: 20 }),
      project_id: nullable(shortId),
      status: oneOf(['active', 'paused'] as const),
    }),
    reply: tool.Webhook,
    writes: true,
  },
  removeWebhook: {
    ...remove,
    path: '/v1/accounts/:account_id/webhooks/:id',
    summary: 'Remove an address',
    ...accountAdmin,
    reply: Done,
    writes: true,
  },
  showWebhookSecret: {
    ...plainGet,
    path: '/v1/accounts/:account_id/webhooks/:id/secret',
    summary: 'What messages are signed with',
    ...accountAdmin,
    reply: object({ secret: ownText }),
  },
  rotateWebhookSecret: {
    ...post,
    path: '/v1/accounts/:account_id/webhooks/:id/secret',
    summary: 'Replace the secret; the former one signs too for a day',
    ...accountAdmin,
    reply: tool.WebhookWithSecret,
    writes: true,
  },
  listOutgoing: {
    ...plainGet,
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries',
    summary: 'Messages to an address, newest first',
    ...accountAdmin,
    query: { status: param.oneOf(sets.WEBHOOK_MESSAGE_STATUSES), before: param.reference, limit: param.limit },
    reply: object({ deliveries: Type.Array(tool.Outgoing), has_more: flag }),
  },
  showOutgoing: {
    ...plainGet,
    path: '/v1/accounts/:account_id/webhooks/:id/deliveries/:message_id',
    summary: 'One message and every time it was sent',
    ...accountAdmin,
    reply: tool.OutgoingDetail,
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
