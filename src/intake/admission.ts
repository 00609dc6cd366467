import { accountBusy } from '../contract/errors.ts'
import { isAskedLately } from '../db/attention.ts'
import type { Database, Pool } from '../db/database.ts'
import { Gate } from '../db/gate.ts'

/** Transactions of one account at a time on this node: a flood, or a lock that is held for long, leaves connections to other accounts. */
const AT_ONCE = 3
/** Deliveries wait for a connection here and not at the pool, which cannot tell accounts apart; one is left for storing them. */
const OF_OTHERS = 1
const CONNECTIONS = 5
/** How long pieces of logs, artifacts and test results wait: their senders wait longer. */
const TIMEOUT_MS = 20_000

interface Gates {
  accounts: Gate
  node: Gate
}
const gates = new WeakMap<Database['origin'], Gates>()

function gatesOf(db: Database): Gates {
  const known = gates.get(db.origin)
  if (known) return known
  const connections = (db as Partial<Pool>).pool?.options.max ?? CONNECTIONS
  const opened = {
    accounts: new Gate({ atOnce: AT_ONCE, timeout: TIMEOUT_MS, refusal: accountBusy }),
    // A burst keeps every processor busy: half of that is left to the requests of people.
    node: new Gate({
      atOnce: Math.max(1, connections - OF_OTHERS),
      rest: () => (isAskedLately() ? 1 : 0),
      refusal: accountBusy,
    }),
  }
  gates.set(db.origin, opened)
  return opened
}

/** Runs `work` once the account has a free slot. `timeout`: milliseconds until it is refused. */
export function admit<T>(db: Database, accountId: number, work: () => Promise<T>, timeout?: number): Promise<T> {
  const { accounts, node } = gatesOf(db)
  return accounts.enter(accountId, () => node.enter('', work), timeout)
}
