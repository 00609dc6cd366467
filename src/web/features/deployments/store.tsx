import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { statusLabel } from '../../../contract/spellings/stores.ts'
import { deploymentPage } from '../../record-pages.ts'
import { Pill, Status } from '../../ui/pill.tsx'
import { countOf } from '../../ui/text/count.ts'
import { Time } from '../../ui/text/time.tsx'
import { nameOfTrack } from './title.ts'

type News = AppReply<'listStoreNews'>['news'][number]
type Deployment = AppReply<'listDeployments'>['deployments'][number]

interface Props {
  projectId: string
  /** For one track of one store, newest first. */
  deployments: readonly Deployment[]
  /** The changes of the newest deployment of each store. */
  news: readonly News[]
}

/** One track of a store: what is live, what is in progress, what was before. */
export function Store({ projectId, deployments, news }: Props) {
  const name = nameOfTrack(deployments[0]!)
  const newest = news.find(({ deployment_id }) => deployment_id === deployments[0]!.id)
  const live = deployments.find(({ current }) => current)
  return (
    <section aria-label={name} className="grid content-start overflow-hidden rounded-lg border border-line bg-panel">
      <header className="flex flex-wrap items-baseline justify-between gap-2 border-b border-line px-4 py-3">
        <h2 className="font-semibold">{name}</h2>
        <span className="text-sm text-soft">
          {live ? (
            <>
              <span className="font-medium text-ok">{live.version || 'A build'}</span> went live{' '}
              <Time at={live.live_at ?? live.updated_at} />
            </>
          ) : (
            'nothing live yet'
          )}
        </span>
      </header>
      {newest && <Brought projectId={projectId} deployment={deployments[0]!} news={newest} />}
      <ol>
        {deployments.map((deployment) => (
          <li
            key={deployment.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 text-sm last:border-0 hover:bg-hover/60"
          >
            <Link {...deploymentPage(projectId, deployment.id)} className="min-w-24 font-medium hover:underline">
              {deployment.version || deployment.external_build_id || 'Deployment'}
            </Link>
            {deployment.status === 'live' && !deployment.current ? (
              <Pill>was live</Pill>
            ) : (
              <Status of="deployment_status" value={deployment.status} words={statusLabel(deployment)} />
            )}
            <span className="min-w-0 flex-1 truncate text-xs text-soft" title={deployment.branch}>
              {deployment.branch.toLowerCase() === deployment.track ? '' : deployment.branch}
            </span>
            <span className="text-xs text-soft">
              <Time at={deployment.created_at} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The number of changes since the previously live deployment. */
function Brought({ projectId, deployment, news }: { projectId: string; deployment: Deployment; news: News }) {
  return (
    <p className="border-b border-line bg-canvas px-4 py-2 text-xs text-soft">
      <Link {...deploymentPage(projectId, deployment.id)} className="font-medium text-ink underline">
        {news.has_more && 'more than '}
        {countOf(news.changes, 'change')}
      </Link>{' '}
      in {deployment.version || 'the newest'}{' '}
      {news.since === null ? 'so far' : `since ${news.since || 'the previous live build'}`}
      {news.newest !== null && `, last: ${news.newest}`}
    </p>
  )
}
