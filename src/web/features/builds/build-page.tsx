import { Link, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { BuildContext } from '../../../contract/app/builds.ts'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf } from '../../../contract/labels.ts'
import { type BuildTimeNote, buildState, isRunning, type PreflightVerdict, RUNNING_STATUSES } from '../../../contract/sets.ts'
import { useStreamed } from '../../live.ts'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { isKnown, useApi } from '../../queries.ts'
import { breakagePage, buildPage } from '../../record-pages.ts'
import { DefinitionCard } from '../../ui/definition-list.tsx'
import { buttonClass } from '../../ui/form/button.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed, Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { BuildKindLabel, BuildStatus } from '../../ui/pill.tsx'
import { numberOf } from '../../ui/text/dates.ts'
import { spanOf, Time } from '../../ui/text/time.tsx'
import { BranchLinks } from '../branches/branch-links.tsx'
import { ChangeOf } from '../changes/change-of.tsx'
import { Comments } from '../comments/comments.tsx'
import { useComments } from '../comments/queries.ts'
import { RecordHistory, useHistory } from '../history/record-history.tsx'
import { BuildTests } from '../tests/build-tests.tsx'
import { AdjacentBuilds } from './adjacent-builds.tsx'
import { BuildArtifacts } from './build-artifacts.tsx'
import { BuildChanges, useBuildChanges } from './build-changes.tsx'
import { useBuildContext, useBuildContextKnown } from './build-context.ts'
import { BuildLog } from './build-log.tsx'
import { BuildMeasures } from './build-measures.tsx'
import { BuildSteps } from './build-steps.tsx'
import { CiRequests } from './ci-requests.tsx'
import { Investigation } from './investigation.tsx'
import { TestsVerdict } from './tests-verdict.tsx'
import { isWebAddress } from './web-address.ts'

type Detail = AppReply<'showBuild'>

const OPEN = new Set(['pending', 'running'])

/** How often to poll what the stream does not report: a long investigation, and everything if there is no stream. */
const pauseOf = (build: Detail | undefined, isStreamed: boolean) => {
  if (!build) return false
  if (OPEN.has(build.investigation?.status ?? '')) return isStreamed ? LOOK_AGAIN_MS : 2_000
  return RUNNING_STATUSES.includes(build.status) && !isStreamed ? LOOK_AGAIN_MS : false
}

export default function Build() {
  const { projectId = '', buildId = '' } = useParams({ strict: false })
  const args = { project_id: projectId, build_run_id: buildId }
  const [every, setEvery] = useState<number | false>(false)
  const { data, error, refetch } = useApi('showBuild', args, { every })
  const build = data?.id === buildId ? data : undefined
  const pause = pauseOf(build, useStreamed())
  if (pause !== every) setEvery(pause)
  const isAroundKnown = useBuildContextKnown({ projectId, buildId })
  // Loaded with the build, shown below it.
  useBuildChanges({ projectId, buildId })
  useApi('readBuildLog', args)
  useApi('listBuildTests', args)
  useApi('showBuildMeasures', args)
  useComments({ subject: 'build_run', projectId, id: buildId })
  useHistory({ subject: 'build_run', projectId, id: buildId })
  if (!build || !isAroundKnown)
    return (
      <Page title="Build" up={upOf(projectId)}>
        {error ? <Failed error={error} retry={() => void refetch()} /> : <Loading />}
      </Page>
    )
  return <Shown key={build.id} build={build} projectId={projectId} />
}

/** Tools send arbitrary text in URL fields. */

const upOf = (projectId: string) => ['Builds', `/projects/${projectId}/builds`] as const

const TIME_WORDS: Record<BuildTimeNote, string> = {
  corrected: 'Corrected: the clock of the reporting machine was wrong',
  reported_late: 'Reported late',
}

/** What is unknown about the branch of a build; false if nothing is. */
function branchNote(told: string, { branch_name, branch_candidates, branch_has_changes }: BuildContext) {
  if (branch_name === '' && told === '') return false
  if (branch_name === '')
    return branch_candidates.length > 0
      ? `Branch unknown: “${told}” may be ${branch_candidates.join(' or ')}. No change is suspected.`
      : 'Branch unknown: the stream depth of this depot is not known. Set the stream prefixes in the integration of your version control.'
  return !branch_has_changes && `${branch_name} is known only from builds. No changes were reported on this branch.`
}

/** What a preflight builds, and its target branch. */
function preflightWords({ shelf, pull_request, head_repository, target_branch }: BuildContext): string {
  const what = shelf ? `shelf ${shelf}` : pull_request ? `pull request #${pull_request}` : head_repository
  return [what || 'an unsubmitted change', target_branch && `to ${target_branch}`].filter(Boolean).join(' ')
}

const VERDICTS: Record<PreflightVerdict, string> = {
  passed: 'Passed',
  failed_by_change: 'Failed by this change.',
  failed_not_by_change: 'Failed, not by this change.',
  unknown: 'No verdict.',
}

/** Whether the change of a preflight is at fault, and why. */
const Verdict = ({ projectId, verdict }: { projectId: string; verdict: NonNullable<BuildContext['verdict']> }) => (
  <span>
    <strong>{VERDICTS[verdict.verdict]}</strong> {verdict.reason}{' '}
    {verdict.breakage_id && (
      <Link {...breakagePage(projectId, verdict.breakage_id)} className="underline">
        Open breakage
      </Link>
    )}
  </span>
)

/** Shows the author which failures are not theirs to fix. */
const BranchBreakages = ({ projectId, context }: { projectId: string; context: BuildContext }) => (
  <span>
    on {context.target_branch}:{' '}
    {context.branch_breakages.map(({ id, cause }, at) => (
      <span key={id}>
        {at > 0 && ', '}
        <Link {...breakagePage(projectId, id)} title={cause} className="underline">
          Breakage #{id}
        </Link>
      </span>
    ))}
  </span>
)

