import { useMemo } from 'react'
import { deploymentPage } from '../../record-pages.ts'
import type { Series } from '../../ui/chart.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { titleOf } from '../deployments/title.ts'
import { hours, median, type Part } from './figure-parts.tsx'
import { PointFigure } from './point-figure.tsx'

export function LeadTimes({ data: { lead_times }, days, period, projectId }: Part) {
  const series = useMemo(
    (): Series[] => [{ label: 'change to live', color: 'info', values: lead_times.map((one) => one.hours * 3600) }],
    [lead_times],
  )
  const all = lead_times.map((one) => one.hours)
  const summary = all.length
    ? all.length === 1
      ? `1 release, ${hours(all[0]!)} from change to live.`
      : `Median ${hours(median(all))} over ${all.length} releases.`
    : `No release with a known build and change went live in the last ${days} days.`
  return (
    <PointFigure
      title="From change to live"
      summary={summary}
      points={lead_times}
      series={series}
      kind="line"
      period={period}
      sentence={(one) => `${dateOf('moment', one.at)}: ${titleOf(one)}, ${hours(one.hours)} after its change.`}
      page={(one) => deploymentPage(projectId, one.id)}
      name={(one) => titleOf(one)}
      head={['Release', 'Live', 'After']}
      row={(one) => [dateOf('moment', one.at), hours(one.hours)]}
      none="Report deployments with their build to see how long changes take to go live."
    />
  )
}
