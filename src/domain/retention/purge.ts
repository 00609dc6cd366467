import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, isTransient, type Sql } from '../../db/database.ts'

export interface Batch {
  /** Rows older than this are due. */
  before: Sql
  /** How many rows at most. */
  size: number
}

/**
 * The statement for one batch: how many rows it purged and whether there may be more. Fewer rows than requested are not the
 * end: some may have been locked or changed meanwhile.
 */
export type Purge = (batch: Batch) => Sql

const FIRST_BATCH = 500
const LARGEST_BATCH = 5_000
/** Batches shrink and grow so that each holds its locks for about this long. */
const BATCH_MS = 250
/** A run ends after this time; the next one goes on where it stopped. */
const BUDGET_MS = 300_000

export interface Pace {
  signal?: AbortSignal
  budget?: number
  largestBatch?: number
}

/** Each batch is a separate transaction, so that a run may end anywhere. Returns how many rows were purged. */
export async function purgeInBatches(db: Database, purges: Purge[], before: Sql, pace: Pace): Promise<number> {
  const { signal, budget = BUDGET_MS, largestBatch = LARGEST_BATCH } = pace
  const end = performance.now() + budget
  let total = 0
  for (const statement of purges) {
    let size = Math.min(FIRST_BATCH, largestBatch)
    for (;;) {
      if (signal?.aborted || performance.now() > end) return total
      const began = performance.now()
      const done = await batch(db, statement({ before, size }), size)
      const took = performance.now() - began
      if (done === undefined) {
        size = Math.ceil(size / 4)
        continue
      }
      total += done.purged
      if (!done.more) break
      size = Math.min(largestBatch, Math.max(1, Math.round(took > BATCH_MS ? size / 2 : took < BATCH_MS / 4 ? size * 2 : size)))
      // At most half of the time: requests and vacuum run in between.
      await sleep(took)
    }
  }
  return total
}

/** Undefined if the batch was too large for the statement timeout. */
async function batch(db: Database, statement: Sql, size: number) {
  try {
    return await db.one<{ purged: number; more: boolean }>(statement)
  } catch (error) {
    if (size === 1 || !isTransient(error)) throw error
    return undefined
  }
}
