import { memo, type ReactNode } from 'react'
import { RowBlocks } from './row-blocks.tsx'

/** For the link that opens a row's record: it covers the whole row. Other links and buttons of the row are `aboveRow`. */
export const rowLink = 'after:absolute after:inset-0'
export const aboveRow = 'relative z-1'

export interface Column<Row> {
  head: string
  cell(row: Row): ReactNode
  /** Hidden if there is little space. */
  wide?: boolean
  className?: string
}

interface Props<Row> {
  /** The content of the table, for screen readers. */
  caption: string
  rows: readonly Row[]
  /** A stable array for lists that may grow long: then a row is rendered once. */
  columns: readonly Column<Row>[]
  keyOf(row: Row): string | number
  /**
   * For a list of thousands: the text of a row. Rows far outside the viewport are not rendered then, and the columns have fixed widths, or
   * they would change with the rendered rows.
   */
  textOf?(row: Row): string
}

export const Table = <Row,>({ caption, rows, columns, keyOf, textOf }: Props<Row>) => {
  const draw = (row: Row) => <Line key={keyOf(row)} row={row} columns={columns} />
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-panel">
      <table className={`w-full border-collapse text-sm ${textOf ? 'table-fixed' : ''}`}>
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-left text-xs text-soft">
            {columns.map(({ head, wide, className = '' }) => (
              <th key={head} scope="col" className={`px-2 py-2 font-medium sm:px-3 ${wide ? 'max-md:hidden' : ''} ${className}`}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        {textOf ? (
          <RowBlocks rows={rows} columns={columns.length} draw={draw} textOf={textOf} />
        ) : (
          <tbody>{rows.map(draw)}</tbody>
        )}
      </table>
    </div>
  )
}

const Line = memo(function Line<Row>({ row, columns }: Pick<Props<Row>, 'columns'> & { row: Row }) {
  return (
    <tr className="relative border-b border-line last:border-0 hover:bg-hover/60">
      {columns.map(({ head, cell, wide, className = '' }) => (
        <td key={head} className={`px-2 py-2 align-baseline sm:px-3 ${wide ? 'max-md:hidden' : ''} ${className}`}>
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: Pick<Props<Row>, 'columns'> & { row: Row }) => ReactNode
