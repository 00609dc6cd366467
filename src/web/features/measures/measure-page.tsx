import { Link, useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { grownWords } from '../../../contract/labels/budget-words.ts'
import { differenceWords, measureWords } from '../../../contract/labels/measure-words.ts'
import { useFilters } from '../../filters.ts'
import { useApi } from '../../queries.ts'
import { buildPage, changePage } from '../../record-pages.ts'
import { ChartFigure } from '../../ui/chart-figure.tsx'
import { DefinitionCard } from '../../ui/definition-list.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/text/time.tsx'
import { MeasureLine } from './measure-line.tsx'
import { LiveDifference, liveWords, seriesSearch } from './series-words.tsx'

type Trend = AppReply<'showMeasures'>['trends'][number]
type Jump = Trend['jumps'][number]

/** A measure over time, with its steps and the changes that may have caused them. */
export default function Measure() {
  const { projectId = '' } = useParams({ strict: false })
  const [filters] = useFilters('name', 'job', 'branch', 'platform', 'configuration')
  const query = useApi('showMeasures', { project_id: projectId, query: filters })
  return (
    <Page title={filters.name || 'Measures'} up={['Measures', `/projects/${projectId}/measures`]}>
      <Loaded query={query}>
        {({ trends, has_more }) => (
          <>
            {trends.length === 0 && <Empty title="No such measure">No passed build has this measure anymore.</Empty>}
            {trends.map((trend) => (
              <Shown key={JSON.stringify(seriesSearch(trend))} projectId={projectId} trend={trend} />
            ))}
            {has_more && <p className="text-sm text-soft">There are more series of this measure.</p>}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Shown({ projectId, trend }: { projectId: string; trend: Trend }) {
  const { name, unit, values, jumps, live } = trend
  const words = (value: number) => measureWords({ value, unit })
  const all = values.map(({ value }) => value)
  const summary = `${values.length} passed builds, from ${words(Math.min(...all))} to ${words(Math.max(...all))}.`
  return (
    <section className="grid gap-3">
      {trend.stopped && (
        <Notice kind="warn">The last {trend.builds_without} passed builds of this job and branch have no value.</Notice>
      )}
      <DefinitionCard
        items={[
          ['Job', trend.job],
          ['Branch', trend.branch || 'unknown'],
          ['Platform', trend.platform ?? 'unknown'],
          ['Configuration', trend.configuration ?? 'unknown'],
          ['Last value', <BuildValue key="value" projectId={projectId} trend={trend} />],
          ['Usual', trend.usual !== null && words(trend.usual)],
        ]}
      />
      <ChartFigure
        title={[name, trend.platform, trend.configuration].filter(Boolean).join(' · ')}
        summary={summary}
        table={{
          head: ['Build', 'Measured', 'Value'],
          rows: values.toReversed().map(({ build_run_id, build_number, measured_at, value }) => [
            <Link key="build" {...buildPage(projectId, build_run_id)} className="underline">
              #{build_number || build_run_id}
            </Link>,
            <Time key="time" at={measured_at} />,
            words(value),
          ]),
        }}
      >
        <MeasureLine values={all} label={summary} className="h-40 w-full" dots={all.length <= 60} />
      </ChartFigure>
      {live.length > 0 && (
        <>
          <h2 className="font-semibold">Against live</h2>
          <ul className="flex flex-wrap gap-x-8 gap-y-2 text-sm">
            {live.map((one) => (
              <li key={one.deployment_id} title={`${liveWords(one)}: ${words(one.value)}`}>
                <LiveDifference projectId={projectId} value={trend.value} live={one} />
              </li>
            ))}
          </ul>
        </>
      )}
      <h2 className="font-semibold">Steps</h2>
      {jumps.length === 0 && <p className="text-sm text-soft">No lasting change of 3 % or more.</p>}
      <ul className="grid gap-3 text-sm">
        {jumps.toReversed().map((jump) => (
          <li key={jump.first_build_run_id} className="grid gap-1">
            <span>
              <span className="font-medium tabular-nums">{differenceWords(jump.after, jump.before)}</span>, from{' '}
              {words(jump.before)} to {words(jump.after)}, {whereOf(projectId, jump, values)}
            </span>
            <Changes projectId={projectId} jump={jump} />
            {jump.grown.length > 0 && <span className="wrap-anywhere">Grew most: {jump.grown.map(grownWords).join(', ')}.</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}

const BuildValue = ({ projectId, trend }: { projectId: string; trend: Trend }) => (
  <>
    {measureWords(trend)} in{' '}
    <Link {...buildPage(projectId, trend.build_run_id)} className="underline">
      #{trend.build_number || trend.build_run_id}
    </Link>
  </>
)

/** `in #120`, or `between #118 and #121` if the noise hides where exactly. */
function whereOf(projectId: string, { first_build_run_id, last_build_run_id }: Jump, values: Trend['values']) {
  const link = (id: string) => (
    <Link {...buildPage(projectId, id)} className="underline">
      #{values.find(({ build_run_id }) => build_run_id === id)?.build_number || id}
    </Link>
  )
  if (first_build_run_id === last_build_run_id) return <>in {link(first_build_run_id)}</>
  return (
    <>
      between {link(first_build_run_id)} and {link(last_build_run_id)}
    </>
  )
}

/** The changes that are in the builds of a step and not in the build before it. */
function Changes({ projectId, jump: { range } }: { projectId: string; jump: Jump }) {
  if (!range) return <span className="text-soft">Its changes were not checked: only those of the newest 3 steps are.</span>
  if (range.changes.length === 0)
    return (
      <span className="text-soft">{range.count === 0 ? 'No change between these builds.' : 'Its changes are not known.'}</span>
    )
  const more = (range.count ?? 0) - range.changes.length
  return (
    <span className="flex flex-wrap gap-x-2 text-soft">
      {range.count === 1 ? 'Change:' : 'Changes:'}
      {range.changes.map(({ id, display_identifier }) => (
        <Link key={id} {...changePage(projectId, id)} className="underline">
          {display_identifier}
        </Link>
      ))}
      {more > 0 && `and ${more} more`}
    </span>
  )
}
