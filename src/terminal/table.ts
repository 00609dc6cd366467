import { columnWidths } from './column-widths.ts'
import type { Paint } from './paint.ts'
import { shortened } from './short-ids.ts'
import { columnsOf, cut, cutMiddle, pad } from './text.ts'
import { nameOf, paintField, shown } from './values.ts'

interface Cell<Row> {
  title: string
  cell(row: Row, forPeople: boolean): unknown
  /** The field whose format it uses, if the title is not the field's name. */
  field?: string
  /** The main column: the others shrink first. */
  main?: true
  /** Dropped if there is no space. */
  extra?: true
  /** Its end is as important as its beginning: it is cut in the middle. */
  ends?: true
}

/** A field by its name, or a computed value with a heading. */
export type Column<Row> = (keyof Row & string) | Cell<Row>

/** A field with its own heading. */
export const field = <K extends string>(name: K, title: string = name) => ({
  title,
  field: name,
  cell: (row: { [P in K]: unknown }) => row[name],
})
/** The main column. */
export const main = <K extends string>(name: K, title?: string) => ({ ...field(name, title), main: true as const })
/** An optional column. */
export const extra = <K extends string>(name: K, title?: string) => ({ ...field(name, title), extra: true as const })

const cellOf = <Row>(row: Row, column: Column<Row>, forPeople: boolean) =>
  typeof column === 'string'
    ? shown(column, row[column], forPeople)
    : shown(column.field ?? column.title, column.cell(row, forPeople), forPeople)

const fieldOf = <Row>(column: Column<Row>) => (typeof column === 'string' ? column : (column.field ?? column.title))
const titleOf = <Row>(column: Column<Row>) => nameOf(typeof column === 'string' ? column : column.title).toUpperCase()
const is = <Row>(column: Column<Row>, what: 'main' | 'extra' | 'ends') => typeof column === 'object' && column[what] === true

/** One line per row, fields separated by tabs, nothing cut. */
export const tabbed = <Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[] =>
  rows.map((row) => columns.map((column) => cellOf(row, column, false)).join('\t'))

/** Aligned under headings, as wide as the terminal; without a width nothing is cut, shortened or dropped. */
export function aligned<Row>(
  rows: readonly Row[],
  columns: readonly Column<NoInfer<Row>>[],
  width: number | undefined,
  paint: Paint,
): string[] {
  const cells = columns.map((column) => {
    const texts = rows.map((row) => cellOf(row, column, true))
    return [titleOf(column), ...(width !== undefined && fieldOf(column) === 'id' ? shortened(texts) : texts)]
  })
  const sized = columns.map((column, index) => ({
    natural: cells[index]!.reduce((widest, text) => Math.max(widest, columnsOf(text)), 0),
    fixed: fieldOf(column) === 'id',
    main: is(column, 'main'),
    extra: is(column, 'extra'),
  }))
  const widths = width === undefined ? sized.map(({ natural }) => natural) : columnWidths(sized, width)
  const kept = columns.flatMap((column, index) => (widths[index]! > 0 ? [{ column, index }] : []))
  const lineOf = (row: number) =>
    kept
      .map(({ column, index }, place) => {
        const text = cells[index]![row]!
        const short = (is(column, 'ends') ? cutMiddle : cut)(text, widths[index]!)
        const padded = place === kept.length - 1 ? short : pad(short, widths[index]!)
        return row === 0 ? paint('dim', padded) : paintField(paint, fieldOf(column), text, padded)
      })
      .join('  ')
      .trimEnd()
  return Array.from({ length: rows.length + 1 }, (_, row) => lineOf(row))
}
