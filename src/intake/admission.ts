import { unavailable } from '../contract/errors.ts'
import type { Database } from '../db/database.ts'
import { Gate } from '../db/gate.ts'

/** Transactions of one account at a time on this node: a flood, or a lock that is held for long, leaves connections to other accounts. */
const AT_ONCE = 3
/** Requests that waited longer get 503: bodies must not pile up because the database is stuck. */
const TIMEOUT_MS = 4_000

const gates = new WeakMap<Database['origin'], Gate>()

/** Runs `work` once the account has a free slot. */
export function admit<T>(db: Database, accountId: number, work: () => Promise<T>): Promise<T> {
  const gate = gates.get(db.origin) ?? new Gate({ atOnce: AT_ONCE, timeout: TIMEOUT_MS, refusal: unavailable })
  gates.set(db.origin, gate)
  return gate.enter(accountId, work)
}
