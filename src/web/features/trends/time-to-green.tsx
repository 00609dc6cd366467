import { useMemo } from 'react'
import { breakagePage } from '../../record-pages.ts'
import type { Series } from '../../ui/chart.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { median, type Part, short } from './figure-parts.tsx'
import { PointFigure } from './point-figure.tsx'

/** How long breakages lasted. */
export function TimeToGreen({ data: { fixes }, days, period, projectId }: Part) {
  const series = useMemo(
    (): Series[] => [{ label: 'fixed after', color: 'info', values: fixes.map((one) => one.seconds) }],
    [fixes],
  )
  const all = fixes.map((one) => one.seconds)
  const summary = all.length
    ? all.length === 1
      ? `1 breakage, fixed after ${short(all[0]!)}.`
      : `Median ${short(median(all))} over ${all.length} breakages, longest ${short(Math.max(...all))}.`
    : `No breakage was fixed in the last ${days} days.`
  return (
    <PointFigure
      title="Time to green"
      summary={summary}
      points={fixes}
      series={series}
      kind="points"
      period={period}
      sentence={(one) =>
        `${dateOf('moment', one.at)}, after ${short(one.seconds)}${one.branch ? ` on ${one.branch}` : ''}: ${one.cause || 'cause not found'}`
      }
      page={(one) => breakagePage(projectId, one.id)}
      name={(one) => one.cause || 'Cause not found'}
      head={['Breakage', 'Branch', 'Fixed', 'After']}
      row={(one) => [one.branch ?? '', dateOf('moment', one.at), short(one.seconds)]}
      none="Each point is a fixed breakage."
    />
  )
}
