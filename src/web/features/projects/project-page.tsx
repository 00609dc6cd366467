import { Link, useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { isKnown, useApi } from '../../queries.ts'
import { integrationsPage } from '../../record-pages.ts'
import { useProject } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { OpenBreakages, useOpenBreakages } from '../breakages/open-breakages.tsx'
import { TaskBar, useTaskCounts } from '../tasks/task-bar.tsx'
import { usePlots } from '../trends/plots.ts'
import { Health, useBranches } from './health.tsx'
import { Pipeline, usePipeline } from './pipeline.tsx'
import { WaitingForMe } from './waiting-for-me.tsx'

const Trends = lazy(() => import('../trends/trends.tsx'))

/** The state of a project and the reader's work, then its pipeline and trends. */
export default function Project() {
  const { projectId = '' } = useParams({ strict: false })
  // The layout shows no page of a missing project.
  const { name, status } = useProject()!
  const { data, error, refetch } = useApi('showOverview', { project_id: projectId })
  const branches = useBranches(projectId)
  const breakages = useOpenBreakages(projectId)
  // The whole page is requested at once, and shown when nothing above it will move it.
  usePipeline(projectId)
  useTaskCounts(projectId)
  usePlots(projectId)
  const isStill = isKnown(branches) && isKnown(breakages)
  return (
    <Page title={name} actions={status !== 'active' && <Pill kind="warn">{status}</Pill>}>
      {error && <Failed error={error} retry={() => void refetch()} />}
      {!(data && isStill) && !error && <Loading />}
      {data && isStill && (
        <>
          {isNew(data) && (
            <Empty
              title="No data yet"
              action={
                <Link {...integrationsPage(projectId)} className={buttonClass('main')}>
                  Connect tool
                </Link>
              }
            >
              Connect your version control, CI or store. Their data appears on this page.
            </Empty>
          )}
          <Health projectId={projectId} />
          <OpenBreakages projectId={projectId} />
          <WaitingForMe projectId={projectId} now={data} />
          <Pipeline projectId={projectId} now={data} />
          <TaskBar projectId={projectId} />
          <Suspense fallback={<Loading lines={4} />}>
            <Trends projectId={projectId} />
          </Suspense>
        </>
      )}
    </Page>
  )
}

const isNew = ({ latest_build, live, changes_24h, approvals_pending }: AppReply<'showOverview'>) =>
  !latest_build && live.length === 0 && changes_24h === 0 && approvals_pending === 0
