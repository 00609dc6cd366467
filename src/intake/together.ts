import { unavailable } from '../contract/errors.ts'
import { type Database, isConnectionError, isDeadlock } from '../db/database.ts'
import type { Place } from '../domain/integrations/place.ts'
import { admit } from './admission.ts'
import { isChange } from './facts.ts'
import { type Delivered, keep, type Reading } from './keep.ts'

/** A delivery whose tool waits for the answer. */
interface Waiting {
  place: Place
  reading: Reading
  answer: (delivered: Delivered) => void
  fail: (error: unknown) => void
}

/** In one transaction; what is more waits for the next one. */
const DELIVERIES_MAX = 32
const CHANGES_MAX = 500
/** Larger ones cost enough to be written by themselves. */
const BODY_MAX = 256 * 1024

/** Who stood in line longer is asked to come again: bodies must not pile up because the database is stuck. */
const IN_LINE_MS = 4_000
/** Nobody waits longer for an answer. What was begun may still be written: a repeat finds it. */
const ANSWER_MS = 6_000

/** Transactions at a time: while PostgreSQL writes one, the next is gathered and sent. */
const AT_ONCE = 2

/** Those of one integration that wait while others of it are written. */
interface Queue {
  waiting: Waiting[]
  writers: number
}
const queues = new WeakMap<Database, Map<number, Queue>>()

/**
 * Changes that a tool tells while its earlier ones are still being written are written together: a burst costs a few statements
 * instead of a few for each delivery, and they do not wait in line for the same rows. Everything else is written by itself.
 */
export async function keepTogether(db: Database, place: Place, reading: Reading): Promise<Delivered> {
  if (reading.arrival.body.length > BODY_MAX) return keepAlone(db, place, reading)
  return soon(joins(reading) ? standInLine(db, place, reading) : keepAlone(db, place, reading))
}

function soon<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable()), ANSWER_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const standInLine = (db: Database, place: Place, reading: Reading) =>
  new Promise<Delivered>((answer, fail) => {
    const queue = queueOf(db, place.integration_id)
    queue.waiting.push({ place, reading, answer, fail })
    if (queue.writers < AT_ONCE) void workOff(db, queue)
  })

function queueOf(db: Database, integrationId: number): Queue {
  const ofDatabase = queues.get(db) ?? new Map<number, Queue>()
  queues.set(db, ofDatabase)
  const queue = ofDatabase.get(integrationId) ?? { waiting: [], writers: 0 }
  ofDatabase.set(integrationId, queue)
  return queue
}

const joins = ({ arrival, facts }: Reading) =>
  arrival.replay_of === undefined && facts.length > 0 && facts.length <= CHANGES_MAX && facts.every(isChange)

async function keepAlone(db: Database, place: Place, reading: Reading): Promise<Delivered> {
  const once = () => admit(db, place.account_id, async () => (await keep(db, place, [reading]))[0]!)
  // Of two that wait for each other one is sent back, and then finds the way free. Not every tool would tell it again.
  return once().catch((error) => (isDeadlock(error) ? once() : Promise.reject(error)))
}

async function workOff(db: Database, queue: Queue) {
  queue.writers++
  // Whatever arrived in the same moment comes along.
  await new Promise(setImmediate)
  while (queue.waiting.length > 0) await write(db, nextOf(queue.waiting))
  queue.writers--
}

/** Takes from the queue what fits into one transaction; a change that is told twice is written in two. */
function nextOf(queue: Waiting[]): Waiting[] {
  const told = new Set<string>()
  let size = 0
  for (const { reading } of queue) {
    const identifiers = reading.facts.filter(isChange).map(({ identifier }) => identifier)
    if (size === DELIVERIES_MAX || told.size + identifiers.length > CHANGES_MAX || identifiers.some((one) => told.has(one))) break
    for (const identifier of identifiers) told.add(identifier)
    size++
  }
  return queue.splice(0, size)
}

/** Those who can still be answered in time; the others are asked to come again. */
const inTime = (taken: Waiting[]) => {
  const now = performance.now()
  return taken.filter(({ reading, fail }) => {
    const late = now - reading.began > IN_LINE_MS
    if (late) fail(unavailable())
    return !late
  })
}

async function write(db: Database, taken: Waiting[]) {
  const batch = inTime(taken)
  if (batch.length === 0) return
  const { place } = batch.at(-1)!
  try {
    const delivered = await admit(db, place.account_id, () =>
      keep(
        db,
        place,
        batch.map(({ reading }) => reading),
      ),
    )
    for (const [index, { answer }] of batch.entries()) answer(delivered[index]!)
  } catch (error) {
    // One of them may be to blame, or have met another: each by itself, so that the others come to no harm.
    if (isDeadlock(error) || (batch.length > 1 && !isConnectionError(error)))
      await Promise.all(batch.map(({ place, reading, answer, fail }) => keepAlone(db, place, reading).then(answer, fail)))
    else for (const { fail } of batch) fail(error)
  }
}
