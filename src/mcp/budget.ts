import { type Cut, type Sizes, shrink } from './shrink.ts'
import type { Fields } from './tool.ts'

/** The maximum size of a reply in bytes; the structured form has the same limit. */
export const ANSWER_BYTES = 24_000
/** What is left for the data after frame and notes. */
export const DATA_BYTES = 21_000

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const LARGEST = 20_000
const SMALLEST = 80
const sizesOf = (text: number): Sizes => ({ text, items: Math.max(3, Math.floor(text / 25)) })

interface Fitted {
  data: Fields
  cuts: Cut[]
}

/** Shortens the longest texts and lists, as little as necessary. */
export function fitted(data: Fields): Fitted {
  for (let text = LARGEST; ; text = Math.floor(text * 0.85)) {
    const cuts = new Map<string, Cut>()
    const small = shrink(data, sizesOf(text), cuts) as Fields
    if (bytesOf(small) <= DATA_BYTES || text < SMALLEST) return { data: small, cuts: [...cuts.values()] }
  }
}

/** A page has many rows: each is kept short, and a full one can be requested separately. */
export const ROW_TEXT = 500
const ROW: Sizes = { text: ROW_TEXT, items: 20 }

export function shortRows(rows: readonly Fields[]): { rows: Fields[]; shortened: boolean } {
  const cuts = new Map<string, Cut>()
  const short = rows.map((row) => shrink(row, ROW, cuts) as Fields)
  return { rows: short, shortened: cuts.size > 0 }
}

/** How many rows fit with the rest of the reply; at least one. */
export function rowsThatFit(rows: readonly Fields[], beside: Fields): number {
  let left = DATA_BYTES - bytesOf(beside)
  const fitting = rows.findIndex((row) => {
    left -= bytesOf(row) + 1
    return left < 0
  })
  return fitting === -1 ? rows.length : Math.max(1, fitting)
}
