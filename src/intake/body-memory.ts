import { overloaded, rateLimited } from '../contract/errors.ts'

/** Bodies of all requests that are being received, waiting or worked on. */
const TOTAL = 256 * 1024 * 1024
/** Twice the largest body and a little: less would refuse it. */
const LEAST = 64 * 1024 * 1024
/** What a request takes beside its body, so that many small ones are bounded too. */
const REQUEST = 16 * 1024
const RETRY_SECONDS = 10

const held = new Map<number, number>()
let free = TOTAL

/** Several processes of one node share its memory; before the first request. */
export const shareBodyMemory = (processes: number) => {
  free = Math.max(LEAST, TOTAL / processes)
}

/** Memory for a request's body, taken before it is read. */
export interface Reservation {
  /** For bodies whose length is not known beforehand. */
  grow(bytes: number): void
  release(): void
}

/**
 * An account gets no more than what would then still be free: alone it may hold half of all, beside one that does a quarter. Whoever
 * floods is refused (429) while there is room for everybody else; 503 is for those who did not cause it.
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
