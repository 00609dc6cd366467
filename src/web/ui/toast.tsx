import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { DECISION_UNDO_SECONDS } from '../../contract/limits.ts'
import { wordsOf } from '../api.ts'
import { useKeys } from '../keys.ts'

interface Said {
  id: number
  text: string
  kind: 'ok' | 'err'
  undo: (() => void) | undefined
}

const Context = createContext<(text: string, kind?: Said['kind'], undo?: () => void) => void>(() => {})

/**
 * `const say = useToast(); say('Token revoked')`: a short message at the edge, read out and removed after a while, with an undo button or
 * the key z if possible.
 */
export const useToast = () => useContext(Context)

/**
 * `const report = useReport(); report(revoke.mutateAsync(token), 'Token revoked')`: waits for a request and shows its result, or its error
 * after the words in `failed`.
 */
export function useReport() {
  const say = useToast()
  return <T,>(request: Promise<T>, done?: string | ((value: T) => string), failed = ''): Promise<void> =>
    request.then(
      (value) => void (done && say(typeof done === 'string' ? done : done(value))),
      (error: unknown) => say(`${failed}${wordsOf(error)}`, 'err'),
    )
}

const STAYS_MS = 6_000
const UNDO_STAYS_MS = DECISION_UNDO_SECONDS * 1_000
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

  const goBack = ({ id, undo }: Said) => {
    forget(id)
    undo?.()
  }
  const newest = said.findLast(({ undo }) => undo)
  useKeys(newest ? { z: () => goBack(newest) } : {})

  return (
    <Context value={say}>
      {children}
      <div aria-live="polite" className="pointer-events-none fixed right-4 bottom-4 z-50 grid gap-2">
        {said.map((one) => (
          <div
            key={one.id}
            className={`flex items-center gap-3 rounded-md border bg-raised px-3 py-2 text-sm shadow-float ${one.kind === 'err' ? 'border-err text-err' : 'border-line'}`}
          >
            {one.text}
            {one.undo && (
              <button
                type="button"
                aria-label={`Undo: ${one.text}`}
                aria-keyshortcuts="z"
                className="pointer-events-auto rounded px-1 font-medium text-accent underline"
                onClick={() => goBack(one)}
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
