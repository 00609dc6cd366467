import { type Static, type TSchema, Type } from 'typebox'
import { EVENT_SOURCES } from '../event-facts.ts'
import { anyObject, flag, instant, integer, list, nullable, object, oneOf, own, ownText, partial, text } from '../fields.ts'
import { IMPORT_DAYS_MAX, PLACE_MAX, PLACES_MAX, SIGNING_SECRET_MAX, SIGNING_SECRETS_MAX } from '../limits.ts'
import * as param from '../params.ts'
import { get, patch, plainGet, post, remove } from '../routes/route.ts'
import * as sets from '../sets.ts'
import { Done } from './shapes.ts'

/** The tools that report to a project, and their deliveries. */

const Integration = object({
  id: integer,
  project_id: integer,
  provider: oneOf(sets.PROVIDERS),
  active: flag,
  secrets: integer,
  requires_signature: flag,
  config: own(anyObject),
  /** Whether results of builds are written to the tool's server, and why nothing is written although it is on. */
  write_back: flag,
  write_back_problem: nullable(text),
  /** Its stored credential reaches every job, project or stream of the tool's server, not only those of its list. */
  every_place: flag,
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
const IntegrationDetail = object({
  ...Integration.properties,
  webhook_token: ownText,
  webhook_url: ownText,
  /** The header that may have the token instead of the URL; null if the tool's webhook takes none. */
  token_header: nullable(ownText),
  setup: ownText,
  /** What its stored credential reaches: named by the settings, confirmed by leads, and waiting for that. Null if there is no such list. */
  places: nullable(
    object({
      named: Type.Array(ownText),
      confirmed: Type.Array(ownText),
      waiting: Type.Array(object({ place: text, signed: flag, created_at: instant })),
    }),
  ),
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
  /** Its past can be imported once its server is entered. */
  has_history: flag,
  /** What can be written to its server, and the permissions that this needs; null if nothing can be. */
  write_back_does: nullable(ownText),
  write_back_needs: nullable(ownText),
  /** What the server has several of, in the plural, and an example; null if the settings name the only one. */
  places: nullable(object({ noun: ownText, example: ownText })),
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

const DeliveryEntry = object({
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
  milliseconds: Type.Integer({ description: 'How long the processing took' }),
  waited_milliseconds: Type.Integer({
    description: 'From the arrival until it was processed, or, while it is accepted, until it was stored',
  }),
  accepted_first: Type.Boolean({
    description: 'It could not be processed while its sender waited: answered with `accepted`, then processed in order',
  }),
  bytes: nullable(integer),
  replay_of: nullable(integer),
  /** Sent by an owner to test the integration; its effects were rolled back. */
  test: flag,
})
const DeliveryDetail = object({
  ...DeliveryEntry.properties,
  headers: Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: text }),
  body: nullable(text),
  body_cut: flag,
  body_note: nullable(text),
  /** How long bodies are kept; null: forever. */
  body_kept_days: nullable(integer),
})
const Delivered = object({
  status: text,
  delivery_id: text,
  records: Type.Optional(DeliveryEntry.properties.records),
  warning: Type.Optional(text),
  /** For a test: what it would have created. */
  note: Type.Optional(text),
})

/** Of every part that an import has read. */
const byPart = <S extends TSchema>(value: S) => {
  const one = Type.Optional(value)
  const parts: Record<sets.ImportPart, typeof one> = {
    issues: one,
    changes: one,
    builds: one,
    deployments: one,
    releases: one,
    files: one,
  }
  return object(parts)
}

/** What a tool did before it was connected, read from its server. */
const Import = object({
  id: integer,
  project_id: integer,
  integration_id: integer,
  state: oneOf(sets.IMPORT_STATES),
  nightly: flag,
  since: instant,
  until: instant,
  part: nullable(oneOf(sets.IMPORT_PARTS)),
  /** By part: how many records were read, and how many of them were new. */
  counts: byPart(object({ read: integer, added: integer })),
  /** By part, if the tool says so: how many there are. */
  expected: byPart(integer),
  waits_until: nullable(instant),
  message: text,
  /** How many records an undo kept, because people wrote, decided, linked or corrected something on them. */
  kept: integer,
  created_by_user_id: nullable(integer),
  created_at: instant,
  updated_at: instant,
  finished_at: nullable(instant),
})

/** A delivery that made something is reported by the event of what it made. */
const delivered = { shows: EVENT_SOURCES } as const
const secret = Type.String({ minLength: 1, maxLength: SIGNING_SECRET_MAX })
const places = Type.Array(Type.String({ minLength: 1, maxLength: PLACE_MAX }), { maxItems: PLACES_MAX })
const config = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown())

const integrations = { scope: 'admin:integrations' } as const
const projectViewer = { role: 'viewer', ...integrations } as const
const projectLead = { role: 'lead', ...integrations } as const
const projectContributor = { role: 'contributor', ...integrations } as const

export const integrationRoutes = {
  listProviders: {
    ...plainGet,
    path: '/v1/providers',
    summary: 'List the tools that you can connect',
    ...integrations,
    reply: list('providers', Provider),
  },
  listIntegrations: {
    ...get,
    path: '/v1/projects/:project_id/integrations',
    summary: 'List the integrations of a project with their health',
    ...projectViewer,
    ...delivered,
    reply: list('integrations', Integration),
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
      /** By default its credential reaches only what the settings name and a lead confirms. */
      every_place: Type.Optional(flag),
    }),
    reply: IntegrationDetail,
    created: 201,
    writes: true,
  },
  showIntegration: {
    ...plainGet,
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'Show an integration with its webhook token and setup steps',
    ...projectLead,
    reply: IntegrationDetail,
  },
  editIntegration: {
    ...patch,
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'Change an integration: active, signing secrets, required signatures, settings, secret handshake',
    ...projectLead,
    body: partial({
      active: flag,
      signing_secrets: Type.Array(secret, { maxItems: SIGNING_SECRETS_MAX }),
      requires_signature: flag,
      config,
      ask_handshake: flag,
    }),
    reply: IntegrationDetail,
    writes: true,
  },
  switchWriteBack: {
    ...post,
    path: '/v1/projects/:project_id/integrations/:id/write_back',
    summary: 'Write results of builds to the server of a tool, or stop it',
    ...projectLead,
    body: object({ write_back: flag }),
    reply: IntegrationDetail,
    writes: true,
    detached: true,
  },
  setPlaces: {
    ...post,
    path: '/v1/projects/:project_id/integrations/:id/places',
    summary: 'Confirm jobs, projects or streams that the credential of an integration may be used for, remove them, or allow all',
    ...projectLead,
    body: partial({ every_place: flag, confirm: places, remove: places }),
    reply: IntegrationDetail,
    writes: true,
  },
  rotateIntegrationToken: {
    ...post,
    path: '/v1/projects/:project_id/integrations/:id/token',
    summary: 'Replace the webhook token; the old one stops working immediately',
    ...projectLead,
    reply: IntegrationDetail,
    writes: true,
  },
  deleteIntegration: {
    ...remove,
    path: '/v1/projects/:project_id/integrations/:id',
    summary: 'Delete an integration, its token and its delivery log; its changes and builds stay',
    ...projectLead,
    reply: Done,
    writes: true,
  },
  testIntegration: {
    ...post,
    path: '/v1/projects/:project_id/integrations/:id/test',
    summary: 'Send a test delivery',
    ...projectLead,
    reply: Delivered,
    writes: true,
    detached: true,
  },
  previewImport: {
    ...plainGet,
    path: '/v1/projects/:project_id/integrations/:id/import_preview',
    summary: 'Show how much of the past of a tool can be imported',
    ...projectLead,
    query: { days_back: param.importDays },
    reply: object({
      days: integer,
      /** `count` is null if the tool does not say how many there are. */
      parts: Type.Array(
        object({ name: oneOf(sets.IMPORT_PARTS), needs: ownText, count: nullable(integer), problem: nullable(text) }),
      ),
      minutes: nullable(integer),
      problem: nullable(text),
    }),
  },
  listImports: {
    ...plainGet,
    path: '/v1/projects/:project_id/integrations/:id/imports',
    summary: 'List the imports of an integration, newest first',
    ...projectLead,
    reply: list('imports', Import),
  },
  startImport: {
    ...post,
    path: '/v1/projects/:project_id/integrations/:id/imports',
    summary: 'Import past changes, builds, issues and deployments; sends no notifications',
    ...projectLead,
    body: object({ days: Type.Integer({ minimum: 1, maximum: IMPORT_DAYS_MAX }) }),
    reply: Import,
    created: 201,
    writes: true,
    detached: true,
  },
  cancelImport: {
    ...post,
    path: '/v1/projects/:project_id/imports/:id/cancel',
    summary: 'Cancel an import; what it has read stays',
    ...projectLead,
    reply: Import,
    writes: true,
  },
  undoImport: {
    ...post,
    path: '/v1/projects/:project_id/imports/:id/undo',
    summary: 'Delete what only an import reported',
    ...projectLead,
    reply: Import,
    writes: true,
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/projects/:project_id/deliveries',
    summary: 'List deliveries, newest first',
    ...projectContributor,
    query: {
      integration_id: param.described(param.shortReference, 'Id of the integration'),
      outcome: param.oneOf(sets.DELIVERY_OUTCOMES),
      before: param.described(param.reference, 'Id of the last delivery of the previous page'),
      limit: param.limit,
    },
    ...delivered,
    reply: object({ deliveries: Type.Array(DeliveryEntry), has_more: flag }),
  },
  showDelivery: {
    ...plainGet,
    path: '/v1/projects/:project_id/deliveries/:id',
    summary: 'Show a delivery with headers and body',
    ...projectContributor,
    reply: DeliveryDetail,
  },
  replayDelivery: {
    ...post,
    path: '/v1/projects/:project_id/deliveries/:id/replay',
    summary: 'Process a delivery again',
    ...projectLead,
    reply: Delivered,
    writes: true,
    detached: true,
  },
} as const
