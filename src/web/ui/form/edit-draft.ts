import { useState } from 'react'

/** A text while somebody edits it: the original, and the input. */
interface Editing {
  seen: string
  text: string
}

/** Survives a reload, a lost session and somebody else's edit; removed when saved or canceled. */
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
