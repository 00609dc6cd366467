import { randomBytes } from 'node:crypto'

/** UUIDs (version 7) in creation order, so that rows with the same time keep the order of their file. */
export function orderedUuids(): () => string {
  // Milliseconds and a 12-bit counter in one number; a burst borrows from future milliseconds.
  let last = BigInt(Date.now()) << 12n
  return () => {
    const [head, tail] = [(last++).toString(16).padStart(15, '0'), randomBytes(8)]
    tail[0] = (tail[0]! & 0x3f) | 0x80
    const rest = tail.toString('hex')
    return `${head.slice(0, 8)}-${head.slice(8, 12)}-7${head.slice(12)}-${rest.slice(0, 4)}-${rest.slice(4)}`
  }
}
