import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

interface Said {
  id: number
  text: string
  kind: 'ok' | 'err'
}

const Context = createContext<(text: string, kind?: Said['kind']) => void>(() => {})

/** `const say = useToast(); say('Token revoked')`: short words at the edge, read out and gone after a while. */
export const useToast = () => useContext(Context)

const STAYS_MS = 6_000
let next = 0

export function Toasts({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState<Said[]>([])
  const say = useCallback((text: string, kind: Said['kind'] = 'ok') => {
    const id = next++
    setSaid((all) => [...all.slice(-3), { id, text, kind }])
    setTimeout(() => setSaid((all) => all.filter((one) => one.id !== id)), STAYS_MS)
  }, [])
  return (
    <Context value={say}>
      {children}
      <div aria-live="polite" className="pointer-events-none fixed right-4 bottom-4 z-50 grid gap-2">
        {said.map(({ id, text, kind }) => (
          <div
            key={id}
            className={`rounded-md border bg-raised px-3 py-2 text-sm shadow-float ${kind === 'err' ? 'border-err text-err' : 'border-line'}`}
          >
            {text}
          </div>
        ))}
      </div>
    </Context>
  )
}
