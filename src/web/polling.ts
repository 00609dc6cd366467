import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react'

/** How often a page looks at what no event tells: ten times in five minutes, a limit that many tabs behind one address share. */
export const LOOK_AGAIN_MS = 30_000

const SOON_MS = 1_500

/**
 * For what comes soon or late: looks often at first, then ever less, 18 times in five minutes; often again whenever `begun` becomes
 * another one.
 */
export function useEasing(begun?: unknown): () => number {
  const since = useRef({ begun, at: Date.now() })
  if (since.current.begun !== begun) since.current = { begun, at: Date.now() }
  return () => Math.min(LOOK_AGAIN_MS, Math.max(SOON_MS, (Date.now() - since.current.at) / 2))
}

/** Milliseconds between looks, for what the stream does not tell. */
export type Every = number | false | (() => number)

/** Whether something stands in a dialog; the page behind it does not. */
export const InDialog = createContext(false)

let dialogs = 0
const watchers = new Set<() => void>()
const watch = (watcher: () => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}
const count = (change: 1 | -1) => {
  dialogs += change
  for (const watcher of watchers) watcher()
}

/** Tells the page behind a dialog that nobody sees it. */
export const useCover = () =>
  useEffect(() => {
    count(1)
    return () => count(-1)
  }, [])

/** So many that look every `LOOK_AGAIN_MS` stay within what a page may ask. */
const FULL_SPEED = 2
const looking = new Set<object>()

/** What looks again shares what its page may ask: many look less often each, and none behind a dialog. */
export function useShared(every: Every): Every {
  const isInside = useContext(InDialog)
  const isCovered = useSyncExternalStore(watch, () => dialogs > 0) && !isInside
  const isLooking = every !== false && !isCovered
  useEffect(() => {
    const me = {}
    if (isLooking) looking.add(me)
    return () => void looking.delete(me)
  }, [isLooking])
  if (every === false || isCovered) return false
  return () => (typeof every === 'function' ? every() : every) * Math.max(1, looking.size / FULL_SPEED)
}
