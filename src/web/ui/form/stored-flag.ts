import { useState } from 'react'

/** A setting that is stored in this browser. */
export function useStoredFlag(name: string, initially: boolean): [boolean, (isOn: boolean) => void] {
  const key = `choice ${name}`
  const [isOn, setOn] = useState(() => (localStorage.getItem(key) ?? String(initially)) === 'true')
  const store = (next: boolean) => {
    localStorage.setItem(key, String(next))
    setOn(next)
  }
  return [isOn, store]
}
