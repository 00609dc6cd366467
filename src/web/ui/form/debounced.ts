import { useEffect, useState } from 'react'

const PAUSE_MS = 250

/** A value once somebody stops typing, so that not every letter is a request. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
