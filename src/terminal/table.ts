import type { Paint, Style } from './paint.ts'
import { clean, columnsOf, cut, pad } from './text.ts'
import { duration, relative, size } from './times.ts'

/** A field by its name, or a value of its own under a heading. */
export type Column<Row> = (keyof Row & string) | { title: string; cell(row: Row): unknown }

const GAP = 2
const NARROWEST = 6

const STYLES: Record<string, Style> = {
  completed: 'green',
  approved: 'green',
  live: 'green',
  ok: 'green',
  active: 'green',
  failed: 'red',
  denied: 'red',
  rejected: 'red',
  err: 'red',
  critical: 'red',
  blocked: 'yellow',
  pending: 'yellow',
  passed_pending_approval: 'yellow',
  rolled_back: 'yellow',
  warn: 'yellow',
  high: 'yellow',
  in_progress: 'cyan',
  building: 'cyan',
  preparing: 'cyan',
  running: 'cyan',
  uploading: 'cyan',
  in_review: 'cyan',
  cancelled: 'dim',
  ignored: 'dim',
  neutral: 'dim',
}

export const paintWord = (paint: Paint, word: string, shown = word) => {
  const style = Object.hasOwn(STYLES, word) ? STYLES[word] : undefined
  return style ? paint(style, shown) : shown
}

const isTime = (name: string) => name.endsWith('_at') || name === 'timestamp'

/** A value as people read it; programs get it as it is. */
export function shown(name: string, value: unknown, forPeople: boolean): string {
  if (value === null || value === undefined || value === '') return forPeople ? '-' : ''
  if (Array.isArray(value)) return value.map((each) => shown(name, each, forPeople)).join(', ') || (forPeople ? '-' : '')
  if (forPeople && typeof value === 'string' && isTime(name)) return relative(value)
  if (forPeople && typeof value === 'number' && name === 'duration_seconds') return duration(value)
  if (forPeople && typeof value === 'number' && name === 'size_bytes') return size(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return clean(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

const cellOf = <Row>(row: Row, column: Column<Row>, forPeople: boolean) =>
  typeof column === 'string' ? shown(column, row[column], forPeople) : shown(column.title, column.cell(row), forPeople)

/** A field's name as people read it. */
export const nameOf = (field: string) => field.replace(/_(?:at|seconds|bytes)$/, '').replaceAll('_', ' ')

const titleOf = <Row>(column: Column<Row>) => nameOf(typeof column === 'string' ? column : column.title).toUpperCase()

/** One line a row, fields separated by tabs, nothing cut. */
export const tabbed = <Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] =>
  rows.map((row) => columns.map((column) => cellOf(row, column, false)).join('\t'))

/** Aligned under headings, as wide as the terminal. */
export function aligned<Row>(rows: readonly Row[], columns: readonly Column<Row>[], width: number, paint: Paint): string[] {
  const lines = [columns.map(titleOf), ...rows.map((row) => columns.map((column) => cellOf(row, column, true)))]
  const natural = columns.map((_, index) => lines.reduce((widest, line) => Math.max(widest, columnsOf(line[index]!)), 0))
  const fixed = columns.map((column) => column === 'id')
  const widths = narrowed(natural, fixed, width - GAP * (columns.length - 1))
  const render = (line: string[], style: (word: string, shown: string) => string) =>
    line
      .map((text, index) => {
        const shortened = cut(text, widths[index]!)
        return style(text, index === line.length - 1 ? shortened : pad(shortened, widths[index]!))
      })
      .join(' '.repeat(GAP))
      .trimEnd()
  const [head, ...body] = lines
  return [
    render(head!, (_, text) => paint('dim', text)),
    ...body.map((line) => render(line, (word, text) => paintWord(paint, word, text))),
  ]
}

/** Takes from the widest until all fit; an id is of no use when it is cut. */
function narrowed(natural: number[], fixed: boolean[], room: number): number[] {
  const widths = [...natural]
  let over = widths.reduce((sum, each) => sum + each, 0) - room
  while (over > 0) {
    const widest = widths.reduce(
      (found, each, index) => (fixed[index] || each <= (widths[found] ?? NARROWEST) ? found : index),
      -1,
    )
    if (widest === -1) break
    widths[widest]!--
    over--
  }
  return widths
}
