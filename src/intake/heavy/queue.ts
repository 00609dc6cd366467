import { clientGone, overloaded, rateLimited, stopping } from '../../contract/errors.ts'

/** Processes at a time; each has a body of up to 26 MiB and its parsed form in memory. */
let concurrency = 2
/** Waiting work, in total and per account: a waiting request keeps its body in memory. */
const WAITING_MAX = 64
const WAITING_MAX_OF_ACCOUNT = 8
/** About as long as a full queue of one account takes. */
const RETRY_SECONDS = 10

/** Processes of one node share its memory; called before the first request. */
export const shareHeavyProcesses = (processes: number) => {
  concurrency = processes > 1 ? 1 : concurrency
}

interface Waiter {
  begin(): void
  fail(error: Error): void
}

/** By account, the next one first: an account with a lot of work does not block the others. */
const waiting = new Map<number, Waiter[]>()
let running = 0
let stopped = false
let onIdle = () => {}

/** Runs work when a process is free. Work whose caller left before it started is dropped. */
export async function enqueue<T>(accountId: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  if (stopped) throw stopping()
  if (running >= concurrency) await turn(accountId, signal)
  else running++
  try {
    return await work()
  } finally {
    running--
    next()
    if (running === 0) onIdle()
  }
}

/** The slot is passed on directly: `running` counts the waiter before it wakes up. */
function next() {
  const [accountId, waiters] = waiting.entries().next().value ?? []
  if (accountId === undefined || running >= concurrency) return
  const { begin } = waiters!.shift()!
  waiting.delete(accountId)
  if (waiters!.length > 0) waiting.set(accountId, waiters!)
  running++
  begin()
}

function turn(accountId: number, signal: AbortSignal | undefined): Promise<void> {
  const own = waiting.get(accountId) ?? []
  if (own.length >= WAITING_MAX_OF_ACCOUNT) throw rateLimited(RETRY_SECONDS)
  if ([...waiting.values()].flat().length >= WAITING_MAX) throw overloaded(RETRY_SECONDS)
  return new Promise((begin, fail) => {
    const waiter = { begin, fail }
    waiting.set(accountId, [...own, waiter])
    signal?.addEventListener('abort', () => leave(accountId, waiter), { once: true })
  })
}

function leave(accountId: number, waiter: Waiter) {
  const others = waiting.get(accountId)?.filter((one) => one !== waiter) ?? []
  if (others.length > 0) waiting.set(accountId, others)
  else waiting.delete(accountId)
  waiter.fail(clientGone())
}

/** Nothing starts from now on, and waiting requests get a response at once. Resolves when running work has ended. */
export function stopQueue(): Promise<void> {
  stopped = true
  const refused = [...waiting.values()].flat()
  waiting.clear()
  return new Promise((ended) => {
    onIdle = ended
    for (const { fail } of refused) fail(stopping())
    if (running === 0) ended()
  })
}
