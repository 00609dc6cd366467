import { useEffect, useState } from 'react'

/** State that survives a reload and a lost session: input is stored in this tab until it is saved. */
export function useDraft(key: string, initial: string): [value: string, set: (value: string) => void, clear: () => void] {
  const storageKey = `draft ${key}`
  const [value, setValue] = useState(() => sessionStorage.getItem(storageKey) ?? initial)
  useEffect(() => {
    if (value === initial) sessionStorage.removeItem(storageKey)
    else sessionStorage.setItem(storageKey, value)
  }, [storageKey, value, initial])
  return [value, setValue, () => sessionStorage.removeItem(storageKey)]
}
