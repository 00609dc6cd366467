import { useEffect, useMemo, useState } from 'react'
import { type Found, findWords, NOTHING } from './search.ts'
import type { Wanted } from './search-worker.ts'

interface Search {
  found: Found
  /** Why there is no result. */
  trouble?: 'invalid expression' | 'search takes too long'
  isBusy?: boolean
}

/** An expression may run forever: it gets this long, in a separate worker that is then terminated. */
const TIMEOUT_MS = 2_000

/** Searches a log for words or a regular expression. */
export function useSearch(texts: readonly string[], words: string, isPattern: boolean): Search {
  const plain = useMemo(() => (isPattern ? NOTHING : findWords(texts, words)), [texts, words, isPattern])
  const matched = usePattern(texts, isPattern ? words : '')
  return isPattern ? matched : { found: plain }
}

const EMPTY: Search = { found: NOTHING }

function usePattern(texts: readonly string[], pattern: string): Search {
  const [answer, setAnswer] = useState<Search & { pattern: string }>({ ...EMPTY, pattern: '' })
  useEffect(() => {
    if (pattern === '') return
    if (!isExpression(pattern)) return setAnswer({ found: NOTHING, trouble: 'invalid expression', pattern })
    const worker = new Worker(new URL('./search-worker.ts', import.meta.url), { type: 'module' })
    const end = () => {
      clearTimeout(timer)
      worker.terminate()
    }
    const timer = setTimeout(() => {
      end()
      setAnswer({ found: NOTHING, trouble: 'search takes too long', pattern })
    }, TIMEOUT_MS)
    worker.onmessage = ({ data }: MessageEvent<Found>) => {
      end()
      setAnswer({ found: data, pattern })
    }
    worker.postMessage({ texts, pattern } satisfies Wanted)
    return end
  }, [texts, pattern])
  if (pattern === '') return EMPTY
  return answer.pattern === pattern ? answer : { ...EMPTY, isBusy: true }
}

function isExpression(pattern: string): boolean {
  try {
    new RegExp(pattern, 'giu')
    return true
  } catch {
    return false
  }
}
