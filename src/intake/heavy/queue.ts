import { clientGone, overloaded, rateLimited, stopping } from '../../contract/errors.ts'

/** Processes at a time; each holds a body of up to 26 MiB and what it becomes. */
let concurrency = 2
/** Work that waits for a process, in all and of one account: a waiting request holds its body. */
const WAITING_MAX = 64
const WAITING_MAX_OF_ACCOUNT = 8
/** About as long as a full queue of one account takes. */
const RETRY_SECONDS = 10

/** Several processes of one node share its memory; before the first request. */
export const shareHeavyProcesses = (processes: number) => {
  concurrency = processes > 1 ? 1 : concurrency
}

interface Waiter {
  begin(): void
  fail(error: Error): void
}

/** By account, the one whose turn is next first: an account with much to read does not keep the others from theirs. */
const waiting = new Map<number, Waiter[]>()
let running = 0
let stopped = false
let onIdle = () => {}

/** Runs work when a process is free. Work whose caller left before it began is dropped. */
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

/** The slot is taken over from whoever ended: `running` counts the waiter before it wakes up. */
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

/** From now on nothing begins, and what waits is answered at once. Ends when what runs has ended. */
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
