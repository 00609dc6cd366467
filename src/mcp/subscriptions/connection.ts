import { tooManySubscriptions } from '../../contract/errors.ts'
import type { Offer } from '../catalog.ts'
import { sharedFollow } from './shared-follow.ts'
import { type Follow, watch } from './watch.ts'

/** At once, per assistant. */
const SUBSCRIPTIONS_MAX = 100

/** An assistant's subscriptions, by the key that ends them: a URI, or the id of the request. */
export interface Subscriptions {
  add(key: string | number, uris: readonly string[]): Promise<void>
  remove(key: string | number): void
}

/** The subscriptions of one connection over standard input and output. */
export function openSubscriptions(
  offer: Offer,
  follow: Follow,
  updated: (uri: string) => void,
): Subscriptions & { close(): void } {
  const stops = new Map<string | number, () => void>()
  const shared = sharedFollow(follow)
  const congested = () => process.stdout.writableNeedDrain
  const remove = (key: string | number) => {
    stops.get(key)?.()
    stops.delete(key)
  }
  return {
    async add(key, uris) {
      remove(key)
      if (stops.size >= SUBSCRIPTIONS_MAX) throw tooManySubscriptions(`${SUBSCRIPTIONS_MAX} subscriptions`)
      let over = false
      stops.set(key, () => {
        over = true
      })
      const watcher = { offer, follow: shared, congested, updated, ended: () => stops.delete(key) }
      const stop = await watch(uris, watcher).catch((error) => {
        if (!over) stops.delete(key)
        throw error
      })
      // It may have been canceled while it started.
      if (over) stop()
      else stops.set(key, stop)
    },
    remove,
    close: () => [...stops.keys()].forEach(remove),
  }
}
