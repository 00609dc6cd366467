import { useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { choicesOf } from '../../../contract/labels.ts'
import { DEPLOYMENT_STATUSES, PLATFORMS } from '../../../contract/sets.ts'
import { storeLabel } from '../../../contract/spellings/stores.ts'
import { useFilters } from '../../filters.ts'
import { PAGE_ROWS, useApi, usePages } from '../../queries.ts'
import { useAccount } from '../../session.ts'
import { NoRecords } from '../../ui/empty.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Page } from '../../ui/page.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { Store } from './store.tsx'
import { Timeline } from './timeline.tsx'

type Deployment = AppReply<'listDeployments'>['deployments'][number]

export default function Deployments() {
  const { projectId = '' } = useParams({ strict: false })
  const [{ platform, status, view }, filter, fieldOf] = useFilters('platform', 'status', 'view')
  const account = useAccount()
  const pages = usePages(
    'listDeployments',
    { project_id: projectId, query: { platform, status, limit: PAGE_ROWS } },
    'deployments',
  )
  const { data } = useApi('listStoreNews', { project_id: projectId }, { enabled: view === '' })
  return (
    <Page
      title="Deployments"
      actions={
        <>
          <Filter
            label="Show"
            {...fieldOf('view')}
            options={[
              ['', 'Stores of this game'],
              ['timeline', 'Timeline of all games'],
            ]}
          />
          {view === '' && (
            <>
              <Filter
                label="Store"
                {...fieldOf('platform')}
                options={[['', 'All stores'], ...PLATFORMS.map((value) => [value, storeLabel(value)] as const)]}
              />
              <Filter
                label="Status"
                {...fieldOf('status')}
                options={[['', 'All statuses'], ...choicesOf('deployment_status', DEPLOYMENT_STATUSES)]}
              />
            </>
          )}
          <SavedViews />
        </>
      }
    >
      {view === 'timeline' ? (
        account && <Timeline accountId={account.id} />
      ) : (
        <InfiniteList
          query={pages}
          empty={
            <NoRecords
              of="deployments"
              filtered={platform !== '' || status !== ''}
              onClear={() => filter({ platform: '', status: '' })}
              connect="Connect a deployment tool"
            >
              Connect a deployment tool to follow each build from upload through review to live.
            </NoRecords>
          }
        >
          <div className="grid items-start gap-4 lg:grid-cols-2">
            {byTrack(pages.items).map(([key, deployments]) => (
              <Store key={key} projectId={projectId} deployments={deployments} news={data?.news ?? []} />
            ))}
          </div>
        </InfiniteList>
      )}
    </Page>
  )
}

/** A panel for each track of each store, the most recently used first. */
function byTrack(deployments: readonly Deployment[]): [string, Deployment[]][] {
  const tracks = new Map<string, Deployment[]>()
  for (const deployment of deployments) {
    const key = JSON.stringify([deployment.store, deployment.track])
    tracks.set(key, [...(tracks.get(key) ?? []), deployment])
  }
  return [...tracks]
}
