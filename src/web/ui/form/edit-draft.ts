import { useState } from 'react'

/** A text while somebody edits it: what they saw when they began, and what they have typed. */
interface Editing {
  seen: string
  text: string
}

/** Survives a reload, a lost session and somebody else's edit; gone when saved or given up. */
export function useEditDraft(key: string): [editing: Editing | undefined, set: (next: Editing | undefined) => void] {
  const storageKey = `editing ${key}`
  const [editing, setEditing] = useState<Editing | undefined>(() => {
    const stored = sessionStorage.getItem(storageKey)
    return stored === null ? undefined : (JSON.parse(stored) as Editing)
  })
  const set = (next: Editing | undefined) => {
    setEditing(next)
    if (next) sessionStorage.setItem(storageKey, JSON.stringify(next))
    else sessionStorage.removeItem(storageKey)
  }
  return [editing, set]
}
