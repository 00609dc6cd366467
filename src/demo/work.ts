import type { Area, Work } from './game.ts'
import { table, words } from './table.ts'

/** `person, or one of several | text | files`. */
const readWorks = (text: string): Work[] =>
  table(text).map(([by, what, files]) => ({ by: words(by), text: what!, files: words(files) }))

export const area = (things: readonly string[], works: string): Area => ({ things, works: readWorks(works) })

/** Works without a common item, in order. */
export const series = (works: string): Area => area([''], works)

export const work = (by: string, text: string, files: string): Work => ({ by: [by], text, files: words(files) })
