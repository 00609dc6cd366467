import { unavailable } from '../contract/errors.ts'
import type { Database } from '../db/database.ts'

/** Transactions of one account at a time on this node: a flood, or a lock that somebody keeps, leaves connections to the others. */
const AT_ONCE = 3
/** Requests that waited longer get 503: bodies must not pile up because the database is stuck. */
const WAIT_MS = 4_000

/** Those of one account. */
interface Line {
  running: number
  waiting: (() => void)[]
}
const lines = new WeakMap<Database, Map<number, Line>>()

/** Runs `work` once the account has a place free, first come, first served. */
export async function admit<T>(db: Database, accountId: number, work: () => Promise<T>): Promise<T> {
  const ofDatabase = lines.get(db) ?? new Map<number, Line>()
  lines.set(db, ofDatabase)
  const line = ofDatabase.get(accountId) ?? { running: 0, waiting: [] }
  ofDatabase.set(accountId, line)
  if (line.running < AT_ONCE) line.running++
  else await placeIn(line)
  try {
    return await work()
  } finally {
    const next = line.waiting.shift()
    if (next) next()
    else if (--line.running === 0) ofDatabase.delete(accountId)
  }
}

/** Whoever leaves hands their place to the next in line. */
const placeIn = ({ waiting }: Line) =>
  new Promise<void>((resolve, reject) => {
    const enter = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(enter), 1)
      reject(unavailable())
    }, WAIT_MS)
    waiting.push(enter)
  })
