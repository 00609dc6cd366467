import { Link, useParams } from '@tanstack/react-router'
import { choicesOf, labelOf } from '../../../contract/labels.ts'
import { BREAKAGE_STATES, FAILURE_CATEGORIES } from '../../../contract/sets.ts'
import { useFilters } from '../../filters.ts'
import { useApi, usePages } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Page } from '../../ui/page.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { BreakageRows } from './breakage-row.tsx'

const ALL = 'all'
const BROKEN = BREAKAGE_STATES.filter((state) => state !== 'fixed' && state !== 'withdrawn').join(',')

const STATES = [
  ['', 'Not fixed'],
  ...BREAKAGE_STATES.map((state) => [state, labelOf('breakage_state', state)] as const),
  [ALL, 'All states'],
] as const
const CATEGORIES = [['', 'All categories'], ...choicesOf('failure_category', FAILURE_CATEGORIES)] as const
const OWNERS = [
  ['', 'All owners'],
  ['me', 'Mine'],
] as const

/** What is broken, one entry per cause. */
export default function Breakages() {
  const { projectId = '' } = useParams({ strict: false })
  const { user } = useMe()
  const [{ state, branch, category, owner }, filter, fieldOf] = useFilters('state', 'branch', 'category', 'owner')
  const query = {
    state: state === ALL ? undefined : state || BROKEN,
    branch,
    category,
    owner: owner === 'me' ? user.id : owner,
    suspects: true,
  }
  const pages = usePages('listBreakages', { project_id: projectId, query }, 'breakages')
  // Loaded with the list, for its empty state.
  useAnyBreakage(projectId)
  return (
    <Page
      title="Breakages"
      actions={
        <>
          <Filter label="State" options={STATES} {...fieldOf('state')} />
          <BranchFilter projectId={projectId} {...fieldOf('branch')} />
          <Filter label="Category" options={CATEGORIES} {...fieldOf('category')} />
          <Filter label="Owner" options={OWNERS} {...fieldOf('owner')} />
          <SavedViews />
        </>
      }
    >
      <InfiniteList
        query={pages}
        empty={
          state || branch || category || owner ? (
            <Empty
              title="No matching breakages"
              action={
                <Button onClick={() => filter({ state: '', branch: '', category: '', owner: '' })}>Show unfixed breakages</Button>
              }
            >
              No breakage in this project matches your filters.
            </Empty>
          ) : (
            <NothingBroken projectId={projectId} onAll={() => filter({ state: ALL })} />
          )
        }
      >
        <BreakageRows projectId={projectId} breakages={pages.items} />
      </InfiniteList>
    </Page>
  )
}

interface BranchFilterProps {
  projectId: string
  value: string
  onChange(branch: string): void
}

/** The most recently built branches, and the one in the URL. */
function BranchFilter({ projectId, value, onChange }: BranchFilterProps) {
  const { data } = useApi('listBranches', { project_id: projectId, query: { limit: 50 } })
  const names = new Set(data?.branches.map(({ name }) => name))
  if (value) names.add(value)
  return (
    <Filter
      label="Branch"
      options={[['', 'All branches'], ...[...names].map((name) => [name, name] as const)]}
      value={value}
      onChange={onChange}
    />
  )
}

const useAnyBreakage = (projectId: string) => useApi('listBreakages', { project_id: projectId, query: { limit: 1 } })

/** Either everything is green, or nothing was ever reported. */
function NothingBroken({ projectId, onAll }: { projectId: string; onAll(): void }) {
  const { data } = useAnyBreakage(projectId)
  if (data && data.breakages.length > 0)
    return (
      <Empty title="No open breakages" action={<Button onClick={onAll}>Show fixed breakages</Button>}>
        Every known breakage is fixed.
      </Empty>
    )
  return (
    <Empty
      title="No breakages yet"
      action={
        <Link to="/projects/$projectId/settings" params={{ projectId }} className={buttonClass()}>
          Investigation settings
        </Link>
      }
    >
      A breakage groups all builds that fail for the same cause. It appears here after a failed build is investigated.
    </Empty>
  )
}
