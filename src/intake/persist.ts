import { type Database, isUniqueViolation } from '../db/database.ts'
import { enqueue } from '../db/queue.ts'
import type { IntegrationContext } from '../domain/integrations/context.ts'
import * as deliveries from '../domain/integrations/deliveries.ts'
import { scrub } from '../domain/privacy/scrub.ts'
import { type Applied, applyAll, applyPushes, Repeated } from './apply.ts'
import type { Fact } from './facts.ts'

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
  /** When reading it started, by this process's clock. */
  began: number
}

/** A batch does not wait long for a row lock: written separately, its other deliveries need not wait at all. */
const BATCH_LIMITS = { lockTimeout: 2_000 }

/** Writes deliveries of one integration with all their effects in one transaction: all of them or none. Results are in their order. */
export function persist(db: Database, context: IntegrationContext, readings: readonly Reading[]): Promise<Delivered[]> {
  const limits = readings.length > 1 ? BATCH_LIMITS : undefined
  return db.transaction(async (db) => {
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
    const ended = fresh.map(({ id, began, arrival: { body, lean_body, over_quota } }, index) => {
      const { outcome, records, warnings } = applied[index]!
      // No build has the log.
      const whole = outcome !== 'processed' && lean_body && !over_quota ? { body } : {}
      return { id, outcome, status: 200, records, ...warned(warnings), milliseconds: since(began), ...whole }
    })
    if (ended.length > 0) await deliveries.finish(db, context.account_id, ended)
    const answers = new Map(ended.map((one): [number, Delivered] => [one.id, answerOf(one.id, one)]))
    const delivered: Delivered[] = []
    for (const [index, reading] of readings.entries())
      delivered.push(answers.get(ids[index] ?? 0) ?? (await noteRepeat(db, reading)))
    return delivered
  }, limits)
}

/** The same for deliveries with only changes, in one statement. Throws, see `isRepeat`, if one of them took effect before. */
export function persistChanges(db: Database, context: IntegrationContext, readings: readonly Reading[]): Promise<Delivered[]> {
  const limits = readings.length > 1 ? BATCH_LIMITS : undefined
  const reported = readings.map(({ facts }) => facts)
  const unless = deliveries.tookEffect(readings.map(({ arrival }) => arrival))
  return db.transaction(async (db) => {
    const { records, receipts } = await applyPushes(db, context, reported, (pushes) => ({
      unless,
      receipts: deliveries.addingReceipts(
        readings.map(({ arrival, began }, index) => ({
          arrival,
          identifiers: pushes[index]!.map(({ identifier }) => identifier),
          milliseconds: since(began),
        })),
      ),
    }))
    const ids = new Map(receipts.map(({ id, dedupe_key }) => [dedupe_key, id]))
    return readings.map(({ arrival }, index) => ({
      status: 'processed',
      delivery_id: String(ids.get(arrival.dedupe_key)!),
      records: records[index]!,
    }))
  }, limits)
}

export const isRepeat = (error: unknown) => error instanceof Repeated || isUniqueViolation(error, 'deliveries_once')

const warned = (said: string[]) => {
  const warnings = said.map(scrub)
  return { warnings, message: warnings.join(' ') }
}

const answerOf = (id: number, { outcome, records, warnings, message }: Applied & { message: string }): Delivered => ({
  status: outcome,
  delivery_id: String(id),
  records,
  ...(warnings.length > 0 && { warning: message, warnings }),
})

async function noteRepeat(db: Database, { arrival, began }: Reading): Promise<Delivered> {
  const noted: deliveries.Kept = { outcome: 'duplicate', status: 200, records: [], message: '', milliseconds: since(began) }
  return { status: 'duplicate', delivery_id: String(await deliveries.note(db, arrival, noted)), records: [] }
}

const since = (began: number) => Math.round(performance.now() - began)

/** For tools that get a response before the work is done: stored now with its facts, applied by a job. */
export function enqueueDelivery(db: Database, { account_id }: IntegrationContext, reading: Reading): Promise<Delivered> {
  const { arrival, facts } = reading
  return db.transaction(async (db) => {
    const [id] = await deliveries.accept(db, [{ ...arrival, facts: JSON.stringify(facts) }], 'accepted')
    if (id === undefined) return noteRepeat(db, reading)
    await enqueue(db, 'ingest', { account_id, delivery_id: id }, { account_id })
    return { status: 'accepted', delivery_id: String(id) }
  })
}
