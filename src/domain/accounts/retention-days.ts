import type { RetentionKind } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

/** For how many days what is kept; null keeps it for good. */
export const RETENTION_DEFAULTS = {
  /** Bodies of deliveries; without its body a delivery cannot be replayed. */
  bodies: 30,
  /** The delivery log; a delivery that comes again after this time counts as a new one. */
  deliveries: 180,
  /** What happened, for streams that resume and webhooks that catch up. */
  outbox: 7,
  /** Finished messages of outbound webhooks with their attempts. */
  outgoing: 30,
  /** Messages to chat channels with their attempts; after this time one is not changed any more. */
  channel_messages: 90,
  notifications: 90,
  mails: 30,
  /** Jobs that were given up, so that somebody can ask why. */
  jobs: 30,
  logs: null,
  investigations: null,
} satisfies Record<string, number | null>

export type Retained = keyof typeof RETENTION_DEFAULTS
export type Retention = Record<Retained, number | null>

/** Days of the kinds that an account sets for itself; what it does not name is kept as long as the service keeps it. */
export type AccountRetention = Partial<Record<RetentionKind, number>>

/** How long an account keeps what; null: for good. */
export const effective = (service: Retention, own: AccountRetention, kind: RetentionKind): number | null =>
  service[kind] === null ? (own[kind] ?? null) : Math.min(service[kind], own[kind] ?? service[kind])

/** Days that an account keeps bodies; null: for good. */
export const bodyDays = (days: number | null, accountId: number) =>
  sql`least(${days}::integer, (select (retention->>'bodies')::integer from accounts where id = ${accountId}))`
