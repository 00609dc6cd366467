import { unavailable } from '../contract/errors.ts'
import { type Database, isConnectionError, isDeadlock } from '../db/database.ts'
import type { IntegrationContext } from '../domain/integrations/context.ts'
import { admit } from './admission.ts'
import { isChange } from './facts.ts'
import { type Delivered, isRepeat, persist, persistChanges, type Reading } from './persist.ts'

/** A delivery whose tool waits for the response. */
interface PendingDelivery {
  context: IntegrationContext
  reading: Reading
  answer: (delivered: Delivered) => void
  fail: (error: unknown) => void
}

/** Per transaction; the rest waits for the next one. */
const DELIVERIES_MAX = 32
const CHANGES_MAX = 500
/** Larger ones cost enough to be written separately. */
const BODY_MAX = 256 * 1024

/** Deliveries that waited longer get 503: bodies must not pile up because the database is stuck. */
const QUEUE_TIMEOUT_MS = 4_000
/** The maximum wait for a response. Started work may still be written: a repeat finds it. */
const ANSWER_TIMEOUT_MS = 6_000

/** Transactions at a time: while PostgreSQL writes one, the next batch is collected and sent. */
const WRITERS_MAX = 2

/** Deliveries of one integration that wait while others of it are written. */
interface Queue {
  waiting: PendingDelivery[]
  writers: number
}
const queues = new WeakMap<Database['origin'], Map<number, Queue>>()

/**
 * Changes that arrive while earlier ones of their integration are still being written share the next transaction: a burst costs a few
 * statements instead of a few for each delivery, and deliveries do not wait for each other's row locks. Everything else is written
 * alone.
 */
export async function batch(db: Database, context: IntegrationContext, reading: Reading): Promise<Delivered> {
  if (reading.arrival.body.length > BODY_MAX) return persistAlone(db, context, reading)
  return withTimeout(isBatchable(reading) ? joinQueue(db, context, reading) : persistAlone(db, context, reading))
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable()), ANSWER_TIMEOUT_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const joinQueue = (db: Database, context: IntegrationContext, reading: Reading) =>
  new Promise<Delivered>((answer, fail) => {
    const queue = queueOf(db, context.integration_id)
    queue.waiting.push({ context, reading, answer, fail })
    if (queue.writers < WRITERS_MAX) void drain(db, queue)
  })

function queueOf(db: Database, integrationId: number): Queue {
  const ofDatabase = queues.get(db.origin) ?? new Map<number, Queue>()
  queues.set(db.origin, ofDatabase)
  const queue = ofDatabase.get(integrationId) ?? { waiting: [], writers: 0 }
  ofDatabase.set(integrationId, queue)
  return queue
}

const isBatchable = ({ arrival, facts }: Reading) =>
  arrival.replay_of === undefined && facts.length > 0 && facts.length <= CHANGES_MAX && facts.every(isChange)

async function persistAlone(db: Database, context: IntegrationContext, reading: Reading): Promise<Delivered> {
  const attempt = () => admit(db, context.account_id, async () => (await persist(db, context, [reading]))[0]!)
  // The victim of a deadlock succeeds on its second attempt. Not every tool would send the delivery again.
  return attempt().catch((error) => (isDeadlock(error) ? attempt() : Promise.reject(error)))
}

async function drain(db: Database, queue: Queue) {
  queue.writers++
  // Deliveries that arrived in the same turn of the event loop join the first batch.
  await new Promise(setImmediate)
  while (queue.waiting.length > 0) await persistBatch(db, takeBatch(queue.waiting))
  queue.writers--
}

/** Takes from the queue what fits into one transaction; a change that is reported twice is written in two. */
function takeBatch(queue: PendingDelivery[]): PendingDelivery[] {
  const taken = new Set<string>()
  let size = 0
  for (const { reading } of queue) {
    const identifiers = reading.facts.filter(isChange).map(({ identifier }) => identifier)
    if (size === DELIVERIES_MAX || taken.size + identifiers.length > CHANGES_MAX || identifiers.some((one) => taken.has(one)))
      break
    for (const identifier of identifiers) taken.add(identifier)
    size++
  }
  return queue.splice(0, size)
}

/** Keeps those that can still be answered in time; the others are asked to retry. */
const refuseLate = (batch: PendingDelivery[]) => {
  const now = performance.now()
  return batch.filter(({ reading, fail }) => {
    const late = now - reading.began > QUEUE_TIMEOUT_MS
    if (late) fail(unavailable())
    return !late
  })
}

async function persistBatch(db: Database, taken: PendingDelivery[]) {
  const batch = refuseLate(taken)
  if (batch.length === 0) return
  const { context } = batch.at(-1)!
  try {
    const delivered = await admit(db, context.account_id, () =>
      persistChanges(
        db,
        context,
        batch.map(({ reading }) => reading),
      ),
    )
    for (const [index, { answer }] of batch.entries()) answer(delivered[index]!)
  } catch (error) {
    // One bad delivery, or a repeat, fails the whole transaction: each is written separately, so that it does not affect the others.
    if (isDeadlock(error) || isRepeat(error) || (batch.length > 1 && !isConnectionError(error)))
      await Promise.all(batch.map(({ context, reading, answer, fail }) => persistAlone(db, context, reading).then(answer, fail)))
    else for (const { fail } of batch) fail(error)
  }
}
