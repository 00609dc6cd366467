import { pick, readPath } from './pick.ts'

const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g
const ESCAPES: Record<string, string> = { '\\n': '\n', '\\t': '\t' }

/** Values as they stand in a line: text without quotes, anything else as JSON. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** A text in which `{{path}}` stands for what a path finds in a row, read before anything is done. */
export function readTemplate(text: string): (row: unknown) => string {
  for (const [, path] of text.matchAll(PLACEHOLDER)) readPath(path!)
  const filled = text.replace(/\\[nt]/g, (written) => ESCAPES[written]!)
  return (row) => filled.replace(PLACEHOLDER, (_, path: string) => pick(row, path).map(asText).join(', '))
}