function Shown({ build, projectId }: { build: Detail; projectId: string }) {
  const [asked, setAsked] = useState<{ line: number }>()
  const context = useBuildContext({ projectId, buildId: build.id })
  const runs = isRunning(build)
  const hasFailed = build.status === 'failed' || build.verdict === 'failed'
  // The log stays open when a build that somebody follows passes.
  const [wasRunning] = useState(runs)
  const isLogFirst = wasRunning || hasFailed
  // Content below the log or the changes appears once they have their height.
  const isLogKnown = isKnown(useApi('readBuildLog', { project_id: projectId, build_run_id: build.id }))
  const listed = useBuildChanges({ projectId, buildId: build.id })
  const areTestsKnown = isKnown(useApi('listBuildTests', { project_id: projectId, build_run_id: build.id }))
  const areChangesKnown = areTestsKnown && isKnown(listed)
  const evidence = build.investigation?.evidence
  const lines = useMemo(() => (evidence ?? []).flatMap(({ line }) => (line > 0 ? line : [])).sort((a, b) => a - b), [evidence])
  const log = <BuildLog build={build} projectId={projectId} isRunning={runs} evidence={lines} asked={asked} />
  return (
    <Page
      title={`${build.ci_job_name || 'Build'} ${build.build_number && `#${build.build_number}`}`}
      up={upOf(projectId)}
      actions={
        <>
          {context && isWebAddress(context.url) && (
            <a href={context.url} target="_blank" rel="noreferrer" className={buttonClass()}>
              Open in CI
            </a>
          )}
          {context && <CiRequests projectId={projectId} buildId={build.id} context={context} />}
          <BuildKindLabel value={build.kind} />
          <BuildStatus value={buildState(build)} />
          <TestsVerdict status={build.status} verdict={build.verdict} />
        </>
      }
    >
      {build.lost_at && (
        <Notice kind="warn">
          Lost <Time at={build.lost_at} />: this build stopped reporting. Its machine or network may be down. If it reports again,
          it counts as running.
        </Notice>
      )}
      <AdjacentBuilds projectId={projectId} context={context} />
      {hasFailed && (
        <Investigation
          found={build.investigation}
          canAskAnew={context?.can_investigate ?? false}
          repository={context}
          onLine={(line) => setAsked({ line })}
        />
      )}
      {isLogFirst && log}
      {(!isLogFirst || isLogKnown) && (
        <>
          <DefinitionCard
            items={[
              [
                'Change',
                <ChangeOf
                  key="change"
                  projectId={projectId}
                  identifier={build.commit_hash || build.changelist}
                  among={areChangesKnown ? listed.data?.changes : null}
                />,
              ],
              ['Branch', build.branch && <BranchLinks key="branch" projectId={projectId} names={[build.branch]} />],
              ['Branch note', context && build.kind === 'regular' && branchNote(build.branch, context)],
              ['Preflight of', context && build.kind === 'preflight' && preflightWords(context)],
              [
                'Verdict',
                hasFailed && context?.verdict && <Verdict key="verdict" projectId={projectId} verdict={context.verdict} />,
              ],
              [
                'Already broken',
                context && context.branch_breakages.length > 0 && (
                  <BranchBreakages key="broken" projectId={projectId} context={context} />
                ),
              ],
              ['Engine', labelOf('build_type', build.build_type)],
              ['Platform', build.platform ?? 'unknown'],
              ['Configuration', build.configuration ?? 'unknown'],
              [
                'Agent',
                build.agent && (
                  <Link key="agent" to="/projects/$projectId/agents" params={{ projectId }} className="underline">
                    {build.agent}
                  </Link>
                ),
              ],
              ['Phase', runs ? build.phase : ''],
              [
                'Started',
                build.started_at ? <Time key="started" at={build.started_at} both /> : build.finished_at ? '' : 'not yet',
              ],
              [
                'Breakage',
                build.breakage_id && (
                  <Link key="breakage" {...breakagePage(projectId, build.breakage_id)} className="underline">
                    Breakage #{build.breakage_id}
                  </Link>
                ),
              ],
              ['Last report', build.silent_since && <Time key="silent" at={build.silent_since} both />],
              [
                'Last passed',
                context?.last_passed && (
                  <Link key="passed" {...buildPage(projectId, context.last_passed.id)} className="underline">
                    #{context.last_passed.build_number || context.last_passed.id}
                  </Link>
                ),
              ],
              ['Time note', context?.time_note && TIME_WORDS[context.time_note]],
              ['Duration', build.finished_at ? spanOf(build.duration_seconds) : null],
            ]}
          />
          {/* What failed stands before what changed. */}
          <BuildTests projectId={projectId} buildId={build.id} />
          {areTestsKnown && <BuildChanges projectId={projectId} buildId={build.id} />}
          {areChangesKnown && build.steps.length > 0 && (
            <Section title="Phases">
              <BuildSteps steps={build.steps} />
            </Section>
          )}
          {areChangesKnown && build.measures && (
            <Section title="Measures">
              <BuildMeasures build={build} />
            </Section>
          )}
          {areChangesKnown && build.artifact_count > 0 && (
            <Section title={`Artifacts (${numberOf(build.artifact_count)})`}>
              <BuildArtifacts projectId={projectId} buildId={build.id} />
            </Section>
          )}
          {!isLogFirst && areChangesKnown && log}
        </>
      )}
      <RecordHistory subject="build_run" projectId={projectId} id={build.id} />
      <Comments subject="build_run" projectId={projectId} id={build.id} />
    </Page>
  )
}
