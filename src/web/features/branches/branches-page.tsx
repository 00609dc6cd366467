import { useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useFilters } from '../../filters.ts'
import { useApi } from '../../queries.ts'
import { NoRecords } from '../../ui/empty.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { BranchGrid, JobRows } from './branch-grid.tsx'
import { BranchRow } from './branch-row.tsx'

/** The state of branches and streams, since when they are red, and the last known good change of each. */
export default function Branches() {
  const { projectId = '' } = useParams({ strict: false })
  const [{ branch }] = useFilters('branch')
  return branch === '' ? <All projectId={projectId} /> : <One projectId={projectId} branch={branch} />
}

function All({ projectId }: { projectId: string }) {
  const [{ q }, filter, fieldOf] = useFilters('q')
  const query = useApi('listBranches', { project_id: projectId, query: { q: q || undefined, limit: 50, runs: true } })
  return (
    <Page
      title="Branches"
      actions={
        <>
          <SearchField label="Filter by name" {...fieldOf('q')} className="w-52" />
          <SavedViews />
        </>
      }
    >
      <Loaded query={query}>
        {({ branches, pagination }) =>
          branches.length === 0 ? (
            <NoRecords of="branches" filtered={q !== ''} onClear={() => filter({ q: '' })} connect="Connect your CI">
              When your CI reports builds with a branch or stream, you see here which branches are green and their last known good
              change.
            </NoRecords>
          ) : (
            <>
              <ul aria-label="Branches" className="grid overflow-hidden rounded-lg border border-line bg-panel">
                {branches.map((one, at) => (
                  <BranchRow key={one.name} projectId={projectId} branch={one}>
                    {at < WITH_RUNS && <Runs projectId={projectId} jobs={one.jobs} />}
                  </BranchRow>
                ))}
              </ul>
              {pagination.has_more && (
                <p className="text-xs text-soft">These branches were built most recently. Filter by name to find others.</p>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

/** The most recently built branches show the runs of their jobs at once, the others on their own page. */
const WITH_RUNS = 8

const Runs = ({ projectId, jobs }: { projectId: string; jobs: AppReply<'listBranches'>['branches'][number]['jobs'] }) => (
  <div className="rounded-md border border-line bg-canvas md:col-span-2">
    <JobRows projectId={projectId} jobs={jobs.map(({ runs = [], ...job }) => ({ ...job, runs }))} />
  </div>
)

function One({ projectId, branch }: { projectId: string; branch: string }) {
  const query = useApi('showBranchHealth', { project_id: projectId, query: { branch } })
  return (
    <Page title={branch} up={['Branches', `/projects/${projectId}/branches`]}>
      <Loaded query={query}>{(health) => <BranchGrid projectId={projectId} health={health} />}</Loaded>
    </Page>
  )
}
