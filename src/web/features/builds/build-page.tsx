import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useApi } from '../../queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Failed } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Waiting } from '../../ui/pages.tsx'
import { BuildStatus, wordsOf } from '../../ui/pill.tsx'
import { sizeOf } from '../../ui/text/size.ts'
import { spanOf, Time } from '../../ui/text/time.tsx'
import { BranchLinks } from '../branches/branch-links.tsx'
import { ChangeOf } from '../changes/change-of.tsx'
import { BuildChanges, useBuildChangesKnown } from './build-changes.tsx'
import { BuildSteps } from './build-steps.tsx'
import { Investigation } from './investigation.tsx'
import { LogViewer } from './log-viewer.tsx'

type Detail = AppReply<'showBuild'>

const RUNNING = new Set(['queued', 'preparing', 'building'])
const OPEN = new Set(['pending', 'running'])

/** How soon to look again at what the stream does not tell: a log that grows, and an investigation that comes to no end. */
const pauseOf = (build: Detail | undefined) =>
  build && OPEN.has(build.investigation?.status ?? '') ? 1_000 : build && RUNNING.has(build.status) ? 5_000 : false

export default function Build() {
  const { projectId = '', buildId = '' } = useParams({ strict: false })
  const args = { project_id: projectId, build_run_id: buildId }
  const [every, setEvery] = useState<number | false>(false)
  const { data, error, refetch } = useApi('showBuild', args, { every })
  const build = data?.id === buildId ? data : undefined
  const pause = pauseOf(build)
  if (pause !== every) setEvery(pause)
  if (!build)
    return (
      <Page title="Build" up={upOf(projectId)}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Waiting />}
      </Page>
    )
  return <Shown key={build.id} build={build} projectId={projectId} />
}

const upOf = (projectId: string) => ['Builds', `/projects/${projectId}/builds`] as const

function Shown({ build, projectId }: { build: Detail; projectId: string }) {
  const [asked, setAsked] = useState<{ line: number }>()
  const isKnown = useBuildChangesKnown({ projectId, buildId: build.id })
  // Asked for at once, shown when nothing above it moves any more.
  useApi('readBuildLog', { project_id: projectId, build_run_id: build.id })
  const evidence = build.investigation?.evidence
  const lines = useMemo(() => (evidence ?? []).map(({ line }) => line).sort((a, b) => a - b), [evidence])
  return (
    <Page
      title={`${build.ci_job_name || 'Build'} ${build.build_number && `#${build.build_number}`}`}
      up={upOf(projectId)}
      actions={<BuildStatus value={build.status} />}
    >
      <Facts
        of={[
          ['Change', <ChangeOf key="change" projectId={projectId} identifier={build.commit_hash || build.changelist} />],
          ['Branch', build.branch && <BranchLinks key="branch" projectId={projectId} names={[build.branch]} />],
          ['Engine', wordsOf(build.build_type)],
          ['Configuration', wordsOf(build.target_type)],
          ['Phase', RUNNING.has(build.status) ? build.phase : ''],
          ['Started', build.started_at ? <Time key="started" at={build.started_at} both /> : build.finished_at ? '' : 'not yet'],
          [
            'Broken by',
            build.breakage_id && (
              <Link
                key="breakage"
                to="/projects/$projectId/breakages/$breakageId"
                params={{ projectId, breakageId: build.breakage_id }}
                className="underline"
              >
                Breakage #{build.breakage_id}
              </Link>
            ),
          ],
          ['Took', build.finished_at ? spanOf(build.duration_seconds) : null],
        ]}
      />
      {build.status === 'failed' && <Investigation found={build.investigation} onLine={(line) => setAsked({ line })} />}
      <BuildChanges projectId={projectId} buildId={build.id} />
      {isKnown && build.steps.length > 0 && (
        <Section title="Phases">
          <BuildSteps steps={build.steps} />
        </Section>
      )}
      {isKnown && build.artifacts.length > 0 && (
        <Section title="Artifacts">
          <ul className="grid gap-1 text-sm">
            {build.artifacts.map(({ name, size_bytes, url }) => (
              <li key={name} className="flex justify-between gap-3">
                {/^https?:\/\//.test(url) ? (
                  <a href={url} rel="noreferrer" target="_blank" className="min-w-0 break-all underline">
                    {name}
                  </a>
                ) : (
                  <span className="min-w-0 break-all">{name}</span>
                )}
                <span className="whitespace-nowrap text-soft tabular-nums">{sizeOf(size_bytes)}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {isKnown && <Log build={build} projectId={projectId} lines={lines} asked={asked} />}
    </Page>
  )
}

interface LogProps {
  build: Detail
  projectId: string
  lines: number[]
  asked: { line: number } | undefined
}

function Log({ build, projectId, lines, asked }: LogProps) {
  const running = RUNNING.has(build.status)
  const args = { project_id: projectId, build_run_id: build.id }
  const { data, error, refetch, isPlaceholderData } = useApi('readBuildLog', args)
  // Whatever a build prints touches it, so that its log is asked for only when there is more.
  const read = useRef(build.updated_at)
  useEffect(() => {
    if (read.current === build.updated_at) return
    read.current = build.updated_at
    void refetch()
  }, [build.updated_at, refetch])
  return (
    <section className="grid grid-cols-1 gap-2">
      <h2 className="font-semibold">Log</h2>
      {error && data === undefined ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined || isPlaceholderData ? (
        <Waiting />
      ) : data === '' ? (
        <Empty title="No log">
          {running ? 'It will stand here as soon as the build tells something.' : 'The tool that ran this build sent none.'}
        </Empty>
      ) : (
        <LogViewer
          log={data}
          raw={`/app/api/v1/projects/${projectId}/build_runs/${build.id}/log`}
          evidence={lines}
          running={running}
          asked={asked}
        />
      )}
    </section>
  )
}
