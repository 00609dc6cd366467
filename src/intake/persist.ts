import { type Database, isUniqueViolation } from '../db/database.ts'
import { enqueue } from '../db/queue.ts'
import type { IntegrationContext } from '../domain/integrations/context.ts'
import * as deliveries from '../domain/integrations/deliveries.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import { type Applied, applyAll, applyPushes, Repeated } from './apply.ts'
import type { Fact } from './facts.ts'
import { writeFacts } from './stored-facts.ts'

export interface Delivered {
  /** `failed`: not readable, from a tool that must not get an error. */
  status: 'processed' | 'duplicate' | 'stale' | 'ignored' | 'accepted' | 'failed'
  delivery_id: string
  records?: Applied['records']
  /** Why it failed. */
  message?: string
  /** All warnings as one text. */
  warning?: string
  warnings?: string[]
  /** For a test: what it would have created. */
  note?: string
}

/** A delivery and its facts. */
export interface Reading {
  arrival: deliveries.Arrival
  facts: Fact[]
  /** Its sender signed it. */
  signed: boolean
  /** When reading it started, by this process's clock. */
  began: number
  /** Milliseconds until its turn came. */
  waited?: number
}

/**
 * Writes deliveries of one integration with all their effects in one transaction: all of them or none. Results are in their order.
 * `lockTimeout`: the longest wait for another session, in milliseconds.
 */
export function persist(
  db: Database,
  context: IntegrationContext,
  readings: readonly Reading[],
  lockTimeout: number,
): Promise<Delivered[]> {
  return db.transaction(
    async (db) => {
      const ids = await deliveries.accept(
        db,
        readings.map(({ arrival }) => arrival),
        'processed',
      )
      const fresh = readings.flatMap((reading, index) => (ids[index] === undefined ? [] : [{ ...reading, id: ids[index] }]))
      const applied = await applyAll(
        db,
        context,
        fresh.map(({ facts }) => facts),
      )
      const ended = fresh.map((reading, index) => {
        const { body, lean_body, over_quota } = reading.arrival
        const { outcome, records, warnings } = applied[index]!
        // No build has the log.
        const whole = outcome !== 'processed' && lean_body && !over_quota ? { body, body_note: null } : {}
        return { id: reading.id, outcome, status: 200, records, ...warned(warnings), ...timesOf(reading), ...whole }
      })
      if (ended.length > 0) await deliveries.finish(db, context.account_id, ended)
      const answers = new Map(ended.map((one): [number, Delivered] => [one.id, answerOf(one.id, one)]))
      const delivered: Delivered[] = []
      for (const [index, reading] of readings.entries())
        delivered.push(answers.get(ids[index] ?? 0) ?? (await noteRepeat(db, reading)))
      return delivered
    },
    { lockTimeout },
  )
}

/** The same for deliveries with only changes, in one statement. Throws, see `isRepeat`, if one of them took effect before. */
export function persistChanges(
  db: Database,
  context: IntegrationContext,
  readings: readonly Reading[],
  lockTimeout: number,
): Promise<Delivered[]> {
  const reported = readings.map(({ facts }) => facts)
  const unless = deliveries.tookEffect(readings.map(({ arrival }) => arrival))
  return db.transaction(
    async (db) => {
      const { records, receipts } = await applyPushes(db, context, reported, (pushes) => ({
        unless,
        receipts: deliveries.addingReceipts(
          readings.map((reading, index) => ({
            arrival: reading.arrival,
            identifiers: pushes[index]!.map(({ identifier }) => identifier),
            ...timesOf(reading),
          })),
        ),
      }))
      const ids = new Map(receipts.map(({ id, dedupe_key }) => [dedupe_key, id]))
      return readings.map(({ arrival }, index) => ({
        status: 'processed',
        delivery_id: String(ids.get(arrival.dedupe_key)!),
        records: records[index]!,
      }))
    },
    { lockTimeout },
  )
}

export const isRepeat = (error: unknown) => error instanceof Repeated || isUniqueViolation(error, 'deliveries_once')

export const warned = (said: string[]) => {
  const warnings = said.map(scrub)
  return { warnings, message: warnings.join(' ') }
}

const answerOf = (id: number, { outcome, records, warnings, message }: Applied & { message: string }): Delivered => ({
  status: outcome,
  delivery_id: String(id),
  records,
  ...(warnings.length > 0 && { warning: message, warnings }),
})

async function noteRepeat(db: Database, reading: Reading): Promise<Delivered> {
  const noted: deliveries.Kept = { outcome: 'duplicate', status: 200, records: [], message: '', ...timesOf(reading) }
  return { status: 'duplicate', delivery_id: String(await deliveries.note(db, reading.arrival, noted)), records: [] }
}

/** How long a delivery waited for its turn, and how long its processing took. */
const timesOf = ({ began, waited = 0 }: Reading) => ({
  waited: Math.round(waited),
  milliseconds: Math.round(performance.now() - began - waited),
})

/** For tools that get a response before the work is done: stored now with its facts, applied by a job. */
export function enqueueDelivery(db: Database, { account_id }: IntegrationContext, reading: Reading): Promise<Delivered> {
  return db.transaction(async (db) => {
    const [id] = await deliveries.accept(db, [{ ...reading.arrival, facts: writeFacts(reading) }], 'accepted')
    if (id === undefined) return noteRepeat(db, reading)
    await enqueue(db, 'ingest', { account_id, delivery_id: id }, { account_id })
    return { status: 'accepted', delivery_id: String(id) }
  })
}

/** Deliveries of one integration that can't be processed while their senders wait: stored in their order, processed by one job. */
export function defer(
  db: Database,
  { account_id, integration_id }: IntegrationContext,
  readings: readonly Reading[],
  lockTimeout: number,
): Promise<Delivered[]> {
  return db.transaction(
    async (db) => {
      const ids = await deliveries.accept(
        db,
        readings.map((reading) => ({
          ...reading.arrival,
          facts: writeFacts(reading),
          deferred: { waited: Math.round(performance.now() - reading.began) },
        })),
        'accepted',
      )
      if (ids.some((id) => id !== undefined)) await enqueueCatchUp(db, account_id, integration_id)
      const delivered: Delivered[] = []
      for (const [index, reading] of readings.entries()) {
        const id = ids[index]
        delivered.push(id === undefined ? await noteRepeat(db, reading) : { status: 'accepted', delivery_id: String(id) })
      }
      return delivered
    },
    { lockTimeout },
  )
}

/** Besides the other jobs of its account, which may be many. */
const enqueueCatchUp = (db: Database, account_id: number, integration_id: number) =>
  enqueue(
    db,
    'catch_up',
    { account_id, integration_id },
    { account_id, owner: `deliveries:${account_id}`, name: `catch up ${integration_id}` },
  )
