import { Link, useParams } from '@tanstack/react-router'
import { labelOf } from '../../../contract/labels.ts'
import { DECISIONS } from '../../../contract/sets.ts'
import { useFilters } from '../../filters.ts'
import { useApi, usePages } from '../../queries.ts'
import { useLocked } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Page } from '../../ui/page.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { ApprovalHistory } from './approval-history.tsx'
import { ApprovalQueue } from './approval-queue.tsx'
import { QueueFilters } from './queue-filters.tsx'

const NONE = { asset_type: '', path: '', author: '', branch: '', stage: '' }

const VIEWS = [
  ['', 'Waiting'],
  [DECISIONS.join(','), 'Decided'],
  ...DECISIONS.map((one) => [one, labelOf('approval_status', one)] as const),
] as const

export default function Approvals() {
  const { projectId = '' } = useParams({ strict: false })
  const [{ status: view }, , fieldOf] = useFilters('status')
  return (
    <Page
      title="Approvals"
      actions={
        <>
          <Filter label="Show" options={VIEWS} {...fieldOf('status')} />
          <SavedViews />
        </>
      }
    >
      {view === '' ? <WaitingQueue projectId={projectId} /> : <ApprovalHistory projectId={projectId} status={view} />}
    </Page>
  )
}

const FILTERS = ['asset_type', 'path', 'author', 'branch', 'stage'] as const

function WaitingQueue({ projectId }: { projectId: string }) {
  const [filters, filter] = useFilters('status', ...FILTERS)
  const wanted = Object.fromEntries(FILTERS.map((name) => [name, filters[name] || undefined]))
  const pages = usePages(
    'listApprovals',
    { project_id: projectId, query: { status: 'pending', limit: 50, changes: true, queue: true, previews: true, ...wanted } },
    'approvals',
  )
  const isFiltered = FILTERS.some((name) => filters[name] !== '')
  const asksNothing = useApi('showProjectSettings', { project_id: projectId }).data?.approval_rules?.length === 0
  const frozen = useLocked('approver') !== undefined
  // A decision is about an asset's current state, so each is listed once.
  const seen = new Set<string>()
  const approvals = pages.items.filter(({ asset_id }) => !seen.has(asset_id) && seen.add(asset_id))
  return (
    <>
      <QueueFilters filters={filters} onFilter={filter} approvals={approvals} />
      <InfiniteList
        query={pages}
        count={approvals.length}
        empty={
          isFiltered ? (
            <Empty
              title="Nothing waiting matches these filters"
              action={<Button onClick={() => filter(NONE)}>Clear filters</Button>}
            />
          ) : (
            <Empty
              title={asksNothing ? 'No approval rules yet' : 'Nothing to approve'}
              action={
                <Link to="/projects/$projectId/settings" params={{ projectId }} className={buttonClass()}>
                  {asksNothing ? 'Add approval rules' : 'Approval rules'}
                </Link>
              }
            >
              {asksNothing
                ? 'No asset in this project needs approval. Add rules for the paths, asset types, branches or authors that must be reviewed.'
                : 'Changed files that match an approval rule appear here.'}
            </Empty>
          )
        }
      >
        <ApprovalQueue projectId={projectId} approvals={approvals} frozen={frozen} />
      </InfiniteList>
    </>
  )
}
