import { useSyncExternalStore } from 'react'

/** How the line to the server is: everything the banner and the sign-in dialog need to know. */
export interface Connection {
  /** Nothing was answered, or only that the service is unavailable. */
  away: boolean
  /** The session is over; whatever is on the page stays there while one signs in again. */
  signedOut: boolean
  /** Until when the server wants to be left alone, in milliseconds since 1970. */
  throttledUntil: number
}

let state: Connection = { away: false, signedOut: false, throttledUntil: 0 }
const listeners = new Set<() => void>()

const set = (next: Partial<Connection>) => {
  if (Object.entries(next).every(([key, value]) => state[key as keyof Connection] === value)) return
  state = { ...state, ...next }
  for (const listener of listeners) listener()
}

export const connection = {
  heard(status: number, retryAfter: number, url: string) {
    const away = status === 502 || status === 503 || status === 504
    // A wrong password is no lost session.
    const signedOut = status === 401 && url.startsWith('/app/api')
    set({
      away,
      ...(signedOut ? { signedOut } : {}),
      throttledUntil: status === 429 ? Date.now() + Math.max(1, retryAfter) * 1000 : away ? state.throttledUntil : 0,
    })
  },
  lost: () => set({ away: true }),
  signedIn: () => set({ signedOut: false }),
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, () => state)
