import { type Database, type Pool, sql } from '../db/database.ts'
import * as deliveries from '../domain/integrations/deliveries.ts'
import type { Place } from '../domain/integrations/place.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import { readBody } from './body.ts'
import { type Delivery, Unreadable } from './facts.ts'
import { ingestHeavy, LONG_STORED } from './heavy/heavy.ts'
import { providers } from './providers/index.ts'
import { record } from './record.ts'

interface Stored extends Place {
  path: string
  headers: Record<string, string>
  body: Buffer | null
  body_note: string | null
  received_at: string
  outcome: string
}

/** Does what was promised when the tool was answered. */
export async function ingest(db: Pool, id: number): Promise<void> {
  const large = await db.one<{ account_id: number }>(sql`
    select p.account_id from deliveries d join integrations i on i.id = d.integration_id join projects p on p.id = i.project_id
    where d.id = ${id} and octet_length(d.body) >= ${LONG_STORED}`)
  try {
    await (large ? ingestHeavy(db, { ...large, delivery_id: id }) : ingestHere(db, id))
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    // It will be no more readable the next time.
    await deliveries.giveUp(db, id, error.message)
  }
}

/** The delivery and what it causes change together. */
export function ingestHere(db: Database, id: number): Promise<void> {
  return db.transaction(async (db) => {
    const began = performance.now()
    const stored = await find(db, id)
    // Done before: this is a second try after the answer to the first was lost.
    if (stored?.outcome !== 'accepted' || stored.body === null) return
    const facts = providers[stored.provider].read(deliveryOf(stored, stored.body))
    const { records, outcome, warnings } = await record(db, stored, facts)
    const milliseconds = Math.round(performance.now() - began)
    await deliveries.finish(db, [{ id, outcome, status: 202, records, message: scrub(warnings.join(' ')), milliseconds }])
    if (stored.body_note === 'quota') await deliveries.dropBody(db, id)
  })
}

const find = (db: Database, id: number) =>
  db.one<Stored>(sql`
    select d.path, d.headers, d.body, d.body_note, d.received_at, d.outcome, i.id as integration_id, i.provider, i.config, p.id as project_id,
      p.account_id, p.engine, p.approval_types
    from deliveries d join integrations i on i.id = d.integration_id join projects p on p.id = i.project_id
    where d.id = ${id} for update of d`)

/** A stored delivery as it arrived. */
export const deliveryOf = (stored: Omit<Stored, 'body' | 'body_note'>, raw: Buffer): Delivery => ({
  ...unread(stored, raw),
  body: readBody(raw, stored.headers['content-type']),
})

export const unread = ({ path, headers, config, received_at }: Omit<Stored, 'body' | 'body_note'>, raw: Buffer): Delivery => ({
  path,
  headers,
  raw,
  body: undefined,
  url: '',
  received: new Date(received_at),
  config,
})
