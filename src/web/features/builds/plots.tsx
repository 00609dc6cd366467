import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useFilters } from '../../filters.ts'
import { useApi } from '../../queries.ts'
import { Chart, type Series } from '../../ui/chart.tsx'
import { Figure } from '../../ui/figure.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Waiting } from '../../ui/pages.tsx'
import { buildWordsOf, wordsOf } from '../../ui/pill.tsx'
import { PLATFORM_NAMES } from '../deployments/platforms.ts'

type Data = AppReply<'showPlots'>
interface Part {
  projectId: string
  data: Data
  days: number
  period: readonly [from: number, to: number]
}

const PERIODS = [7, 30, 90].map((days) => [String(days), `Last ${days} days`] as const)

/** How the project has been doing; loaded after the page, drawing library and all. */
export default function Plots({ projectId }: { projectId: string }) {
  const [{ days: asked }, filter] = useFilters('days')
  const days = PERIODS.some(([value]) => value === asked) ? Number(asked) : 30
  const { data, error, refetch } = useApi('showPlots', { project_id: projectId, query: { days_back: days } })
  return (
    <section className="grid gap-3" aria-label="Trends">
      <div className="flex items-center justify-between gap-2">
        <h2 className="font-semibold">Trends</h2>
        <Filter label="Period" value={days} onChange={(event) => filter({ days: event.target.value })} options={PERIODS} />
      </div>
      {error && <Failed error={error} retry={() => void refetch()} />}
      {!data && !error && <Waiting lines={4} />}
      {data && <Figures data={data} projectId={projectId} />}
    </section>
  )
}

const DAY = 86_400

/** Days without a build are told, too, so that the data says which period it is about. */
function Figures({ data, projectId }: { data: Data; projectId: string }) {
  const from = seconds(`${data.builds[0]!.day}T00:00:00Z`)
  const days = data.builds.length
  const period = useMemo(() => [from, from + days * DAY] as const, [from, days])
  const part = { data, projectId, days, period }
  return (
    <div className="grid gap-3 lg:grid-cols-2 lg:items-start">
      <Builds {...part} />
      <Durations {...part} />
      <LeadTimes {...part} />
      <Causes {...part} />
    </div>
  )
}

const None = ({ children }: { children: string }) => (
  <p className="grid h-[190px] place-items-center rounded-md bg-canvas px-4 text-center text-xs text-soft">{children}</p>
)

const dayName = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const seconds = (iso: string) => Date.parse(iso) / 1000

const RESULTS = [
  ['completed', 'passed', 'ok'],
  ['waiting', 'waiting for approval', 'warn'],
  ['failed', 'failed', 'err'],
  ['cancelled', 'cancelled', 'faint'],
] as const

function Builds({ data: { builds }, days, period }: Part) {
  const [at, setAt] = useState<number | null>(null)
  // A bar stands in the middle of its day.
  const times = useMemo(() => builds.map(({ day }) => seconds(`${day}T12:00:00Z`)), [builds])
  const series = useMemo(
    () => RESULTS.map(([key, label, color]): Series => ({ label, color, values: builds.map((day) => day[key]) })),
    [builds],
  )
  const say = (days: Data['builds']) => {
    const counts = RESULTS.map(([key, label]) => [days.reduce((sum, day) => sum + day[key], 0), label] as const)
    return counts
      .filter(([count]) => count > 0)
      .map(([count, label]) => `${count} ${label}`)
      .join(', ')
  }
  const all = say(builds)
  const day = at === null ? undefined : builds[at]
  return (
    <Figure
      title="Builds per day"
      summary={all ? `In ${days} days: ${all}.` : `No build in ${days} days.`}
      pointed={day && `${dayName.format(new Date(day.day))}: ${say([day]) || 'none'}.`}
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
        <None>Every build your CI reports becomes part of a bar here.</None>
      )}
    </Figure>
  )
}

const whole = (value: number) => (Number.isInteger(value) ? String(value) : '')
const short = (value: number) =>
  value === 0 ? '0' : value < 60 ? `${Math.round(value)} s` : value < 3600 ? `${Math.round(value / 60)} min` : hours(value / 3600)
const hours = (value: number) =>
  value === 0 ? '0' : value < 1 ? `${Math.round(value * 60)} min` : value < 72 ? `${round(value)} h` : `${round(value / 24)} days`
const round = (value: number) => Math.round(value * 10) / 10
const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? 0

