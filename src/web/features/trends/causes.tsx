import { labelOf } from '../../../contract/labels.ts'
import { ChartFigure } from '../../ui/chart-figure.tsx'

import { countOf } from '../../ui/text/count.ts'
import { dateOf } from '../../ui/text/dates.ts'
import { None, type Part } from './figure-parts.tsx'

const CAUSES_SHOWN = 8
const DAYS_SHOWN = 31
const SHADES = ['bg-hover text-soft', 'bg-err-wash text-err', 'bg-err/50 text-ink', 'bg-err text-panel']

/** Why builds failed and when: a row for each cause, a column for each day, or week for a long period. */
export function Causes({ data: { builds, causes }, days }: Part) {
  const per = days > DAYS_SHOWN ? 7 : 1
  const columns = Array.from({ length: Math.ceil(days / per) }, (_, i) =>
    builds.slice(i * per, (i + 1) * per).map(({ day }) => day),
  )
  const half = Math.floor(columns.length / 2)
  const rows = totalsOf(causes).slice(0, CAUSES_SHOWN)
  const countIn = (category: string, span: readonly string[]) =>
    causes.reduce((sum, one) => (one.category === category && span.includes(one.day) ? sum + one.count : sum), 0)
  const total = causes.reduce((sum, { count }) => sum + count, 0)
  const most = Math.max(1, ...rows.flatMap(([category]) => columns.map((span) => countIn(category, span))))
  const spanWords = (span: readonly string[]) =>
    per === 1 ? dateOf('day', span[0]!, 'UTC') : `${dateOf('day', span[0]!, 'UTC')} – ${dateOf('day', span.at(-1)!, 'UTC')}`
  return (
    <ChartFigure
      title="Why builds failed"
      summary={
        total
          ? `Causes found in ${countOf(total, 'investigated failure')}, by ${per === 1 ? 'day' : 'week'}.`
          : `No failed build was investigated in the last ${days} days.`
      }
    >
      {total ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        <section key={days} ref={showNewest} tabIndex={0} aria-label="Why builds failed, by day" className="overflow-x-auto">
          <table className="w-full border-separate border-spacing-0.5 text-xs">
            <thead className="sr-only">
              <tr>
                <th scope="col">Cause</th>
                {columns.map((span) => (
                  <th key={span[0]} scope="col">
                    {spanWords(span)}
                  </th>
                ))}
                <th scope="col">All</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(([category, all]) => (
                <tr key={category}>
                  <th
                    scope="row"
                    className="sticky left-0 max-w-24 truncate bg-panel pr-2 text-left font-normal"
                    title={labelOf('failure_category', category)}
                  >
                    {labelOf('failure_category', category)}
                  </th>
                  {columns.map((span) => {
                    const count = countIn(category, span)
                    return (
                      <td
                        key={span[0]}
                        title={`${spanWords(span)}: ${count} × ${labelOf('failure_category', category)}`}
                        className={`h-5 min-w-2 rounded-xs text-center text-[10px] leading-none tabular-nums ${shadeOf(count, most)}`}
                      >
                        {count || ''}
                      </td>
                    )
                  })}
                  <td className="pl-2 text-right tabular-nums">{all}</td>
                </tr>
              ))}
            </tbody>
            <tfoot aria-hidden="true" className="whitespace-nowrap text-[11px] text-soft">
              <tr>
                <td className="sticky left-0 bg-panel" />
                <td colSpan={half}>{spanWords(columns[0]!)}</td>
                <td colSpan={columns.length - half} className="text-right">
                  {spanWords(columns.at(-1)!)}
                </td>
                <td />
              </tr>
            </tfoot>
          </table>
        </section>
      ) : (
        <None>Investigate a failed build to see its cause here.</None>
      )}
    </ChartFigure>
  )
}

/** If not all days fit, the oldest are scrolled out. */
const showNewest = (element: HTMLElement | null) => {
  if (element) element.scrollLeft = element.scrollWidth
}

const shadeOf = (count: number, most: number) => (count === 0 ? SHADES[0] : SHADES[Math.min(3, Math.ceil((3 * count) / most))])

function totalsOf(causes: Part['data']['causes']): [category: string, count: number][] {
  const totals = new Map<string, number>()
  for (const { category, count } of causes) totals.set(category, (totals.get(category) ?? 0) + count)
  return [...totals].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
}
