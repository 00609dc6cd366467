import type { ReactNode } from 'react'

interface Column<Row> {
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
  columns: Column<Row>[]
  keyOf(row: Row): string | number
}

export const Table = <Row,>({ caption, rows, columns, keyOf }: Props<Row>) => (
  <div className="overflow-x-auto rounded-lg border border-line bg-panel">
    <table className="w-full border-collapse text-sm">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr className="border-b border-line text-left text-xs text-soft">
          {columns.map(({ head, wide, className = '' }) => (
            <th key={head} scope="col" className={`px-3 py-2 font-medium ${wide ? 'max-md:hidden' : ''} ${className}`}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)} className="border-b border-line last:border-0 hover:bg-hover/60">
            {columns.map(({ head, cell, wide, className = '' }) => (
              <td key={head} className={`px-3 py-2 align-baseline ${wide ? 'max-md:hidden' : ''} ${className}`}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
