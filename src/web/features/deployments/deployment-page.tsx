import { Link, useParams } from '@tanstack/react-router'
import { statusLabel } from '../../../contract/spellings/stores.ts'
import { useApi } from '../../queries.ts'
import { deploymentPage } from '../../record-pages.ts'
import { useLocked } from '../../session.ts'
import { DefinitionCard } from '../../ui/definition-list.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/pill.tsx'
import { BuildLink } from '../builds/build-line.tsx'
import { Contents } from '../changes/contents.tsx'
import { Comments } from '../comments/comments.tsx'
import { useComments } from '../comments/queries.ts'
import { RecordHistory, useHistory } from '../history/record-history.tsx'
import { DeploymentBuild } from './deployment-build.tsx'
import { DeploymentWay } from './deployment-way.tsx'
import { Release } from './release.tsx'
import { SetStatus } from './set-status.tsx'
import { nameOfTrack, titleOf } from './title.ts'

export default function Deployment() {
  const { projectId = '', deploymentId = '' } = useParams({ strict: false })
  const args = { project_id: projectId, id: deploymentId }
  const { data, error, refetch, isPlaceholderData } = useApi('showDeployment', args)
  // Loaded with the deployment, shown below it.
  useApi('showDeploymentBuild', args)
  useApi('compareDeployment', args)
  useApi('showRelease', args)
  const commented = { subject: 'deployment', projectId, id: deploymentId } as const
  useComments(commented)
  useHistory(commented)
  const locked = useLocked('contributor') !== undefined
  const up = ['Deployments', `/projects/${projectId}/deployments`] as const
  if (!data || isPlaceholderData)
    return (
      <Page title="Deployment" up={up}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Loading />}
      </Page>
    )
  const { build_run, built } = data
  return (
    <Page
      title={titleOf(data)}
      up={up}
      actions={
        <>
          <Status of="deployment_status" value={data.status} words={statusLabel(data)} />
          {!locked && <SetStatus projectId={projectId} deployment={data} />}
        </>
      }
    >
      <DeploymentWay deployment={data} />
      <DefinitionCard
        items={[
          ['Version', data.version],
          ['Track', data.track],
          ['Branch', data.branch.toLowerCase() === data.track ? '' : data.branch],
          ['Build', build_run ? <BuildLink key="build" projectId={projectId} build={{ ...build_run, ...built }} /> : 'Unknown'],
          ['Store deployment ID', data.external_id],
          ['Store build ID', data.external_build_id],
        ]}
      />
      <DeploymentBuild projectId={projectId} id={data.id} linked={data.build_run_id} locked={locked} />
      <Brought projectId={projectId} id={data.id} title={titleOf(data)} track={nameOfTrack(data)} />
      <RecordHistory
        {...commented}
        deploymentStatus={(status) => statusLabel({ ...data, status: status as typeof data.status })}
      />
      <Comments {...commented} />
    </Page>
  )
}

function Brought({ projectId, id, title, track }: { projectId: string; id: string; title: string; track: string }) {
  const { data, error, refetch, isPlaceholderData } = useApi('compareDeployment', { project_id: projectId, id })
  if (!data || isPlaceholderData) return error ? <Failed error={error} retry={() => void refetch()} /> : <Loading />
  const { since } = data
  return (
    <>
      <section className="grid grid-cols-1 gap-2">
        <h2 className="font-semibold">
          {since ? (
            <>
              What’s new on {track} since{' '}
              <Link {...deploymentPage(projectId, since.id)} className="underline">
                {since.version || 'the last live build'}
              </Link>
            </>
          ) : (
            'Contents'
          )}
        </h2>
        <Contents
          projectId={projectId}
          found={data}
          label="Changes, newest first"
          unknown={`Unknown: the build of ${since ? 'one of the two deployments' : 'this deployment'}, or its change, is missing.`}
          none="No changes: it was built from the same change."
        />
      </section>
      {data.changes.length > 0 && <Release projectId={projectId} id={id} title={title} changes={data.changes} />}
    </>
  )
}
