import { useEffect, useRef } from 'react'

/**
 * The focused element may disappear: the element of this ref then takes the focus, so that the next Tab continues from there and it is read
 * out. `<section ref={useFocusKept(status)} tabIndex={-1}>`
 */
export function useFocusKept<E extends HTMLElement>(shown: string | undefined) {
  const ref = useRef<E>(null)
  const before = useRef(shown)
  useEffect(() => {
    if (before.current === shown) return
    // On the first render there was no focus to lose.
    if (before.current !== undefined && document.activeElement === document.body) ref.current?.focus({ preventScroll: true })
    before.current = shown
  }, [shown])
  return ref
}
