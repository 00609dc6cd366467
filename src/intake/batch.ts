import { type Database, isConnectionError, isDeadlock, isTransient } from '../db/database.ts'
import type { IntegrationContext } from '../domain/integrations/context.ts'
import type { IntegrationAuth } from '../domain/integrations/webhook-access.ts'
import { admit } from './admission.ts'
import { waitsForMemory } from './body-memory.ts'
import {
  allLines,
  keysOf,
  type Line,
  type Lines,
  linesOf,
  type PendingDelivery,
  takeBatch,
  takeDeferred,
  type Way,
  wayOf,
} from './lines.ts'
import { type Delivered, defer, isRepeat, persist, persistChanges, type Reading } from './persist.ts'

/** The part of a sender's patience that its delivery waits to be processed; the rest is for storing it. */
const WAITING_SHARE = 0.7
/** The part after which a delivery is not processed any more, only stored. */
const WORKING_SHARE = 0.9
/** The longest wait for another session's lock; after that the delivery is stored and processed later. */
const LOCK_MS = 4_000
const LOCK_LEAST_MS = 500

/** A repeat of a delivery that is being written waits for it. */
const STORE_LOCK_MS = 2_000

/** So many of a batch wait for other sessions that the rest would too. */
const STUCK = 3

/** A delivery whose connection was lost later than this is not stored over another one. */
const RECONNECT_MS = 4_000

/** Transactions at a time: while PostgreSQL writes one, the next batch is collected and sent. */
const WRITERS_MAX = 2

const stopped = new WeakSet<Database['origin']>()

let places = 0

/** Before the process stops: what waits for its turn is stored. */
export function stopWaiting(db: Database) {
  stopped.add(db.origin)
  for (const lines of allLines(db)) deferSoon(db, lines, [])
}

/** What is known of an integration when one of its deliveries has arrived. */
type Context = IntegrationContext & Partial<Pick<IntegrationAuth, 'is_behind' | 'asked_at'>>

/**
 * Deliveries that arrive while earlier ones of their integration are still being written share the next transaction: a burst costs a few
 * statements instead of many for each delivery. One waits for its turn as long as its sender does; then it is stored and processed later,
 * as is everything behind it. `patience`: milliseconds until its sender gives up.
 */
export function batch(db: Database, context: Context, reading: Reading, patience: number): Promise<Delivered> {
  if (reading.arrival.replay_of !== undefined) return persistAlone(db, context, reading, patience)
  return new Promise<Delivered>((answer, fail) => {
    const way = wayOf(reading.facts)
    const lines = linesOf(db, context.integration_id, patience)
    const keys = keysOf(reading.facts)
    const pending: PendingDelivery = { context, reading, place: ++places, keys, answer, fail, timer: undefined }
    if (isBehind(lines, context) || stopped.has(db.origin) || waitsForMemory(context.account_id))
      return deferSoon(db, lines, [pending])
    const line: Line = lines.lines.get(way) ?? { way, waiting: [], writers: 0 }
    lines.lines.set(way, line)
    const left = patience * WAITING_SHARE - (performance.now() - reading.began)
    pending.timer = setTimeout(() => deferSoon(db, lines, []), Math.max(0, left))
    line.waiting.push(pending)
    wake(db, lines, line)
  })
}

/** Earlier deliveries are stored, or were not yet when the database was asked. */
const isBehind = ({ deferred, isDeferring, deferredAt }: Lines, { is_behind, asked_at }: Context) =>
  is_behind === true || deferred.length > 0 || isDeferring || (asked_at !== undefined && asked_at <= deferredAt)

const wake = (db: Database, lines: Lines, line: Line) => {
  if (line.waiting.length > 0 && line.writers < WRITERS_MAX) void drain(db, lines, line)
}

async function drain(db: Database, lines: Lines, line: Line) {
  line.writers++
  // Deliveries that arrived in the same turn of the event loop join the first batch.
  await new Promise(setImmediate)
  const accountId = line.waiting[0]?.context.account_id
  if (accountId !== undefined)
    for (let more = true; more && line.waiting.length > 0; )
      more = await admit(db, accountId, async () => {
        const taken = takeBatch(lines, line)
        await write(db, lines, line.way, taken)
        // Bodies in memory keep others from being read: stored, they don't.
        if (waitsForMemory(accountId)) deferSoon(db, lines, [])
        return taken.length > 0
      })
  line.writers--
}

async function write(db: Database, lines: Lines, way: Way, taken: PendingDelivery[]) {
  if (taken.length === 0) return
  const keys = taken.flatMap((one) => one.keys)
  for (const key of keys) lines.writing.set(key, (lines.writing.get(key) ?? 0) + 1)
  const began = performance.now()
  for (const { reading, timer } of taken) {
    clearTimeout(timer)
    reading.waited = began - reading.began
  }
  await writeTogether(db, lines, way, taken)
  for (const key of keys) {
    const left = lines.writing.get(key)! - 1
    if (left > 0) lines.writing.set(key, left)
    else lines.writing.delete(key)
  }
  if (lines.deferred.length > 0) deferSoon(db, lines, [])
  // What waited for these in another line.
  for (const line of lines.lines.values()) if (line.way !== way) wake(db, lines, line)
}

