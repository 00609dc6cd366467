import { useSyncExternalStore } from 'react'

type Theme = 'system' | 'light' | 'dark'
const KEY = 'goldmaster-theme'
const listeners = new Set<() => void>()

const read = (): Theme => {
  const kept = localStorage.getItem(KEY)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

/** Before the first render. */
export function applyTheme() {
  const theme = read()
  if (theme === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.dataset.theme = theme
}

export function setTheme(theme: Theme) {
  localStorage.setItem(KEY, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, read)
