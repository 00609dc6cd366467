import { createContext, useContext, useEffect, useRef, useSyncExternalStore } from 'react'

/** How often a page polls what has no event: ten times in five minutes, a limit that many tabs behind one address share. */
export const LOOK_AGAIN_MS = 30_000

const SOON_MS = 1_500

/**
 * For what may come soon or late: polls often at first, then less and less, 18 times in five minutes; often again whenever `begun` changes.
 */
export function useEasing(begun?: unknown): () => number {
  const since = useRef({ begun, at: Date.now() })
  if (since.current.begun !== begun) since.current = { begun, at: Date.now() }
  return () => Math.min(LOOK_AGAIN_MS, Math.max(SOON_MS, (Date.now() - since.current.at) / 2))
}

/** Milliseconds between polls, for what the stream does not report. */
export type Every = number | false | (() => number)

/** Whether a component is inside a dialog. */
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

/** Marks the page behind a dialog as covered. */
export const useCover = () =>
  useEffect(() => {
    count(1)
    return () => count(-1)
  }, [])

/** This many polls every `LOOK_AGAIN_MS` stay within a page's budget. */
const FULL_SPEED = 2
const looking = new Set<object>()

/** Polls share the budget of their page: many poll less often each, and none behind a dialog. */
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
