import { useState } from 'react'

/** A text while somebody edits it: what they saw when they began, and what they have typed. */
interface Editing {
  seen: string
  text: string
}

/** Survives a reload, a lost session and somebody else's edit; gone when saved or given up. */
export function useKeptText(key: string): [editing: Editing | undefined, set: (next: Editing | undefined) => void] {
  const place = `editing ${key}`
  const [editing, setEditing] = useState<Editing | undefined>(() => {
    const kept = sessionStorage.getItem(place)
    return kept === null ? undefined : (JSON.parse(kept) as Editing)
  })
  const set = (next: Editing | undefined) => {
    setEditing(next)
    if (next) sessionStorage.setItem(place, JSON.stringify(next))
    else sessionStorage.removeItem(place)
  }
  return [editing, set]
}
