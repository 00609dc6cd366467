import { useEffect, useState } from 'react'

const LEAVES_MS = 5_000

/**
 * When somebody last looked at the feed on this device, to mark newer events; undefined at the first visit. A visit counts once it has
 * lasted a while.
 */
export function useLastVisit(accountId: number | undefined): string | undefined {
  const key = `goldmaster-feed-${accountId}`
  const [last, setLast] = useState<string>()
  useEffect(() => {
    setLast(localStorage.getItem(key) ?? undefined)
    const timer = setTimeout(() => localStorage.setItem(key, new Date().toISOString()), LEAVES_MS)
    return () => clearTimeout(timer)
  }, [key])
  return last
}
