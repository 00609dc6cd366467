import { useMemo, useState } from 'react'
import { labelOf, lowered } from '../../../contract/labels.ts'
import { Chart, type Series } from '../../ui/chart.tsx'
import { ChartFigure } from '../../ui/chart-figure.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { None, type Part, seconds, whole } from './figure-parts.tsx'

const RESULTS = [
  ['completed', lowered(labelOf('build_status', 'completed')), 'ok'],
  ['waiting', lowered(labelOf('build_status', 'passed_pending_approval')), 'warn'],
  ['failed', lowered(labelOf('build_status', 'failed')), 'err'],
  ['cancelled', lowered(labelOf('build_status', 'cancelled')), 'faint'],
] as const

export function BuildsPerDay({ data: { builds }, days, period }: Part) {
  const [at, setAt] = useState<number | null>(null)
  // A bar is in the middle of its day.
  const times = useMemo(() => builds.map(({ day }) => seconds(`${day}T12:00:00Z`)), [builds])
  const series = useMemo(
    () => RESULTS.map(([key, label, color]): Series => ({ label, color, values: builds.map((day) => day[key]) })),
    [builds],
  )
  const say = (days: Part['data']['builds']) => {
    const counts = RESULTS.map(([key, label]) => [days.reduce((sum, day) => sum + day[key], 0), label] as const)
    return counts
      .filter(([count]) => count > 0)
      .map(([count, label]) => `${count} ${label}`)
      .join(', ')
  }
  const all = say(builds)
  const day = at === null ? undefined : builds[at]
  return (
    <ChartFigure
      title="Builds per day"
      summary={all ? `Last ${days} days: ${all}.` : `No builds in the last ${days} days.`}
      pointed={day && `${dateOf('day', day.day, 'UTC')}: ${say([day]) || 'none'}.`}
      legend={series}
      table={{
        head: ['Day', ...RESULTS.map(([, label]) => label)],
        rows: builds.filter((one) => say([one])).map((one) => [one.day, ...RESULTS.map(([key]) => one[key])]),
      }}
    >
      {all ? (
        <Chart
          label={`Builds per day. ${all}.`}
          times={times}
          period={period}
          series={series}
          kind="stack"
          unit={whole}
          onPoint={setAt}
        />
      ) : (
        <None>Connect your CI to see how many builds pass and fail each day.</None>
      )}
    </ChartFigure>
  )
}
