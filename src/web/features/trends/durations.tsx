import { useMemo } from 'react'
import { buildPage } from '../../record-pages.ts'
import { SERIES_COLORS, type Series } from '../../ui/chart.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { median, type Part, passedOf, seconds, short } from './figure-parts.tsx'
import { PointFigure } from './point-figure.tsx'

/** A line for each of the busiest jobs; a point is a build. */
export function Durations({ data, days, period, projectId }: Part) {
  const { jobs } = data
  const points = useMemo(
    () =>
      jobs
        .flatMap(({ name, typical }) => typical.map((build) => ({ ...build, job: name })))
        .sort((a, b) => seconds(a.at) - seconds(b.at)),
    [jobs],
  )
  const series = useMemo(
    () =>
      jobs
        .filter(({ typical }) => typical.length > 0)
        .map(
          ({ name }, i): Series => ({
            label: name || 'Unnamed job',
            color: SERIES_COLORS[i]!,
            values: points.map((one) => (one.job === name ? one.seconds : null)),
          }),
        ),
    [jobs, points],
  )
  const said = jobs
    .filter(({ typical }) => typical.length > 0)
    .map(({ name, typical }) => `${name || 'Unnamed job'} ${short(median(typical.map((one) => one.seconds)))}`)
  const without = passedOf(data) ? 'No passed build reported a duration' : 'No build passed'
  const summary = said.length ? `Median duration of passed builds: ${said.join(', ')}.` : `${without} in the last ${days} days.`
  const nameOf = (build: (typeof points)[number]) => `${build.job || 'Build'} #${build.build_number || build.id}`
  return (
    <PointFigure
      title="Build duration"
      summary={summary}
      points={points}
      series={series}
      kind="line"
      period={period}
      sentence={(one) => `${nameOf(one)}, ${dateOf('moment', one.at)}: passed after ${short(one.seconds)}.`}
      page={(one) => buildPage(projectId, one.id)}
      name={nameOf}
      head={['Build', 'Finished', 'Duration']}
      row={(one) => [dateOf('moment', one.at), short(one.seconds)]}
      none="Each point is the median passed build of a job on a day."
    />
  )
}
