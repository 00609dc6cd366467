import { matched, walk } from './steps.ts'

/** The columns whose type says how precise a value is, with these types: `timestamptz(3)`. */
export type Precise = ReadonlyMap<string, ReadonlyMap<string, string>>

const INSERT = /\binsert\s+into\s+(\w+)(?:\s+as\s+\w+)?\s*\(([^()]*)\)\s*select\b/gi
const END = /(?<!\bdistinct\s+|\.)\b(?:from|where|order\s+by|limit|union|on\s+conflict|returning)\b/iy

/**
 * Citus stores what an `insert … select` selects as it is, if the coordinator passes it on: a time with microseconds in a column of
 * milliseconds, which then equals no time that was read or rounded. So the selected values are cast.
 */
export function withPrecision(text: string, precise: Precise): string {
  let changed = ''
  let done = 0
  for (const { 0: found, 1: table, 2: list, index } of text.matchAll(INSERT)) {
    const types = precise.get(table!)
    if (!types) continue
    const bounds = [index + found.length]
    const end = walk(text, bounds[0]!, (character, depth, at) => {
      if (depth === 0 && character === ',') bounds.push(at + 1)
      return depth === 0 && (character === ')' || matched(END, text, at) !== undefined)
    })
    bounds.push((end ?? text.length) + 1)
    const columns = list!.split(',').map((column) => column.trim())
    if (columns.length !== bounds.length - 1) continue
    for (const [place, column] of columns.entries()) {
      const type = types.get(column)
      if (type === undefined) continue
      const [from, until] = [bounds[place]!, bounds[place + 1]! - 1]
      changed += `${text.slice(done, from)} (${text.slice(from, until)})::${type}${place === columns.length - 1 ? ' ' : ''}`
      done = until
    }
  }
  return changed + text.slice(done)
}
