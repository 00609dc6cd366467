import type pg from 'pg'

/**
 * Citus sends each common table that an `insert … select` reads to all servers, so the statement fails while one of them is down, although
 * another one stores its account. Such a statement is run in steps: each common table by itself, in order, with the rows of those before it
 * written into its text. Citus does the same on the coordinator, so the result does not change.
 */
export interface Steps {
  tables: CommonTable[]
  /** What follows the common tables. */
  main: string
}

export interface CommonTable {
  name: string
  /** `name (columns)` */
  head: string
  body: string
  /** Part of the one place that reads it instead of a step: it only reads, and PostgreSQL would not store it either. */
  isInline: boolean
}

const BEGIN = /\s*with\s+/iy
const HEAD = /(?:\s|--[^\n]*\n)*((\w+)\s*(?:\([^()]*\)\s*)?)as\s+((?:not\s+)?materialized\s+)?\(/iy
const COMMA = /\s*,/y
const INSERT = /^\s*insert\s/i
const WRITE = /\b(insert\s+into|update|delete\s+from)\b/i
const SELECT = /\bselect\b/iy
/** What has no parentheses that count. */
const QUOTED = /'[^']*'|"[^"]*"|--[^\n]*/y

/** Undefined if the statement can be sent as it is. `prepare` adds steps. */
export function stepsOf(text: string, prepare = (steps: Steps) => steps): Steps | undefined {
  if (/^\s*with\s+recursive\b/i.test(text)) return undefined
  const found = prepare(commonTables(text) ?? { tables: [], main: text })
  const { tables, main } = found
  const isSpread = [...tables.map(({ body }) => body), main].some(
    (body) => INSERT.test(body) && tables.some((table) => table.body !== body && isRead(table.name, body)),
  )
  return isSpread ? found : undefined
}

function commonTables(text: string): Steps | undefined {
  let at = matched(BEGIN, text, 0)?.end
  if (at === undefined) return undefined
  const tables: (CommonTable & { begin: number; end: number; isStored: boolean })[] = []
  for (;;) {
    const head = matched(HEAD, text, at)
    const end = head && endOf(text, head.end)
    if (!head || end === undefined) return undefined
    const [, named, name, stored] = head.groups
    const body = text.slice(head.end, end)
    const isStored = stored !== undefined && !/^not/i.test(stored)
    tables.push({ name: name!, head: named!, body, isInline: false, begin: at, end, isStored })
    const comma = matched(COMMA, text, end + 1)
    if (!comma) break
    at = comma.end
  }
  const { end } = tables.at(-1)!
  for (const table of tables) {
    const readers = text.slice(table.end).match(new RegExp(`\\b${table.name}\\b`, 'gi')) ?? []
    table.isInline = !table.isStored && readers.length === 1 && !WRITE.test(table.body)
  }
  return { tables, main: text.slice(end + 1) }
}

export const matched = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  const groups = pattern.exec(text)
  return groups ? { groups, end: pattern.lastIndex } : undefined
}

/** Where the parenthesis that was opened before `at` closes. */
export const endOf = (text: string, at: number) => walk(text, at, (character, depth) => character === ')' && depth === 0)

/** The first place where `isIt`; parentheses are counted, quoted text and comments are skipped. */
export function walk(
  text: string,
  from: number,
  isIt: (character: string, depth: number, at: number) => boolean,
): number | undefined {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const quoted = matched(QUOTED, text, at)
    if (quoted) {
      at = quoted.end - 1
      continue
    }
    const character = text[at]!
    if (isIt(character, depth, at)) return at
    if (character === '(') depth++
    if (character === ')') depth--
  }
  return undefined
}

const isRead = (name: string, body: string) => new RegExp(`\\b${name}\\b`, 'i').test(body)

/** A statement with the common tables that it reads. */
function withTables(body: string, tables: { name: string; definition: string }[]): string {
  const read = tables.filter(({ name }) => isRead(name, body)).map(({ definition }) => definition)
  if (read.length === 0) return body
  const definitions = `with ${read.join(', ')}`
  if (/^\s*with\s/i.test(body)) return body.replace(/^\s*with\s/i, () => `${definitions}, `)
  // Citus inlines them only into a `select`.
  const isSelect = (_: string, depth: number, at: number) => depth === 0 && matched(SELECT, body, at) !== undefined
  const at = (INSERT.test(body) ? walk(body, 0, isSelect) : undefined) ?? 0
  return `${body.slice(0, at)}${definitions} ${body.slice(at)}`
}

/** Runs all steps but the last one, which it returns. `typeOf`: the name of a type. */
export async function runSteps(
  { tables, main }: Steps,
  values: readonly unknown[],
  ask: (text: string, values: readonly unknown[]) => Promise<pg.QueryArrayResult<(string | null)[]>>,
  typeOf: (id: number) => string,
): Promise<{ text: string; values: readonly unknown[] }> {
  const given = [...values]
  const done: { name: string; definition: string }[] = []
  for (const { name, head, body, isInline } of tables) {
    const text = withTables(body, done)
    if (isInline) {
      done.push({ name, definition: `${head} as not materialized (${text})` })
      continue
    }
    const { fields, rows } = await ask(text, given)
    if (fields.length === 0) continue
    given.push(JSON.stringify(rows.map((row) => Object.fromEntries(row.map((value, index) => [`c${index}`, value])))))
    const columns = fields.map((field, index) => `r.c${index}::${typeOf(field.dataTypeID)} as "${field.name}"`)
    const raw = fields.map((_, index) => `c${index} text`)
    done.push({
      name,
      definition: `${head} as not materialized (select ${columns.join(', ')} from jsonb_to_recordset($${given.length}::jsonb) as r (${raw.join(', ')}))`,
    })
  }
  return { text: withTables(main, done), values: given }
}
