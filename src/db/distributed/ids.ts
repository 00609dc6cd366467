import { type CommonTable, matched, type Steps, walk } from './steps.ts'

/** The tables whose rows get an id, with the types of their columns. */
export type Numbered = ReadonlyMap<string, ReadonlyMap<string, string>>

const INSERT = /^\s*insert\s+into\s+(\w+)(?:\s+as\s+\w+)?\s*\(([^()]*)\)\s*(?=select\b)/i
/** The part of a distributed table that belongs to an account. */
const PART = /\bfrom \w+ where account_id = \$\d+::/
const AFTER = /\b(on\s+conflict|returning)\b/iy

/**
 * Rows of one account have ids in their order only if the coordinator numbers them all. Citus sends an `insert … select` that reads the
 * account's rows to their server, which numbers from its own range. So the rows are selected in a step of their own.
 */
export function selectedFirst({ tables, main }: Steps, numbered: Numbered): Steps {
  const all: CommonTable[] = []
  const apart = (body: string): string => {
    const [found, table, list] = INSERT.exec(body) ?? []
    const types = numbered.get(table ?? '')
    const columns = list?.split(',').map((column) => column.trim()) ?? []
    if (found === undefined || !types || columns.includes('id')) return body
    const isEnd = (_: string, depth: number, at: number) => depth === 0 && matched(AFTER, body, at) !== undefined
    const end = walk(body, found.length, isEnd) ?? body.length
    const selected = body.slice(found.length, end)
    if (!PART.test(selected)) return body
    const name = `new_${table}_${all.length}`
    const head = `${name} (${columns.map((_, i) => `c${i}`).join(', ')}) `
    all.push({ name, head, body: selected, isInline: false })
    return `${found}select ${columns.map((column, i) => `c${i}::${types.get(column)}`).join(', ')} from ${name} ${body.slice(end)}`
  }
  for (const table of tables) {
    const body = apart(table.body)
    all.push({ ...table, body })
  }
  const changed = apart(main)
  return { tables: all, main: changed }
}
