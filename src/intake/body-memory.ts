import { overloaded, rateLimited } from '../contract/errors.ts'

/** Bodies of all requests that are being received, waiting or processed. */
const TOTAL = 256 * 1024 * 1024
/** A little more than twice the largest reservation, of an uploaded preview and its copy: less would refuse it. */
const LEAST = 208 * 1024 * 1024
/** The cost of a request besides its body, so that many small ones are limited too. */
const REQUEST = 16 * 1024
const RETRY_SECONDS = 10

const held = new Map<number, number>()
let free = TOTAL

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

/**
 * An account gets no more than what would then still be free: alone it may use half of the total, next to another such account a quarter.
 * The flooding account is refused (429) while there is memory for everybody else; 503 is for accounts that did not cause the shortage.
 */
export function reserve(accountId: number, bytes: number): Reservation {
  let own = 0
  const grow = (more: number) => {
    const used = held.get(accountId) ?? 0
    if (used + more > free - more) throw used > own ? rateLimited(RETRY_SECONDS) : overloaded(RETRY_SECONDS)
    own += more
    free -= more
    held.set(accountId, used + more)
  }
  const release = () => {
    const left = (held.get(accountId) ?? 0) - own
    if (left > 0) held.set(accountId, left)
    else held.delete(accountId)
    free += own
    own = 0
  }
  grow(bytes + REQUEST)
  return { grow, release }
}
