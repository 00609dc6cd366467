import { Link, type LinkOptions, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useMemo, useState } from 'react'
import { Chart, type Series } from '../../ui/chart.tsx'
import { Figure } from '../../ui/figure.tsx'
import { None, type Part, seconds, short } from './figure-parts.tsx'

interface Props<P> extends Pick<Part, 'period'> {
  title: string
  summary: string
  /** What the points stand for, oldest first. */
  points: readonly (P & { at: string })[]
  series: Series[]
  kind: 'line' | 'points'
  /** A point in one sentence. */
  sentence: (point: P) => string
  /** The page a point opens, and what its link is called in the table. */
  page: (point: P) => LinkOptions
  name: (point: P) => string
  /** The table's other columns. */
  head: string[]
  row: (point: P) => ReactNode[]
  /** What stands there while there is no point. */
  none: string
}

/** A drawing over time whose points say what they are and open it. */
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
    <Figure
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
    </Figure>
  )
}
