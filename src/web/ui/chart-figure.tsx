import { type ReactNode, useId } from 'react'
import type { Series } from './chart.tsx'

interface Props {
  title: string
  /** The chart in one sentence. */
  summary: string
  /** The point under the pointer, instead of the sentence. */
  pointed?: string | undefined
  legend?: Pick<Series, 'label' | 'color'>[]
  /** The same as a table, for exact figures and screen readers. */
  table?: { head: string[]; rows: ReactNode[][] }
  children: ReactNode
}

const DOTS: Record<string, string> = {
  ok: 'bg-ok',
  err: 'bg-err',
  warn: 'bg-warn',
  faint: 'bg-faint',
  info: 'bg-info',
  'series-1': 'bg-series-1',
  'series-2': 'bg-series-2',
  'series-3': 'bg-series-3',
  'series-4': 'bg-series-4',
  'series-5': 'bg-series-5',
  'series-6': 'bg-series-6',
}

/** A chart with its sentence above and its table below. */
export function ChartFigure({ title, summary, pointed, legend = [], table, children }: Props) {
  const id = useId()
  return (
    <figure aria-labelledby={id} className="grid min-w-0 content-start gap-2 rounded-lg border border-line bg-panel p-4">
      <figcaption className="grid gap-0.5">
        <h3 id={id} className="text-sm font-semibold">
          {title}
        </h3>
        <p className="min-h-9 text-xs text-soft sm:min-h-0">{pointed ?? summary}</p>
      </figcaption>
      {children}
      {legend.length > 1 && (
        <ul aria-label="Legend" className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
          {legend.map(({ label, color }) => (
            <li key={label} className="flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-2 rounded-full ${DOTS[color]}`} />
              {label}
            </li>
          ))}
        </ul>
      )}
      {table && table.rows.length > 0 && (
        <details className="text-xs">
          <summary className="w-fit rounded text-soft hover:text-ink">Show as table</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
          <section tabIndex={0} aria-label={`${title}, as a table`} className="mt-2 max-h-60 overflow-auto">
            <table className="w-full">
              <thead>
                <tr className="text-left text-soft">
                  {table.head.map((head) => (
                    <th key={head} scope="col" className="py-1 pr-3 font-medium">
                      {head}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody className="tabular-nums">
                {table.rows.map((row, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: rows have a fixed order
                  <tr key={i} className="border-t border-line">
                    {row.map((cell, i) => (
                      <td key={table.head[i]} className="py-1 pr-3">
                        {cell}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </details>
      )}
    </figure>
  )
}