async function writeTogether(db: Database, lines: Lines, way: Way, taken: PendingDelivery[]) {
  // What only one of them names is not vouched for by the signature of another one.
  const context = { ...taken.at(-1)!.context, signed: taken.every(({ reading }) => reading.signed) }
  const readings = taken.map(({ reading }) => reading)
  const lockTimeout = lockTimeoutOf(readings[0]!, lines.patience, taken.length)
  try {
    const delivered = await (way === 'changes' ? persistChanges : persist)(db, context, readings, lockTimeout)
    for (const [index, { answer }] of taken.entries()) answer(delivered[index]!)
  } catch (error) {
    // One bad delivery, or a repeat, fails the whole transaction: each is written separately, so that it does not affect the others.
    if (isConnectionError(error)) deferOrFail(db, lines, taken, error)
    else if (taken.length > 1 || isDeadlock(error) || isRepeat(error)) await writeEach(db, lines, taken)
    else if (isTransient(error)) deferSoon(db, lines, taken)
    else taken[0]!.fail(error)
  }
}

/** In their order; one that waits for another session is deferred, and with it those that must not overtake it. */
async function writeEach(db: Database, lines: Lines, taken: PendingDelivery[]) {
  const deferred: PendingDelivery[] = []
  const blocked = new Set<string>()
  for (const one of taken) {
    const { context, reading, keys, answer, fail } = one
    const later = () => {
      deferred.push(one)
      for (const key of keys) blocked.add(key)
    }
    const isLate = performance.now() - reading.began > lines.patience * WORKING_SHARE
    if (isLate || deferred.length >= STUCK || keys.some((key) => blocked.has(key))) later()
    else
      await persist(db, context, [reading], taken.length > 1 ? LOCK_LEAST_MS : LOCK_MS).then(
        ([delivered]) => answer(delivered!),
        (error) => {
          if (isConnectionError(error)) deferOrFail(db, lines, [one], error)
          else if (isTransient(error)) later()
          else fail(error)
        },
      )
  }
  deferSoon(db, lines, deferred)
}

/** A lost connection is replaced by the next one, unless the database is away: then the sender finds out in time. */
function deferOrFail(db: Database, lines: Lines, taken: PendingDelivery[], error: unknown) {
  const now = performance.now()
  const isSoon = ({ reading }: PendingDelivery) => now - reading.began < RECONNECT_MS
  deferSoon(db, lines, taken.filter(isSoon))
  for (const one of taken) if (!isSoon(one)) one.fail(error)
}

/** A batch does not wait long for a row: written separately, its other deliveries need not wait at all. */
const BATCH_LOCK_MS = 2_000
const lockTimeoutOf = ({ began }: Reading, patience: number, count: number) =>
  Math.round(
    Math.max(
      LOCK_LEAST_MS,
      Math.min(count > 1 ? BATCH_LOCK_MS : LOCK_MS, patience * WORKING_SHARE - (performance.now() - began)),
    ),
  )

async function persistAlone(db: Database, context: IntegrationContext, reading: Reading, patience: number): Promise<Delivered> {
  const attempt = () => admit(db, context.account_id, async () => (await persist(db, context, [reading], LOCK_MS))[0]!, patience)
  // The victim of a deadlock succeeds on its second attempt.
  return attempt().catch((error) => (isDeadlock(error) ? attempt() : Promise.reject(error)))
}

/** Deliveries can't be processed in time, so they are stored, with everything that waits behind them. */
function deferSoon(db: Database, lines: Lines, late: readonly PendingDelivery[]) {
  const waiting = [...lines.lines.values()].flatMap((line) => line.waiting.splice(0))
  const all = [...lines.deferred, ...late, ...waiting]
  for (const { timer } of all) clearTimeout(timer)
  lines.deferred = all.toSorted((a, b) => a.place - b.place)
  if (!lines.isDeferring) void deferEach(db, lines)
}

/** In their order, in few transactions. */
async function deferEach(db: Database, lines: Lines) {
  lines.isDeferring = true
  await new Promise(setImmediate)
  for (let taken = takeDeferred(lines); taken.length > 0; taken = takeDeferred(lines)) {
    await store(db, taken)
    lines.deferredAt = performance.now()
  }
  lines.isDeferring = false
}

/** Together; if that fails, one by one, so that one that can't be stored affects no other. */
async function store(db: Database, taken: readonly PendingDelivery[]): Promise<void> {
  const readings = taken.map(({ reading }) => reading)
  try {
    const delivered = await defer(db, taken[0]!.context, readings, STORE_LOCK_MS)
    for (const [index, { answer }] of taken.entries()) answer(delivered[index]!)
  } catch (error) {
    if (taken.length > 1 && !isConnectionError(error)) for (const one of taken) await store(db, [one])
    else for (const { fail } of taken) fail(error)
  }
}
