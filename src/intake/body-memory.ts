import { overloaded, rateLimited } from '../contract/errors.ts'

/** Bodies of all requests that are being received, waiting or processed. */
const TOTAL = 256 * 1024 * 1024
/** A little more than twice the largest reservation, of an uploaded preview and its copy: less would refuse it. */
const LEAST = 208 * 1024 * 1024
/** The cost of a request besides its body, so that many small ones are limited too. */
const REQUEST = 16 * 1024
/** Requests whose bodies wait unread at their senders: each has a connection and its first few kilobytes in memory. */
const WAITING_MAX = 2_048
const RETRY_SECONDS = 10

interface Waiter {
  bytes: number
  begin(): void
}

const held = new Map<number, number>()
let free = TOTAL
/** By account, the next one first. */
const waiting = new Map<number, Waiter[]>()

/** Processes of one node share its memory; called before the first request. */
export const shareBodyMemory = (processes: number) => {
  free = Math.max(LEAST, TOTAL / processes)
}

/** Memory for a request's body, reserved before it is read. */
export interface Reservation {
  /** For bodies whose length is not known in advance. */
  grow(bytes: number): void
  release(): void
}

/** Whether bodies of this account wait for those that it has in memory. */
export const waitsForMemory = (accountId: number): boolean => waiting.has(accountId)

/**
 * An account gets no more than what would then still be free: alone it may use half of the total, next to another such account a quarter.
 * What does not fit waits `waitMs` in its account's line. Then the flooding account is refused (429), while there is memory for everybody
 * else; 503 is for accounts that did not cause the shortage.
 */
export async function reserve(accountId: number, bytes: number, waitMs: number): Promise<Reservation> {
  const whole = bytes + REQUEST
  if (waiting.has(accountId) || !fits(accountId, whole)) await turn(accountId, whole, waitMs)
  else take(accountId, whole)
  let own = whole
  return {
    grow(more) {
      if (!fits(accountId, more)) throw refusal((held.get(accountId) ?? 0) > own)
      take(accountId, more)
      own += more
    },
    release() {
      const left = (held.get(accountId) ?? 0) - own
      if (left > 0) held.set(accountId, left)
      else held.delete(accountId)
      free += own
      own = 0
      serveWaiting()
    },
  }
}

const fits = (accountId: number, more: number) => (held.get(accountId) ?? 0) + more <= free - more

function take(accountId: number, bytes: number) {
  free -= bytes
  held.set(accountId, (held.get(accountId) ?? 0) + bytes)
}

const refusal = (hasOthers: boolean) => (hasOthers ? rateLimited(RETRY_SECONDS) : overloaded(RETRY_SECONDS))

function turn(accountId: number, bytes: number, waitMs: number): Promise<void> {
  const line = waiting.get(accountId) ?? []
  const others = [...waiting.values()].reduce((sum, { length }) => sum + length, 0) - line.length
  if (2 * line.length + others >= WAITING_MAX) throw refusal(held.has(accountId))
  return new Promise((resolve, reject) => {
    const begin = () => {
      clearTimeout(timer)
      take(accountId, bytes)
      resolve()
    }
    const waiter = { bytes, begin }
    const timer = setTimeout(
      () => {
        line.splice(line.indexOf(waiter), 1)
        if (line.length === 0) waiting.delete(accountId)
        reject(refusal(held.has(accountId)))
        serveWaiting()
      },
      Math.max(0, waitMs),
    )
    line.push(waiter)
    waiting.set(accountId, line)
  })
}

/** Accounts take turns. */
function serveWaiting() {
  for (;;) {
    const next = [...waiting].find(([accountId, [first]]) => fits(accountId, first!.bytes))
    if (!next) return
    const [accountId, line] = next
    line.shift()!.begin()
    waiting.delete(accountId)
    if (line.length > 0) waiting.set(accountId, line)
  }
}
