import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, isTransient, ofAccount, raw, type Sql, sql } from '../../db/database.ts'
import { oneByOne } from '../accounts/isolation.ts'
import { PLACEMENTS } from '../accounts/table-placement.ts'

export interface Batch {
  /** Rows older than this are due. */
  before: Sql
  /** How many rows at most. */
  size: number
  /** On several servers: the account whose rows are purged, for a table that is distributed by account. */
  account?: number | undefined
  /** On several servers, for a table that is only on the coordinator: Citus refuses to skip locked rows. */
  central?: boolean
}

/**
 * The statement for one batch: how many rows it purged and whether there may be more. Fewer rows than requested are not the
 * end: some may have been locked or changed meanwhile.
 */
export interface Purge {
  table: string
  statement(batch: Batch): Sql
}

/** From the rows `due` and `gone` of a statement. */
export const COUNTED = sql`select (select count(*) from gone) as purged, exists (select from due) as more`

/** On several servers: the condition by which the account's server is found. */
export const isOf = ({ account }: Batch, column = 'account_id') =>
  account === undefined ? sql`true` : sql`${raw(column)} = ${account}`

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
  const purgePortion = async ({ purge, ...portion }: Portion) => {
    let size = Math.min(FIRST_BATCH, largestBatch)
    for (;;) {
      if (signal?.aborted || performance.now() > end) return
      const began = performance.now()
      const done = await batch(ofAccount(db, portion.account), purge.statement({ before, size, ...portion }), size)
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
  const ofAccounts = (table: string, portions: readonly Portion[]) => {
    const byId = new Map(portions.map((portion) => [portion.account!, portion]))
    return oneByOne(db, `purge ${table}`, [...byId.keys()], (id) => purgePortion(byId.get(id)!), { signal })
  }
  for (const purge of purges) {
    const whole = await wholePortion(db, purge)
    if (whole === undefined) await ofAccounts(purge.table, await portionsOf(db, purge))
    else
      try {
        await purgePortion(whole)
      } catch (error) {
        if (signal?.aborted || PLACEMENTS[purge.table] !== 'by account') throw error
        await ofAccounts(purge.table, await portionsOf(db, purge))
      }
  }
  return total
}

interface Portion extends Pick<Batch, 'account' | 'central'> {
  purge: Purge
}

/** The rows of all accounts, if one statement may purge them: on several servers only those of a table on the coordinator. */
async function wholePortion(db: Database, purge: Purge): Promise<Portion | undefined> {
  if (!(await db.isDistributed())) return { purge }
  return PLACEMENTS[purge.table] === 'by account' ? undefined : { purge, central: true }
}

/** The rows of each account. In random order: a backlog delays nobody for long. */
async function portionsOf(db: Database, purge: Purge): Promise<Portion[]> {
  const accounts = await db.rows<{ id: number }>(sql`select id from accounts order by random()`)
  return accounts.map(({ id }) => ({ purge, account: id }))
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
