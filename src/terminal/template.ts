import { usage } from './failures.ts'
import { pick, readPath } from './pick.ts'

const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g
const ESCAPES: Record<string, string> = { '\\n': '\n', '\\t': '\t' }

/** A value in a line: text without quotes, anything else as JSON. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const unescaped = (text: string) => text.replace(/\\[nt]/g, (written) => ESCAPES[written]!)

/** A text in which `{{path}}` is replaced with the value at a path in a row, parsed before anything is done. */
export function readTemplate(text: string): (row: unknown) => string {
  /** Adds to an error which template expression failed, and where. */
  const at = <T>(place: number, work: () => T): T => {
    try {
      return work()
    } catch (error) {
      const why = (error as Error).message.replace(/^--pick: /, '')
      throw usage(`--template: ${why} (character ${place + 1} of ${JSON.stringify(text)})`)
    }
  }
  const placeholders = [...text.matchAll(PLACEHOLDER)]
  for (const { index, 1: path } of placeholders) at(index, () => readPath(path!))
  const stray = text.replace(PLACEHOLDER, (found) => ' '.repeat(found.length)).search(/\{\{|\}\}/)
  if (stray >= 0)
    at(stray, () => {
      throw new Error('{{ and }} must enclose a path, such as {{id}}')
    })
  return (row) => {
    let [line, end] = ['', 0]
    for (const { index, 0: whole, 1: path } of placeholders) {
      const found = at(index, () => pick(row, path!))
      line += unescaped(text.slice(end, index)) + found.map(asText).join(', ')
      end = index + whole.length
    }
    return line + unescaped(text.slice(end))
  }
}
