import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('./schema/', import.meta.url)

/** The number of the whole schema; no released migration has a lower number. */
export const BASELINE = 200

export interface Migration {
  number: number
  name: string
  sql: string
  /** Starts with `-- online`: its statements run one by one, each committed separately, so that indexes can be built concurrently. */
  online: boolean
  /** Over the statements only: comments, indentation and line ends may change after it was applied. */
  checksum: string
}

/** Files with two digits are the schema, one per group of tables; those with four digits change it after a release. */
export const migrations = (): Migration[] => {
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, sql: readFileSync(new URL(name, FOLDER), 'utf8') }))
  const isChange = ({ name }: { name: string }) => /^\d{4}_/.test(name)
  const schema = files.filter((file) => !isChange(file)).map(({ sql }) => sql)
  return [
    migrationOf(`0${BASELINE}_schema`, schema.join('\n')),
    ...files.filter(isChange).map(({ name, sql }) => migrationOf(name, sql)),
  ]
}

export const migrationOf = (name: string, sql: string): Migration => ({
  number: Number(name.slice(0, 4)),
  name,
  sql,
  online: /^-- online\r?\n/.test(sql),
  checksum: createHash('sha256').update(statementsOf(sql).join(';').replace(/\s+/g, ' ')).digest('hex'),
})

/** A comment, a quoted text or name, a dollar-quoted body, a semicolon, or anything between. */
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
