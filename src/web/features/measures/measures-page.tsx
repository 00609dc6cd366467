import { Link, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { differenceWords, measureWords } from '../../../contract/labels/measure-words.ts'
import { useFilters } from '../../filters.ts'
import { useApi } from '../../queries.ts'
import { buildPage } from '../../record-pages.ts'
import { NoRecords } from '../../ui/empty.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { aboveRow, type Column, rowLink, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { Alerts, Budgets } from './budgets.tsx'
import { MeasureLine } from './measure-line.tsx'
import { LiveDifference, seriesSearch } from './series-words.tsx'

type Measure = AppReply<'listMeasures'>['measures'][number]

const FILTERS = ['name', 'job', 'branch', 'platform', 'configuration'] as const
const NONE = Object.fromEntries(FILTERS.map((name) => [name, '']))

/** The measures of a project, a row for each job, branch, platform and configuration. */
export default function Measures() {
  const { projectId = '' } = useParams({ strict: false })
  const [filters, filter, fieldOf] = useFilters(...FILTERS)
  const query = useApi('listMeasures', { project_id: projectId, query: filters })
  const columns = useMemo(() => columnsOf(projectId), [projectId])
  const filtered = Object.values(filters).some(Boolean)
  return (
    <Page
      title="Measures"
      actions={
        <Link to="/projects/$projectId/measures/costs" params={{ projectId }} className="text-sm underline">
          Cost of builds
        </Link>
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label="Measure" placeholder="Measure (exact)" {...fieldOf('name')} />
        <SearchField label="Job" placeholder="Job (exact)" {...fieldOf('job')} />
        <SearchField label="Branch" placeholder="Branch (exact)" {...fieldOf('branch')} />
        <SearchField label="Platform" placeholder="Platform" {...fieldOf('platform')} className="w-28" />
        <SearchField label="Configuration" placeholder="Configuration" {...fieldOf('configuration')} className="w-36" />
      </div>
      <Loaded query={query}>
        {({ measures, has_more }) =>
          measures.length === 0 ? (
            <NoRecords of="measures" filtered={filtered} onClear={() => filter(NONE)} connect="Connect your CI">
              Package sizes, cook times and other numbers are read from the logs of passed Unreal and Unity builds. Add your own
              with “goldmaster run --measure package=4.2GB”, or print a line ##goldmaster[measure name=… value=…] in the log.
            </NoRecords>
          ) : (
            <>
              <Alerts projectId={projectId} />
              <p className="text-sm text-soft">
                Measures over their budget, stopped or changed come first; a step is a lasting change of 3 % or more in the last
                40 passed builds.
                {has_more && ' There are more measures: filter by job or branch.'}
              </p>
              <Table
                caption="Measures, those that stopped or changed first"
                rows={measures}
                keyOf={(row) => JSON.stringify(seriesSearch(row))}
                columns={columns}
              />
              <Budgets projectId={projectId} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

const columnsOf = (projectId: string): Column<Measure>[] => [
  {
    head: 'Measure',
    className: 'w-full',
    cell: (row) => (
      <>
        <Link
          to="/projects/$projectId/measures/trend"
          params={{ projectId }}
          search={seriesSearch(row) as never}
          className={`wrap-anywhere font-medium hover:underline ${rowLink}`}
        >
          {row.name}
        </Link>
        <span className="block wrap-anywhere text-xs text-soft">
          {[row.platform, row.configuration, row.job, row.branch].filter(Boolean).join(' · ')}
        </span>
      </>
    ),
  },
  {
    head: 'Last values',
    wide: true,
    cell: ({ values, name }) => <MeasureLine values={values} label={`Last values of ${name}`} className="h-6 w-32" />,
  },
  {
    head: 'Value',
    className: 'whitespace-nowrap tabular-nums',
    cell: (row) => (
      <>
        {measureWords(row)}
        {row.over_budget && (
          <span className="block">
            <Pill kind="warn">Over budget</Pill>
          </span>
        )}
        {row.usual !== null && <span className="block text-xs text-soft">{differenceWords(row.value, row.usual)}</span>}
      </>
    ),
  },
  { head: 'Step', className: 'whitespace-nowrap', cell: (row) => <Step projectId={projectId} row={row} /> },
  {
    head: 'Against live',
    wide: true,
    className: 'whitespace-nowrap',
    cell: ({ value, live: [newest] }) => newest && <LiveDifference projectId={projectId} value={value} live={newest} />,
  },
  {
    head: 'Measured',
    wide: true,
    className: 'whitespace-nowrap',
    cell: ({ build_run_id, measured_at }) => (
      <Link {...buildPage(projectId, build_run_id)} className={`hover:underline ${aboveRow}`}>
        <Time at={measured_at} />
      </Link>
    ),
  },
]

function Step({ projectId, row: { jump, stopped, builds_without } }: { projectId: string; row: Measure }) {
  if (stopped) return <Pill kind="warn">{`Missing in ${builds_without} builds`}</Pill>
  if (!jump) return null
  return (
    <Link {...buildPage(projectId, jump.first_build_run_id)} className={`hover:underline ${aboveRow}`}>
      {differenceWords(jump.after, jump.before)}
    </Link>
  )
}
