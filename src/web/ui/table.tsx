import { memo, type ReactNode } from 'react'

export interface Column<Row> {
  head: string
  cell(row: Row): ReactNode
  /** Left out where there is little room. */
  wide?: boolean
  className?: string
}

interface Props<Row> {
  /** What the table lists, for those who cannot see the heading above it. */
  caption: string
  rows: readonly Row[]
  /** The same array each time where a list may grow long: then a row is drawn once. */
  columns: readonly Column<Row>[]
  keyOf(row: Row): string | number
}

export const Table = <Row,>({ caption, rows, columns, keyOf }: Props<Row>) => (
  <div className="overflow-x-auto rounded-lg border border-line bg-panel">
    <table className="w-full border-collapse text-sm">
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
      <tbody>
        {rows.map((row) => (
          <Line key={keyOf(row)} row={row} columns={columns} />
        ))}
      </tbody>
    </table>
  </div>
)

const Line = memo(function Line<Row>({ row, columns }: Pick<Props<Row>, 'columns'> & { row: Row }) {
  return (
    <tr className="border-b border-line last:border-0 hover:bg-hover/60">
      {columns.map(({ head, cell, wide, className = '' }) => (
        <td key={head} className={`px-2 py-2 align-baseline sm:px-3 ${wide ? 'max-md:hidden' : ''} ${className}`}>
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: Pick<Props<Row>, 'columns'> & { row: Row }) => ReactNode
