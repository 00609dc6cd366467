import type { Database } from '../db/database.ts'
import { enqueue } from '../db/queue.ts'
import * as deliveries from '../domain/integrations/deliveries.ts'
import type { Place } from '../domain/integrations/place.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import type { Fact } from './facts.ts'
import { type Recorded, recordAll } from './record.ts'

export interface Delivered {
  status: 'processed' | 'duplicate' | 'stale' | 'ignored' | 'accepted'
  delivery_id: string
  records?: Recorded['records']
  warning?: string
}

/** A delivery and what it says. */
export interface Reading {
  arrival: deliveries.Arrival
  facts: Fact[]
  /** When its reading began, on the clock of this process. */
  began: number
}

/** Who shares a transaction does not wait long for a row: alone, the others need not wait at all. */
const SHARED_LIMITS = { lockTimeout: 2_000 }

/** Deliveries of one integration with everything they cause, in one transaction: all of them or none. Answers in their order. */
export function keep(db: Database, place: Place, readings: readonly Reading[]): Promise<Delivered[]> {
  const limits = readings.length > 1 ? SHARED_LIMITS : undefined
  return db.transaction(async (db) => {
    const ids = await deliveries.accept(
      db,
      readings.map(({ arrival }) => arrival),
      'processed',
    )
    const fresh = readings.flatMap((reading, index) => (ids[index] === undefined ? [] : [{ ...reading, id: ids[index] }]))
    const recorded = await recordAll(
      db,
      place,
      fresh.map(({ facts }) => facts),
    )
    const ended = fresh.map(({ id, began }, index) => {
      const { outcome, records, warnings } = recorded[index]!
      return { id, outcome, status: 200, records, message: scrub(warnings.join(' ')), milliseconds: since(began) }
    })
    if (ended.length > 0) await deliveries.finish(db, ended)
    const answers = new Map(
      ended.map(({ id, outcome, records, message }): [number, Delivered] => [
        id,
        { status: outcome, delivery_id: String(id), records, ...(message !== '' && { warning: message }) },
      ]),
    )
    const delivered: Delivered[] = []
    for (const [index, reading] of readings.entries())
      delivered.push(answers.get(ids[index] ?? 0) ?? (await noteRepeat(db, reading)))
    return delivered
  }, limits)
}

async function noteRepeat(db: Database, { arrival, began }: Reading): Promise<Delivered> {
  const kept: deliveries.Kept = { outcome: 'duplicate', status: 200, records: [], message: '', milliseconds: since(began) }
  return { status: 'duplicate', delivery_id: String(await deliveries.note(db, arrival, kept)), records: [] }
}

const since = (began: number) => Math.round(performance.now() - began)

/** For tools that are answered before the work is done: kept now, read by a job. */
export const keepForLater = (db: Database, { account_id }: Place, arrival: deliveries.Arrival): Promise<Delivered> => {
  const began = performance.now()
  return db.transaction(async (db) => {
    const [id] = await deliveries.accept(db, [arrival], 'accepted')
    if (id === undefined) return noteRepeat(db, { arrival, facts: [], began })
    await enqueue(db, 'ingest', { delivery_id: id }, { owner: `account:${account_id}` })
    return { status: 'accepted', delivery_id: String(id) }
  })
}
