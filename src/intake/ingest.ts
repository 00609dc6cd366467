import { type Database, type Pool, sql } from '../db/database.ts'
import type { IntegrationContext } from '../domain/integrations/context.ts'
import * as deliveries from '../domain/integrations/deliveries.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import { apply } from './apply.ts'
import { ingestHeavy, LONG_STORED } from './heavy/heavy.ts'
import { parseBody } from './parse-body.ts'
import type { Delivery } from './provider.ts'
import { providers } from './providers/index.ts'
import { Unreadable } from './reading.ts'
import { readFacts } from './stored-facts.ts'

interface Stored extends IntegrationContext {
  path: string
  headers: Record<string, string>
  body: Buffer | null
  received_at: string
  outcome: string
  status: number
  /** Null for deliveries accepted by an older version. */
  facts: string | null
}

/** Applies an accepted delivery after the response. */
export async function ingest(db: Pool, delivery: deliveries.DeliveryKey): Promise<void> {
  const large = await db.one(sql`
    select from deliveries d where ${called(delivery)} and greatest(octet_length(d.body), octet_length(d.facts)) >= ${LONG_STORED}`)
  try {
    await (large ? ingestHeavy(db, delivery) : ingestHere(db, delivery))
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    // It will not become readable on a retry.
    await deliveries.giveUp(db, delivery, error.message)
  }
}

/** The delivery and its results change together. */
export function ingestHere(db: Database, delivery: deliveries.DeliveryKey): Promise<void> {
  return db.transaction(async (db) => {
    const began = performance.now()
    const stored = await find(db, delivery)
    // Already done: this is a retry after the result of the first was lost.
    if (stored?.outcome !== 'accepted' || stored.body === null) return
    const { facts, signed } =
      stored.facts === null
        ? { facts: providers[stored.provider].read(deliveryOf(stored, stored.body)), signed: false }
        : readFacts(stored.facts)
    const { records, outcome, warnings } = await apply(db, { ...stored, signed }, facts)
    const milliseconds = Math.round(performance.now() - began)
    const message = scrub(warnings.join(' '))
    await deliveries.finish(db, delivery.account_id, [
      { id: delivery.delivery_id, outcome, status: stored.status, records, message, milliseconds },
    ])
    await deliveries.clearFacts(db, delivery.account_id, [delivery.delivery_id])
  })
}

const called = ({ account_id, delivery_id }: deliveries.DeliveryKey) =>
  sql`d.account_id = ${account_id} and d.id = ${delivery_id}`

const find = (db: Database, delivery: deliveries.DeliveryKey) =>
  db.one<Stored>(sql`
    select d.path, d.headers, d.body, d.facts, d.received_at, d.outcome, d.status, i.id as integration_id, i.provider, i.config, p.id as project_id,
      p.account_id, p.engine, p.approval_rules
    from deliveries d join integrations i on i.id = d.integration_id join projects p on p.id = i.project_id
    where ${called(delivery)} for update of d`)

/** A stored delivery as it arrived. */
export const deliveryOf = (stored: Omit<Stored, 'body' | 'facts'>, raw: Buffer): Delivery => ({
  ...unread(stored, raw),
  body: parseBody(raw, stored.headers['content-type']),
})

export const unread = ({ path, headers, config, received_at }: Omit<Stored, 'body' | 'facts'>, raw: Buffer): Delivery => ({
  path,
  headers,
  raw,
  body: undefined,
  url: '',
  received: new Date(received_at),
  config,
})
