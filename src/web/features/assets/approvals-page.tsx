import { Link, useParams } from '@tanstack/react-router'
import { labelOf } from '../../../contract/labels.ts'
import { DECISIONS } from '../../../contract/sets.ts'
import { useFilters } from '../../filters.ts'
import { useApi, usePages } from '../../queries.ts'
import { useLocked } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Page } from '../../ui/page.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { ApprovalHistory } from './approval-history.tsx'
import { ApprovalQueue } from './approval-queue.tsx'

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
      {view === '' ? <Waiting projectId={projectId} /> : <ApprovalHistory projectId={projectId} status={view} />}
    </Page>
  )
}

function Waiting({ projectId }: { projectId: string }) {
  const pages = usePages(
    'listApprovals',
    { project_id: projectId, query: { status: 'pending', limit: 50, changes: true } },
    'approvals',
  )
  const asksNothing = useApi('showProjectSettings', { project_id: projectId }).data?.approval_rules?.length === 0
  const frozen = useLocked('approver') !== undefined
  // A decision is about an asset's current state, so each is listed once.
  const seen = new Set<string>()
  const approvals = pages.items.filter(({ asset_id }) => !seen.has(asset_id) && seen.add(asset_id))
  return (
    <InfiniteList
      query={pages}
      count={approvals.length}
      empty={
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
      }
    >
      <ApprovalQueue projectId={projectId} approvals={approvals} frozen={frozen} />
    </InfiniteList>
  )
}
