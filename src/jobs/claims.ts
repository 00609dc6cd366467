import { type Pool, sql } from '../db/database.ts'

/** Jobs whose end may still be on its way to the database. */
const REMEMBERED = 10_000

/**
 * Jobs that this process took. When the answer to a claim is lost, the job counts as taken by a worker that lives and knows nothing of
 * it: nobody would ever take it again. `settle` gives such jobs back; no claim may be under way meanwhile.
 */
export function rememberClaims(db: Pool) {
  const ids = new Set<number>()
  let unsure = false
  return {
    taken(id: number) {
      ids.add(id)
      if (ids.size > REMEMBERED) ids.delete(ids.keys().next().value!)
    },
    /** The answer to a claim did not come. */
    lost() {
      unsure = true
    },
    async settle(worker: string) {
      if (!unsure) return
      await db.execute(sql`
        update graphile_worker._private_jobs set locked_at = null, locked_by = null, attempts = greatest(attempts - 1, 0)
        where locked_by = ${worker} and id <> all (${[...ids]}::bigint[])`)
      unsure = false
    },
  }
}
