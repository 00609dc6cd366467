import type { AppReply } from '../../../contract/app/routes.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed } from '../../ui/notice.tsx'
import { useWhereabouts } from './build-context.ts'
import { LogViewer } from './log/log-viewer.tsx'
import { useBuildLog } from './use-build-log.ts'

interface Props {
  build: AppReply<'showBuild'>
  projectId: string
  isRunning: boolean
  /** Line numbers of the evidence. */
  evidence: readonly number[]
  asked: { line: number } | undefined
}

export function BuildLog({ build, projectId, isRunning, evidence, asked }: Props) {
  const { data, error, refetch, isPlaceholderData } = useBuildLog(build, projectId, isRunning)
  const where = useWhereabouts({ projectId, buildId: build.id })
  return (
    <section className="grid grid-cols-1 gap-2">
      <h2 className="font-semibold">Log</h2>
      {error && data === undefined ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined || isPlaceholderData ? (
        <Loading />
      ) : data === '' ? (
        <Empty title="No log">
          {isRunning ? 'The log appears as soon as the build sends output.' : 'The CI sent no log for this build.'}
        </Empty>
      ) : (
        <LogViewer
          log={data}
          raw={`/app/api/v1/projects/${projectId}/build_runs/${build.id}/log`}
          fileName={`${build.ci_job_name || 'build'}-${build.build_number || build.id}.log`.replaceAll(/[^\w.-]+/g, '-')}
          evidence={evidence}
          running={isRunning}
          where={where}
          asked={asked}
        />
      )}
    </section>
  )
}
