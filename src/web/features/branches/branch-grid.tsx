import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf, lowered } from '../../../contract/labels.ts'
import { buildState, isRunning } from '../../../contract/sets.ts'
import { buildPage } from '../../record-pages.ts'
import { useNames } from '../../session.ts'
import { DefinitionCard } from '../../ui/definition-list.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { testsWords } from '../builds/tests-verdict.tsx'
import { behindWords, ChangeLink, heldBackWords, STATE_PILLS } from './branch-row.tsx'

type Health = AppReply<'showBranchHealth'>
type Job = Health['jobs'][number]

/** One branch: a row of squares for each required job, the newest run last. */
export function BranchGrid({ projectId, health }: { projectId: string; health: Health }) {
  const nameOf = useNames()
  const { state, red_since, head, last_known_good, marked_good, held_back_by, changes_behind, jobs } = health
  return (
    <>
      <DefinitionCard
        items={[
          [
            'State',
            <Pill key="state" kind={STATE_PILLS[state]}>
              {labelOf('branch_state', state)}
            </Pill>,
          ],
          ['Red since', red_since && <Time key="since" at={red_since} both />],
          ['Last known good', last_known_good && <ChangeLink key="good" projectId={projectId} change={last_known_good} />],
          [
            'Marked good by',
            marked_good && (
              <span key="marked">
                {marked_good.user_id === null ? 'a former member' : nameOf(marked_good.user_id)},{' '}
                <Time at={marked_good.marked_at} />: {marked_good.reason}
              </span>
            ),
          ],
          ['Held back because', heldBackWords(held_back_by, jobs)],
          ['Behind', changes_behind === null ? null : behindWords(changes_behind)],
          ['Newest change', head && <ChangeLink key="head" projectId={projectId} change={head} />],
        ]}
      />
      <div className="overflow-hidden rounded-lg border border-line bg-panel">
        <JobRows projectId={projectId} jobs={jobs} />
      </div>
      <p className="text-xs text-soft">
        A change counts as good when every required job passed at or before it, and at or after it. You can choose the required
        jobs in the{' '}
        <Link to="/projects/$projectId/settings" params={{ projectId }} className="underline">
          project settings
        </Link>
        .
      </p>
    </>
  )
}

/** The jobs of a branch with their last runs. */
export const JobRows = ({ projectId, jobs }: { projectId: string; jobs: readonly Job[] }) => (
  <ul aria-label="Jobs" className="grid">
    {jobs.map((job) => (
      <JobRow key={job.name} projectId={projectId} job={job} />
    ))}
  </ul>
)

const JobRow = ({ projectId, job }: { projectId: string; job: Job }) => (
  <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-3 py-2 text-sm last:border-0">
    <span className="flex min-w-0 flex-wrap items-baseline gap-2">
      <Pill kind={STATE_PILLS[job.state]}>{labelOf('branch_state', job.state)}</Pill>
      <bdi className="wrap-anywhere min-w-0 font-medium">{job.name || 'Unnamed job'}</bdi>
      {job.red_since && (
        <span className="text-xs text-soft">
          since <Time at={job.red_since} />
        </span>
      )}
    </span>
    <ol className="flex gap-1" aria-label={`Last runs of ${job.name || 'the unnamed job'}, newest last`}>
      {job.runs.toReversed().map((run) => (
        <li key={run.id}>
          <Link
            {...buildPage(projectId, run.id)}
            title={runLabel(run)}
            aria-label={runLabel(run)}
            className={`block size-3 rounded-sm border outline-offset-1 sm:size-4 ${lookOf(run)}`}
          />
        </li>
      ))}
    </ol>
  </li>
)

type Run = Job['runs'][number]

const runLabel = ({ build_number, changelist, commit_hash, ...run }: Run) => {
  const change = changelist ? `CL ${changelist}` : commit_hash.slice(0, 8)
  return [build_number && `#${build_number}`, lowered(labelOf('build_status', buildState(run))), lowered(testsWords(run)), change]
    .filter(Boolean)
    .join(', ')
}

/** What it counts as: a failed run is filled, a passed one is not, distinguishable without color. */
const lookOf = (run: Run) => {
  if (run.verdict === 'passed') return 'border-ok bg-ok-wash'
  if (run.verdict === 'failed') return 'border-err bg-err'
  return isRunning(run) ? 'border-info bg-info-wash animate-pulse' : 'border-line bg-hover'
}
