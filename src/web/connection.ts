import appRoutes from 'virtual:app-routes'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { retryAfterSeconds } from '../contract/back-off.ts'
import type { ApiError } from '../contract/errors.ts'

/** The state of the connection to the server, for the banner and the sign-in dialog. */
interface Connection {
  /** No response, or only that the service is unavailable. */
  away: boolean
  /** The session is over; the content of the page stays while one signs in again. */
  signedOut: boolean
  /** Until when the server asked to wait, in milliseconds since 1970; 0 if it accepts requests. */
  throttledUntil: number
}

let state: Connection = { away: false, signedOut: false, throttledUntil: 0 }
const listeners = new Set<() => void>()

const set = (next: Partial<Connection>) => {
  if (Object.entries(next).every(([key, value]) => state[key as keyof Connection] === value)) return
  const lost = next.away && !state.away
  state = { ...state, ...next }
  for (const listener of listeners) listener()
  if (lost) void lookOut()
  if (next.throttledUntil) setTimeout(endPause, next.throttledUntil - Date.now(), next.throttledUntil)
}

/** Unless the server has asked for a longer pause since. */
const endPause = (until: number) => state.throttledUntil === until && set({ throttledUntil: 0 })

const LOOK_EVERY_MS = 2_000

/** Checks in the background whether the server is back. */
async function lookOut() {
  const url = `/app/api${appRoutes.welcome[1]}`
  while (state.away) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    await fetch(url).then(
      ({ status }) => connection.heard(url, status),
      () => {},
    )
  }
}

export const connection = {
  heard(url: string, status: number, refused?: ApiError) {
    const away = status === 502 || status === 503 || status === 504
    // A wrong password is not a lost session.
    const signedOut = status === 401 && url.startsWith('/app/api')
    // Other limits, such as the daily investigations, apply to one kind of request and are shown where it was made.
    const throttled = refused?.code === 'rate_limited'
    const seconds = Math.max(1, retryAfterSeconds(refused?.headers['retry-after']) ?? 0)
    set({
      away,
      ...(signedOut ? { signedOut } : {}),
      throttledUntil: throttled ? Date.now() + seconds * 1000 : away ? state.throttledUntil : 0,
    })
  },
  lost: () => set({ away: true }),
  signedIn: () => set({ signedOut: false }),
  isAway: () => state.away,
  /** Whether requests are useless now. */
  isWaiting: () => state.away || state.throttledUntil > 0,
  onReturn(listener: () => void) {
    let waited = false
    listeners.add(() => {
      if (waited && !connection.isWaiting()) listener()
      waited = connection.isWaiting()
    })
  },
  /** Resolves when the server accepts requests and somebody is signed in; at once if that is the case. */
  back: () =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (state.away || state.signedOut || state.throttledUntil > 0) return
        listeners.delete(look)
        resolve()
      }
      listeners.add(look)
      look()
    }),
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** How long until the server accepts requests again, counting down. */
export function useSecondsLeft(): number {
  const { throttledUntil } = useConnection()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (throttledUntil === 0) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [throttledUntil])
  return Math.max(0, Math.ceil((throttledUntil - now) / 1000))
}

export const waitOf = (seconds: number) => (seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`)

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => state)
