import { useEffect, useState } from 'react'

const PAUSE_MS = 250

/** A value once typing pauses, so that not every key press is a request. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
