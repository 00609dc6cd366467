import { Link, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { choicesOf } from '../../../contract/labels.ts'
import { BUILD_STATUSES, BUILD_TYPES, buildState, isRunning } from '../../../contract/sets.ts'
import { useFilters } from '../../filters.ts'
import { PAGE_ROWS, usePages } from '../../queries.ts'
import { breakagePage, buildPage } from '../../record-pages.ts'
import { NoRecords } from '../../ui/empty.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { DateFields, endOf, SearchField, startOf } from '../../ui/form/search-field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Page } from '../../ui/page.tsx'
import { BuildKindLabel, BuildStatus, wordsOf } from '../../ui/pill.tsx'
import { aboveRow, type Column, rowLink, Table } from '../../ui/table.tsx'
import { Elapsed, spanOf, Time } from '../../ui/text/time.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { SuspectLink } from './suspects.tsx'
import { TestsVerdict } from './tests-verdict.tsx'

const FILTERS = [
  'status',
  'build_type',
  'q',
  'job',
  'branch',
  'platform',
  'configuration',
  'agent',
  'author',
  'since',
  'until',
] as const
const NONE = Object.fromEntries(FILTERS.map((name) => [name, '']))

export default function Builds() {
  const { projectId = '' } = useParams({ strict: false })
  const [filters, filter, fieldOf] = useFilters(...FILTERS)
  const { status, build_type, since, until, ...words } = filters
  const columns = useMemo(() => columnsOf(projectId), [projectId])
  const query = {
    ...words,
    status,
    build_type,
    finished_since: startOf(since),
    finished_until: endOf(until),
    breakages: true,
    limit: PAGE_ROWS,
  }
  const searches = [since, until, ...Object.values(words)].some(Boolean)
  const pages = usePages(
    searches ? 'searchBuilds' : ('listBuilds' as 'searchBuilds'),
    { project_id: projectId, query },
    'build_runs',
  )
  const filtered = Object.values(filters).some(Boolean)
  return (
    <Page
      title="Builds"
      actions={
        <>
          <Filter
            label="Status"
            {...fieldOf('status')}
            options={[['', 'All statuses'], ...choicesOf('build_status', BUILD_STATUSES)]}
          />
          <Filter
            label="Engine"
            {...fieldOf('build_type')}
            options={[['', 'All engines'], ...choicesOf('build_type', BUILD_TYPES)]}
          />
          <SavedViews />
        </>
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label="Search builds" placeholder="Job, number, branch" {...fieldOf('q')} />
        <SearchField label="Job" placeholder="Job (exact)" {...fieldOf('job')} />
        <SearchField label="Branch" placeholder="Branch (exact)" {...fieldOf('branch')} />
        <SearchField label="Platform" placeholder="Platform" {...fieldOf('platform')} className="w-28" />
        <SearchField label="Configuration" {...fieldOf('configuration')} className="w-32" />
        <SearchField label="Agent" placeholder="Agent (exact)" {...fieldOf('agent')} className="w-32" />
        <SearchField label="Author" {...fieldOf('author')} className="w-28" />
        <DateFields label="Finished" since={since} until={until} onChange={filter} />
      </div>
      <InfiniteList
        query={pages}
        empty={
          <NoRecords of="builds" filtered={filtered} onClear={() => filter(NONE)} connect="Connect your CI">
            Connect your CI to see its builds here, with logs, steps and causes of failures.
          </NoRecords>
        }
      >
        <Table caption="Builds, newest first" rows={pages.items} keyOf={keyOf} columns={columns} textOf={textOf} />
      </InfiniteList>
    </Page>
  )
}

type Listed = AppReply<'listBuilds'>['build_runs'][number]

const keyOf = ({ id }: Listed) => id
const textOf = ({ ci_job_name, build_number, branch, changelist, commit_hash, breakage }: Listed) =>
  `${ci_job_name} #${build_number} ${changelist || commit_hash} ${branch} ${breakage?.cause ?? ''}`

const columnsOf = (projectId: string): Column<Listed>[] => [
  {
    head: 'Build',
    cell: ({ id, ci_job_name, build_number, kind, created_at, breakage }) => (
      <>
        <Link {...buildPage(projectId, id)} className={`wrap-anywhere font-medium hover:underline ${rowLink}`}>
          <bdi>{ci_job_name || 'Build'}</bdi> {build_number && <span className="text-soft">#{build_number}</span>}
        </Link>{' '}
        <BuildKindLabel value={kind} />
        {breakage && <FailedOf projectId={projectId} breakage={breakage} />}
        <span className="block text-xs text-soft md:hidden">
          <Time at={created_at} />
        </span>
      </>
    ),
  },
  {
    head: 'Status',
    className: 'w-36 md:w-44',
    cell: ({ phase, ...build }) => (
      <span className="inline-flex max-w-full flex-wrap items-center gap-2">
        <BuildStatus value={buildState(build)} />
        <TestsVerdict status={build.status} verdict={build.verdict ?? null} />
        {phase && (isRunning(build) || build.status === 'failed') && (
          <span className="text-xs text-soft max-md:hidden">{wordsOf(phase)}</span>
        )}
      </span>
    ),
  },
  {
    head: 'Change',
    wide: true,
    className: 'w-28',
    cell: ({ commit_hash, changelist }) => (
      <code className="whitespace-nowrap font-mono text-xs">{changelist ? `CL ${changelist}` : commit_hash.slice(0, 8)}</code>
    ),
  },
  {
    head: 'Branch',
    wide: true,
    className: 'w-36',
    cell: ({ branch }) => <span className="wrap-anywhere text-soft">{branch}</span>,
  },
  {
    head: 'Platform',
    wide: true,
    className: 'w-32',
    cell: ({ platform, configuration }) => (
      <span className="wrap-anywhere text-soft">
        {platform ?? 'unknown'}
        {configuration && <span className="block text-xs">{configuration}</span>}
      </span>
    ),
  },
  {
    head: 'Duration',
    wide: true,
    className: 'w-32 text-right whitespace-nowrap',
    cell: ({ duration_seconds, started_at, ...build }) => (
      <span className="tabular-nums">
        {isRunning(build) && started_at ? <Elapsed since={started_at} /> : spanOf(duration_seconds)}
      </span>
    ),
  },
  {
    head: 'Started',
    wide: true,
    className: 'w-28',
    // A separate link: below the one that covers the row, the exact time would not show.
    cell: ({ id, created_at }) => (
      <Link {...buildPage(projectId, id)} tabIndex={-1} className={aboveRow}>
        <Time at={created_at} />
      </Link>
    ),
  },
]

/** Why it failed in a few words, and whose change may have caused it. */
const FailedOf = ({ projectId, breakage }: { projectId: string; breakage: NonNullable<Listed['breakage']> }) => (
  <span className="block max-w-80 text-xs text-soft">
    <Link
      {...breakagePage(projectId, breakage.id)}
      title={breakage.cause}
      className={`wrap-anywhere line-clamp-2 hover:underline ${aboveRow}`}
    >
      {breakage.cause || 'Cause not found'}
    </Link>
    {breakage.suspect && (
      <>
        suspect:{' '}
        <span className={aboveRow}>
          <SuspectLink suspect={breakage.suspect} />
        </span>
      </>
    )}
  </span>
)