function Durations({ data: { durations }, days, period, projectId }: Part) {
  const navigate = useNavigate()
  const [at, setAt] = useState<number | null>(null)
  const times = useMemo(() => durations.map((one) => seconds(one.at)), [durations])
  const series = useMemo((): Series[] => {
    const of = (failed: boolean) => durations.map((one) => ((one.status === 'failed') === failed ? one.seconds : null))
    return [
      { label: 'passed', color: 'ok', values: of(false) },
      { label: 'failed', color: 'err', values: of(true) },
    ]
  }, [durations])
  const all = durations.map((one) => one.seconds)
  const summary = all.length
    ? all.length === 1
      ? `One build, which took ${short(all[0]!)}.`
      : `Half of ${all.length} builds took at most ${short(median(all))}, the longest ${short(Math.max(...all))}.`
    : `No finished build in ${days} days.`
  const one = at === null ? undefined : durations[at]
  return (
    <Figure
      title="How long builds take"
      summary={summary}
      pointed={
        one && `${nameOf(one)}, ${moment.format(new Date(one.at))}: ${buildWordsOf(one.status)} after ${short(one.seconds)}.`
      }
      legend={series}
      table={{
        head: ['Build', 'Finished', 'Result', 'Took'],
        rows: durations
          .map((one) => [
            <Link
              key="build"
              to="/projects/$projectId/builds/$buildId"
              params={{ projectId, buildId: String(one.id) }}
              className="underline"
            >
              {nameOf(one)}
            </Link>,
            one.at.slice(0, 16).replace('T', ' '),
            buildWordsOf(one.status),
            short(one.seconds),
          ])
          .reverse(),
      }}
    >
      {all.length ? (
        <Chart
          label={summary}
          times={times}
          period={period}
          series={series}
          kind="points"
          unit={short}
          onPoint={setAt}
          onPick={(index) =>
            void navigate({
              to: '/projects/$projectId/builds/$buildId',
              params: { projectId, buildId: String(durations[index]!.id) },
            })
          }
        />
      ) : (
        <None>Each build that ends becomes a point here.</None>
      )}
    </Figure>
  )
}

const nameOf = (build: Data['durations'][number]) => `${build.ci_job_name || 'Build'} #${build.build_number || build.id}`

function LeadTimes({ data: { lead_times }, days, period, projectId }: Part) {
  const navigate = useNavigate()
  const [at, setAt] = useState<number | null>(null)
  const times = useMemo(() => lead_times.map((one) => seconds(one.at)), [lead_times])
  const series = useMemo(
    (): Series[] => [{ label: 'change to live', color: 'info', values: lead_times.map((one) => one.hours * 3600) }],
    [lead_times],
  )
  const all = lead_times.map((one) => one.hours)
  const summary = all.length
    ? all.length === 1
      ? `One release, ${hours(all[0]!)} after its change.`
      : `Half of ${all.length} releases needed at most ${hours(median(all))} from the change to live.`
    : `Nothing went live in ${days} days from a build and a change that are known here.`
  const one = at === null ? undefined : lead_times[at]
  return (
    <Figure
      title="From change to live"
      summary={summary}
      pointed={
        one &&
        `${moment.format(new Date(one.at))}: ${PLATFORM_NAMES[one.platform]} ${one.version}, ${hours(one.hours)} after its change.`
      }
      table={{
        head: ['Live', 'Release', 'After'],
        rows: lead_times.map((one) => [
          one.at.slice(0, 16).replace('T', ' '),
          <Link
            key="release"
            to="/projects/$projectId/deployments/$deploymentId"
            params={{ projectId, deploymentId: one.id }}
            className="underline"
          >
            {PLATFORM_NAMES[one.platform]} {one.version}
          </Link>,
          hours(one.hours),
        ]),
      }}
    >
      {all.length ? (
        <Chart
          label={summary}
          times={times}
          period={period}
          series={series}
          kind="line"
          unit={short}
          onPoint={setAt}
          onPick={(index) =>
            void navigate({
              to: '/projects/$projectId/deployments/$deploymentId',
              params: { projectId, deploymentId: lead_times[index]!.id },
            })
          }
        />
      ) : (
        <None>Report deployments with their build, and each release becomes a point here.</None>
      )}
    </Figure>
  )
}

function Causes({ data: { causes }, days }: Part) {
  const most = causes[0]?.count ?? 1
  const total = causes.reduce((sum, { count }) => sum + count, 0)
  return (
    <Figure
      title="Why builds failed"
      summary={
        total
          ? `Causes found in ${total} investigated ${total === 1 ? 'failure' : 'failures'}.`
          : `No failure was investigated in ${days} days.`
      }
    >
      {total ? (
        <ul className="grid gap-2 text-xs">
          {causes.slice(0, 8).map(({ category, count }) => (
            <li key={category} className="grid grid-cols-[9rem_1fr_2rem] items-center gap-2">
              <span className="truncate">{wordsOf(category)}</span>
              <span aria-hidden="true" className="h-3 rounded-sm bg-err" style={{ width: `${(100 * count) / most}%` }} />
              <span className="text-right tabular-nums">{count}</span>
            </li>
          ))}
        </ul>
      ) : (
        <None>Open a failed build and choose Investigate: what was found is counted here.</None>
      )}
    </Figure>
  )
}
