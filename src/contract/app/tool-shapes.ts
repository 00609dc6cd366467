import { type Static, Type } from 'typebox'
import { anyObject, flag, instant, integer, nullable, object, oneOf, own, ownText, text } from '../fields.ts'
import * as sets from '../sets.ts'

/** Integrations and outbound webhooks in the web app. */

export const Integration = object({
  id: integer,
  project_id: integer,
  provider: oneOf(sets.PROVIDERS),
  active: flag,
  secrets: integer,
  requires_signature: flag,
  config: own(anyObject),
  created_at: instant,
  health: object({
    last_delivery_at: nullable(instant),
    last_outcome: nullable(oneOf(sets.DELIVERY_OUTCOMES)),
    deliveries: integer,
    failed: integer,
    error_rate: Type.Number(),
    failing_jobs: integer,
  }),
})
/** For owners: the token in full, the URL to call, and the setup guide as Markdown. */
export const IntegrationDetail = object({
  ...Integration.properties,
  webhook_token: ownText,
  webhook_url: ownText,
  setup: ownText,
})

/** A provider, as its adapter declares it. */
export const Provider = object({
  name: oneOf(sets.PROVIDERS),
  label: ownText,
  reports: ownText,
  category: oneOf(sets.PROVIDER_CATEGORIES),
  signing: oneOf(sets.PROVIDER_SIGNING),
  /** Accepted by the webhook token alone although a signing secret is saved, unless the integration requires signatures. */
  unsigned_paths: Type.Array(ownText),
  /** Null if the tool's server is never called. */
  server: nullable(
    object({
      why: ownText,
      fields: Type.Array(
        object({
          key: ownText,
          label: ownText,
          hint: ownText,
          secret: flag,
          /** A stored secret has to be entered again when this one changes. */
          binds_secrets: flag,
        }),
      ),
    }),
  ),
})
export type Provider = Static<typeof Provider>

export const DeliveryEntry = object({
  id: integer,
  integration_id: integer,
  provider: oneOf(sets.PROVIDERS),
  received_at: instant,
  path: text,
  event: text,
  outcome: oneOf(sets.DELIVERY_OUTCOMES),
  status: integer,
  message: text,
  records: Type.Array(object({ type: text, id: Type.Unsafe<number | string>({ type: ['integer', 'string'] }) })),
  milliseconds: integer,
  bytes: nullable(integer),
  replay_of: nullable(integer),
  /** Sent by an owner to test the integration; its effects were rolled back. */
  test: flag,
})
export const DeliveryDetail = object({
  ...DeliveryEntry.properties,
  headers: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: text }),
  body: nullable(text),
  body_cut: flag,
  body_note: nullable(text),
  /** How long bodies are kept; null: forever. */
  body_kept_days: nullable(integer),
})
export const Delivered = object({
  status: text,
  delivery_id: text,
  records: Type.Optional(DeliveryEntry.properties.records),
  warning: Type.Optional(text),
  /** For a test: what it would have created. */
  note: Type.Optional(text),
})

export const Webhook = object({
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
export const WebhookWithSecret = object({ ...Webhook.properties, secret: ownText })
export const Outgoing = object({
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
export const OutgoingDetail = object({
  payload: Type.Unknown(),
  attempts: Type.Array(object({ at: instant, status: nullable(integer), milliseconds: integer, error: text, response: text })),
})
