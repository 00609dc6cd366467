import { useEffect, useRef } from 'react'

/** A key belongs to the field it is typed into, and to the browser when a modifier is held. */
const isTyping = (event: KeyboardEvent): boolean =>
  event.metaKey ||
  event.ctrlKey ||
  event.altKey ||
  document.querySelector('dialog[open]') !== null ||
  (event.target instanceof Element &&
    event.target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null)

const LEADER = 'g'
const LEADS_MS = 1_500
let ledAt = Number.NEGATIVE_INFINITY
const names = new WeakMap<KeyboardEvent, string>()

/** `j`, or `g i` for a key after the leader: it then does not count as a single key. Every listener of an event gets the same. */
function nameOf(event: KeyboardEvent): string {
  const known = names.get(event)
  if (known !== undefined) return known
  const name = event.timeStamp - ledAt < LEADS_MS ? `${LEADER} ${event.key}` : event.key
  ledAt = name === LEADER ? event.timeStamp : Number.NEGATIVE_INFINITY
  names.set(event, name)
  return name
}

/** Keys of a page: `useKeys({ j: next, k: previous, 'g i': goToInbox })`. */
export function useKeys(keys: Record<string, () => void>) {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTyping(event)) return
      const act = latest.current[nameOf(event)]
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
