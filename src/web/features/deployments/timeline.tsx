import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { statusLabel } from '../../../contract/spellings/stores.ts'
import { useApi } from '../../queries.ts'
import { deploymentPage } from '../../record-pages.ts'
import { Empty } from '../../ui/empty.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { lanesOf, type Mark } from './timeline-lanes.ts'
import { nameOfTrack, titleOf } from './title.ts'

const DAY_MS = 86_400_000
const PERIODS = [7, 30, 90]

/** The deployments to stores, of all projects of the account: a bar for what was live, a point for what is in progress or failed. */
export function Timeline({ accountId }: { accountId: number }) {
  const [days, setDays] = useState(30)
  const { data, error, refetch, dataUpdatedAt } = useApi('showReleaseTimeline', {
    account_id: accountId,
    query: { days_back: days },
  })
  if (!data) return error ? <Failed error={error} retry={() => void refetch()} /> : <Loading />
  const period = [dataUpdatedAt - days * DAY_MS, dataUpdatedAt] as const
  const lanes = lanesOf(data.deployments, period)
  return (
    <Section
      title="All games and stores"
      actions={
        <Filter
          label="Period"
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
          options={PERIODS.map((period) => [String(period), `Last ${period} days`] as const)}
        />
      }
    >
      {lanes.length === 0 ? (
        <Empty title="No deployments">No game was deployed in this period.</Empty>
      ) : (
        <>
          <ol className="grid grid-cols-1 gap-3">
            {lanes.map(({ project_id, project_name, marks, ...track }) => (
              <li
                key={`${project_id} ${nameOfTrack(track)}`}
                className="grid grid-cols-1 items-center gap-x-3 gap-y-1 sm:grid-cols-[12rem_minmax(0,1fr)]"
              >
                <span className="min-w-0 truncate text-sm" title={`${project_name}, ${nameOfTrack(track)}`}>
                  {project_name} <span className="text-soft">{nameOfTrack(track)}</span>
                </span>
                <span className="relative h-7 rounded-md bg-hover">
                  {marks.map((mark) => (
                    <Point key={mark.deployment.id} mark={mark} />
                  ))}
                </span>
              </li>
            ))}
          </ol>
          <p className="flex justify-between text-xs text-soft sm:pl-[12.75rem]">
            <span>{dateOf('day', new Date(period[0]).toISOString())}</span>
            <span>today</span>
          </p>
          {data.has_more && <p className="text-sm text-soft">Too many deployments to show. The oldest are left out.</p>}
        </>
      )}
    </Section>
  )
}

const COLORS: Record<string, string> = { live: 'bg-ok', rejected: 'bg-err', rolled_back: 'bg-err' }

function Point({ mark: { deployment, from, to } }: { mark: Mark }) {
  const { id, project_id, project_name, version, status, live_at, created_at } = deployment
  const words = `${project_name}, ${titleOf(deployment)}: ${statusLabel(deployment)}, ${dateOf('moment', live_at ?? created_at)}`
  const isBar = to !== null
  return (
    <Link
      {...deploymentPage(project_id, id)}
      aria-label={words}
      title={words}
      style={
        isBar
          ? { left: `${100 * from}%`, width: `${100 * (to - from)}%` }
          : { left: `clamp(0px, ${100 * from}% - 6px, 100% - 12px)` }
      }
      className={
        isBar
          ? 'absolute inset-y-0 min-w-3 truncate rounded-md border border-panel bg-ok-wash px-1.5 text-xs leading-7 text-ok hover:brightness-95'
          : `absolute top-2 z-1 size-3 rounded-full border-2 border-panel hover:scale-125 ${COLORS[status] ?? 'bg-info'}`
      }
    >
      {isBar && version}
    </Link>
  )
}
