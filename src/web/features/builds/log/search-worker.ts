import { findPattern } from './search.ts'

export interface Wanted {
  texts: readonly string[]
  pattern: string
}

addEventListener('message', ({ data: { texts, pattern } }: MessageEvent<Wanted>) => postMessage(findPattern(texts, pattern)))
