import { useSyncExternalStore } from 'react'
import type { ConfirmMethod } from '../contract/sets.ts'

/** Requests that wait for a fresh sign-in; see the dialog in `features/sign-in/confirm-identity.tsx`. */
interface PendingConfirmation {
  methods: readonly ConfirmMethod[]
  /** Resolves to whether the person confirmed: then the waiting requests are sent again. */
  answered: Promise<boolean>
  end(confirmed: boolean): void
}

let waiting: PendingConfirmation | undefined
const listeners = new Set<() => void>()
const set = (next: PendingConfirmation | undefined) => {
  waiting = next
  for (const listener of listeners) listener()
}

export const freshSignIn = {
  /** Opens the dialog, once for all waiting requests. */
  ask(methods: readonly ConfirmMethod[]): Promise<boolean> {
    if (waiting) return waiting.answered
    let settle: (confirmed: boolean) => void
    const answered = new Promise<boolean>((resolve) => {
      settle = resolve
    })
    const end = (confirmed: boolean) => {
      set(undefined)
      settle(confirmed)
    }
    set({ methods, answered, end })
    return answered
  },
}

export const useFreshSignIn = (): PendingConfirmation | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => waiting,
  )
