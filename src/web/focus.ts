import { useEffect, useRef } from 'react'

/**
 * What had the focus may go away with what it belonged to: the element of this ref then takes it, so that the next Tab goes on from
 * there and it is read out. `<section ref={useFocusKept(status)} tabIndex={-1}>`
 */
export function useFocusKept<E extends HTMLElement>(shown: string | undefined) {
  const ref = useRef<E>(null)
  const before = useRef(shown)
  useEffect(() => {
    if (before.current === shown) return
    // On the first page there was nothing to lose.
    if (before.current !== undefined && document.activeElement === document.body) ref.current?.focus({ preventScroll: true })
    before.current = shown
  }, [shown])
  return ref
}
