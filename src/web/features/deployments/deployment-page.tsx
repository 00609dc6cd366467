import { Link, useParams } from '@tanstack/react-router'
import { useApi } from '../../queries.ts'
import { Facts } from '../../ui/facts.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Waiting } from '../../ui/pages.tsx'
import { Status } from '../../ui/pill.tsx'
import { BuildLink } from '../builds/build-line.tsx'
import { Contents } from '../changes/contents.tsx'
import { DeploymentWay } from './deployment-way.tsx'
import { PLATFORM_NAMES } from './platforms.ts'
import { Release } from './release.tsx'

export default function Deployment() {
  const { projectId = '', deploymentId = '' } = useParams({ strict: false })
  const args = { project_id: projectId, id: deploymentId }
  const { data, error, refetch, isPlaceholderData } = useApi('showDeployment', args)
  const up = ['Deployments', `/projects/${projectId}/deployments`] as const
  if (!data || isPlaceholderData)
    return (
      <Page title="Deployment" up={up}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting />}
      </Page>
    )
  const { build_run } = data
  return (
    <Page title={`${PLATFORM_NAMES[data.platform]} ${data.version}`} up={up} actions={<Status value={data.status} />}>
      <DeploymentWay deployment={data} />
      <Facts
        of={[
          ['Version', data.version],
          ['Branch', data.branch],
          ['Build', build_run && <BuildLink key="build" projectId={projectId} build={build_run} />],
          ['Number at the store', data.external_id],
          ['Build at the store', data.external_build_id],
        ]}
      />
      <Brought projectId={projectId} id={deploymentId} title={`${PLATFORM_NAMES[data.platform]} ${data.version}`.trim()} />
    </Page>
  )
}

function Brought({ projectId, id, title }: { projectId: string; id: string; title: string }) {
  const { data, error, refetch, isPlaceholderData } = useApi('compareDeployment', { project_id: projectId, id })
  if (!data || isPlaceholderData) return error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting />
  const { since } = data
  return (
    <>
      <section className="grid grid-cols-1 gap-2">
        <h2 className="font-semibold">
          {since ? (
            <>
              What changed since{' '}
              <Link
                to="/projects/$projectId/deployments/$deploymentId"
                params={{ projectId, deploymentId: since.id }}
                className="underline"
              >
                {since.version || 'the live build before'}
              </Link>
            </>
          ) : (
            'What is in it'
          )}
        </h2>
        <Contents
          projectId={projectId}
          found={data}
          label="Changes it brought, newest first"
          unknown={`This cannot be told: the build of ${since ? 'one of the two' : 'this deployment'}, or the change it was made from, is not known.`}
          none="Nothing: it was built from the same change."
        />
      </section>
      {data.changes.length > 0 && <Release projectId={projectId} id={id} title={title} changes={data.changes} />}
    </>
  )
}
