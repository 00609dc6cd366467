import { Link, type LinkOptions, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { Chart, type Series } from '../../ui/chart.tsx'
import { ChartFigure } from '../../ui/chart-figure.tsx'
import { None, type Part, seconds, short } from './figure-parts.tsx'

interface Props<P> extends Pick<Part, 'period'> {
  title: string
  summary: string
  /** The data of the points, oldest first. */
  points: readonly (P & { at: string })[]
  series: Series[]
  kind: 'line' | 'points'
  /** The description of a point. */
  sentence: (point: P) => string
  /** The page of a point, and its link text in the table. */
  page: (point: P) => LinkOptions
  name: (point: P) => string
  /** The table's other columns. */
  head: string[]
  row: (point: P) => ReactNode[]
  /** The text without points. */
  none: string
}

/** A chart over time whose points have a description and a link. */
export function PointFigure<P>({
  title,
  summary,
  points,
  series,
  kind,
  period,
  sentence,
  page,
  name,
  head,
  row,
  none,
}: Props<P>) {
  const navigate = useNavigate()
  const [at, setAt] = useState<number | null>(null)
  const times = useMemo(() => points.map((point) => seconds(point.at)), [points])
  const pointed = at === null ? undefined : points[at]
  return (
    <ChartFigure
      title={title}
      summary={summary}
      pointed={pointed && sentence(pointed)}
      legend={series}
      table={{
        head,
        rows: points.toReversed().map((point) => [
          <Link key="name" {...page(point)} className="wrap-anywhere underline">
            {name(point)}
          </Link>,
          ...row(point),
        ]),
      }}
    >
      {points.length ? (
        <Chart
          label={summary}
          times={times}
          period={period}
          series={series}
          kind={kind}
          unit={short}
          onPoint={setAt}
          onPick={(index) => void navigate(page(points[index]!))}
        />
      ) : (
        <None>{none}</None>
      )}
    </ChartFigure>
  )
}
