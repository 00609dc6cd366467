import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('./migrations/', import.meta.url)

export interface Migration {
  number: number
  name: string
  sql: string
  /** Begins with `-- online`: its statements run one by one, each committed by itself, so that indexes can be built concurrently. */
  online: boolean
  /** Of the statements alone: comments, indentation and line ends may change after it was applied. */
  checksum: string
}

export const migrations = (): Migration[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => migrationOf(name, readFileSync(new URL(name, FOLDER), 'utf8')))

export const migrationOf = (name: string, sql: string): Migration => ({
  number: Number(name.slice(0, 4)),
  name,
  sql,
  online: /^-- online\r?\n/.test(sql),
  checksum: createHash('sha256').update(statementsOf(sql).join(';').replace(/\s+/g, ' ')).digest('hex'),
})

/** A comment, a quoted text or name, a dollar-quoted body, a semicolon, or what lies between. */
const TOKENS = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$\w*\$)[\s\S]*?\1|;|[^-/'"$;]+|[\s\S]/g

/** The statements of a file, without comments. */
export function statementsOf(sql: string): string[] {
  const statements = ['']
  for (const [token] of sql.replace(/\r\n/g, '\n').matchAll(TOKENS)) {
    if (token === ';') statements.push('')
    else if (token.startsWith('--') || token.startsWith('/*')) statements[statements.length - 1] += ' '
    else statements[statements.length - 1] += token
  }
  return statements.map((statement) => statement.trim()).filter(Boolean)
}
