/** Whoever asks gets what was made last, made anew once it is `ms` old, by one for all. What cannot be made is tried again as late. */
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
