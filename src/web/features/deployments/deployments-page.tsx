import { Link, useParams } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { choicesOf } from '../../../contract/labels.ts'
import { DEPLOYMENT_STATUSES, PLATFORMS } from '../../../contract/sets.ts'
import { storeLabel } from '../../../contract/spellings/stores.ts'
import { useFilters } from '../../filters.ts'
import { PAGE_ROWS, useApi, usePages } from '../../queries.ts'
import { useAccount } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Page } from '../../ui/page.tsx'
import { SavedViews } from '../views/saved-views.tsx'
import { Store } from './store.tsx'
import { Timeline } from './timeline.tsx'

type Deployment = AppReply<'listDeployments'>['deployments'][number]

export default function Deployments() {
  const { projectId = '' } = useParams({ strict: false })
  const [{ platform, status, view }, filter] = useFilters('platform', 'status', 'view')
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
            value={view}
            onChange={(view) => filter({ view })}
            options={[
              ['', 'Stores of this game'],
              ['timeline', 'Timeline of all games'],
            ]}
          />
          {view === '' && (
            <>
              <Filter
                label="Store"
                value={platform}
                onChange={(platform) => filter({ platform })}
                options={[['', 'All stores'], ...PLATFORMS.map((value) => [value, storeLabel(value)] as const)]}
              />
              <Filter
                label="Status"
                value={status}
                onChange={(status) => filter({ status })}
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
          count={pages.items.length}
          empty={
            platform || status ? (
              <Empty
                title="No matching deployments"
                action={<Button onClick={() => filter({ platform: '', status: '' })}>Show all deployments</Button>}
              >
                No deployment matches your filters.
              </Empty>
            ) : (
              <Empty
                title="No deployments yet"
                action={
                  <Link to="/projects/$projectId/integrations" params={{ projectId }} className={buttonClass()}>
                    Connect a deployment tool
                  </Link>
                }
              >
                Connect a deployment tool to follow each build from upload through review to live.
              </Empty>
            )
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
