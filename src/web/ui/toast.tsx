import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

interface Said {
  id: number
  text: string
  kind: 'ok' | 'err'
  undo: (() => void) | undefined
}

const Context = createContext<(text: string, kind?: Said['kind'], undo?: () => void) => void>(() => {})

/** `const say = useToast(); say('Token revoked')`: short words at the edge, read out and gone after a while, with a way back where there is one. */
export const useToast = () => useContext(Context)

const STAYS_MS = 6_000
const UNDO_STAYS_MS = 12_000
let next = 0

export function Toasts({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState<Said[]>([])
  const forget = useCallback((id: number) => setSaid((all) => all.filter((one) => one.id !== id)), [])
  const say = useCallback(
    (text: string, kind: Said['kind'] = 'ok', undo?: () => void) => {
      const id = next++
      setSaid((all) => [...all.slice(-3), { id, text, kind, undo }])
      setTimeout(() => forget(id), undo ? UNDO_STAYS_MS : STAYS_MS)
    },
    [forget],
  )

  return (
    <Context value={say}>
      {children}
      <div aria-live="polite" className="pointer-events-none fixed right-4 bottom-4 z-50 grid gap-2">
        {said.map(({ id, text, kind, undo }) => (
          <div
            key={id}
            className={`flex items-center gap-3 rounded-md border bg-raised px-3 py-2 text-sm shadow-float ${kind === 'err' ? 'border-err text-err' : 'border-line'}`}
          >
            {text}
            {undo && (
              <button
                type="button"
                className="pointer-events-auto rounded px-1 font-medium text-accent underline"
                onClick={() => {
                  forget(id)
                  undo()
                }}
              >
                Undo
              </button>
            )}
          </div>
        ))}
      </div>
    </Context>
  )
}
