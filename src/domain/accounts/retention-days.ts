import type { RetentionKind } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

/** Retention in days by kind; null keeps it forever. */
export const RETENTION_DEFAULTS = {
  /** Bodies of deliveries; without its body a delivery cannot be replayed. */
  bodies: 30,
  /** The delivery log; a delivery that is repeated after this time counts as a new one. */
  deliveries: 180,
  /** Events, for streams that resume and webhooks that catch up. */
  outbox: 7,
  /** Finished messages of outbound webhooks with their attempts. */
  outgoing: 30,
  /** Messages to chat channels with their attempts; after this time a message is no longer edited. */
  channel_messages: 90,
  notifications: 90,
  mails: 30,
  /** Jobs that failed for good, kept for troubleshooting. */
  jobs: 30,
  /** Outcomes and durations of tests per build; failures stay. */
  test_runs: 90,
  /** Uploaded files of builds. */
  artifacts: null,
  logs: null,
  investigations: null,
} satisfies Record<string, number | null>

export type Retained = keyof typeof RETENTION_DEFAULTS
export type Retention = Record<Retained, number | null>

/** Retention by kind that an account sets; the service's retention applies to the rest. */
export type AccountRetention = Partial<Record<RetentionKind, number>> & {
  /** How many of the newest builds of a job, branch and platform keep their artifacts; all if absent. */
  artifact_builds?: number
}

/** The retention of an account in days; null: forever. */
export const effective = (service: Retention, own: AccountRetention, kind: RetentionKind): number | null =>
  service[kind] === null ? (own[kind] ?? null) : Math.min(service[kind], own[kind] ?? service[kind])

/** Days that an account keeps bodies; null: forever. */
export const bodyDays = (days: number | null, accountId: number) =>
  sql`least(${days}::integer, (select (retention->>'bodies')::integer from accounts where id = ${accountId}))`
