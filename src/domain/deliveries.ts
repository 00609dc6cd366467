import type { DeliveryOutcome } from '../contract/sets.ts'
import { type Database, sql } from '../db/database.ts'

/** A request with a good token, as it is kept. */
export interface Arrival {
  integration_id: number
  path: string
  event: string
  dedupe_key: string
  headers: Record<string, string>
  body: Buffer
  replay_of?: number
}

export interface Kept {
  outcome: DeliveryOutcome
  status: number
  records: { type: string; id: number | string }[]
  message: string
  milliseconds: number
}

/**
 * Takes the delivery in unless one like it took effect before; a twin at the same instant waits here and finds out. The outcome is
 * the one it will most likely have, so that finishing it rarely touches an index.
 */
export const accept = async (db: Database, arrival: Arrival, outcome: 'processed' | 'accepted'): Promise<number | undefined> =>
  (
    await db.one<{ id: number }>(sql`
      insert into deliveries (integration_id, path, event, dedupe_key, counts, outcome, status, headers, body, replay_of)
      values (${arrival.integration_id}, ${arrival.path}, ${arrival.event}, ${arrival.dedupe_key}, ${arrival.replay_of === undefined},
        ${outcome}, ${outcome === 'accepted' ? 202 : 200}, ${JSON.stringify(arrival.headers)}::jsonb, ${arrival.body}, ${arrival.replay_of ?? null})
      on conflict (integration_id, dedupe_key) where counts do nothing
      returning id`)
  )?.id

export const finish = (db: Database, id: number, kept: Kept) =>
  db.count(sql`
    update deliveries set outcome = ${kept.outcome}, status = ${kept.status}, records = ${JSON.stringify(kept.records)}::jsonb,
      message = ${kept.message}, milliseconds = ${kept.milliseconds}
    where id = ${id}`)

/** Writes down a delivery that changed nothing: a repeat, or one that could not be used. */
export const note = async (db: Database, arrival: Arrival, kept: Kept): Promise<number> =>
  (await db.one<{ id: number }>(sql`
    insert into deliveries (integration_id, path, event, dedupe_key, outcome, status, headers, body, records, message, milliseconds, replay_of)
    values (${arrival.integration_id}, ${arrival.path}, ${arrival.event}, ${arrival.dedupe_key}, ${kept.outcome}, ${kept.status},
      ${JSON.stringify(arrival.headers)}::jsonb, ${arrival.body}, ${JSON.stringify(kept.records)}::jsonb, ${kept.message},
      ${kept.milliseconds}, ${arrival.replay_of ?? null})
    returning id`))!.id

const KEPT_DAYS = 30

/** Bodies go after their time; what became of the delivery stays. */
export const forgetBodies = (db: Database) =>
  db.count(sql`
    update deliveries set body = null
    where body is not null and received_at < now() - make_interval(days => ${KEPT_DAYS})`)
