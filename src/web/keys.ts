import { useEffect, useRef } from 'react'

/** A letter belongs to the field it is typed into, and to the browser when a modifier is held. */
const isTyping = (event: KeyboardEvent): boolean =>
  event.metaKey ||
  event.ctrlKey ||
  event.altKey ||
  document.querySelector('dialog[open]') !== null ||
  (event.target instanceof Element &&
    event.target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null)

/** Single keys of a page: `useKeys({ j: next, k: previous })`. */
export function useKeys(keys: Record<string, () => void>) {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = latest.current[event.key]
      if (!act || isTyping(event)) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}
