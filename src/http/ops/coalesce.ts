/** Returns the last result, computed again once it is `ms` old, by one call for all. A failure is retried after the same time. */
export function coalesce<T>(ms: number, make: () => Promise<T>, clock = () => performance.now()): () => Promise<T> {
  let made: Promise<T> | undefined
  let until = 0
  return () => {
    if (made === undefined || clock() >= until) {
      until = Number.POSITIVE_INFINITY
      made = make().finally(() => {
        until = clock() + ms
      })
    }
    return made
  }
}
