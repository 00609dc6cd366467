import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf, lowered } from '../../../contract/labels.ts'
import { buildPage } from '../../record-pages.ts'
import { Pill } from '../../ui/pill.tsx'
import { spanOf, Time } from '../../ui/text/time.tsx'
import { behindWords, ChangeLink, STATE_PILLS } from './branch-row.tsx'

type Branch = AppReply<'listBranches'>['branches'][number]
type Job = Branch['jobs'][number]

/** The state of the main branch in a sentence, with the last known good change. */
export function MainBranch({ projectId, branch }: { projectId: string; branch: Branch }) {
  const { name, state, red_since, last_known_good, changes_behind, time_to_green_seconds, jobs } = branch
  const red = jobs.filter((job) => job.state === 'red').map((job) => job.name || 'an unnamed job')
  return (
    <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
      <p className="text-lg font-semibold">
        <Link
          to="/projects/$projectId/branches"
          params={{ projectId }}
          search={{ branch: name } as never}
          className="wrap-anywhere hover:underline"
        >
          <bdi>{name}</bdi>
        </Link>{' '}
        is <Pill kind={STATE_PILLS[state]}>{lowered(labelOf('branch_state', state))}</Pill>
      </p>
      <p className="min-w-0 text-sm text-soft">
        {red.length > 0 && (
          <>
            <bdi className="wrap-anywhere">{red.join(', ')}</bdi> since <Time at={red_since} /> ·{' '}
          </>
        )}
        {last_known_good ? (
          <>
            last known good <ChangeLink projectId={projectId} change={last_known_good} />
            {changes_behind ? `, ${behindWords(changes_behind)} behind` : ''}
          </>
        ) : (
          'no known good change yet'
        )}
        {time_to_green_seconds !== null && ` · median time to green ${spanOf(time_to_green_seconds)}`}
      </p>
    </div>
  )
}

/** Branches as rows, jobs as columns: the current state of each. */
export function BranchMatrix({ projectId, branches }: { projectId: string; branches: readonly Branch[] }) {
  const jobs = [...new Set(branches.flatMap((branch) => branch.jobs.map(({ name }) => name)))]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section tabIndex={0} aria-label="Branches and their jobs" className="overflow-x-auto rounded-lg border border-line bg-panel">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-soft">
            <th scope="col" className="px-3 py-2 font-medium">
              Branch
            </th>
            {jobs.map((job) => (
              <th key={job} scope="col" className="px-2 py-2 text-center font-medium">
                <span title={job} className="wrap-anywhere mx-auto line-clamp-2 max-w-32 min-w-14">
                  {job || 'Unnamed job'}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {branches.map((branch) => (
            <tr key={branch.name} className="border-b border-line last:border-0">
              <th scope="row" className="min-w-28 px-3 py-2 text-left font-medium">
                <Link
                  to="/projects/$projectId/branches"
                  params={{ projectId }}
                  search={{ branch: branch.name } as never}
                  className="wrap-anywhere hover:underline"
                >
                  <bdi>{branch.name}</bdi>
                </Link>
              </th>
              {jobs.map((name) => (
                <td key={name} className="px-2 py-2 text-center">
                  <JobState projectId={projectId} branch={branch.name} job={branch.jobs.find((job) => job.name === name)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function JobState({ projectId, branch, job }: { projectId: string; branch: string; job: Job | undefined }) {
  if (!job) return <span className="text-faint">–</span>
  const label = labelOf('branch_state', job.state)
  const words = job.state !== 'building' && job.building ? `${label}, building` : label
  const pill = <Pill kind={STATE_PILLS[job.state]}>{words}</Pill>
  if (job.last_build_id === null) return pill
  return (
    <Link
      {...buildPage(projectId, job.last_build_id)}
      aria-label={`${job.name || 'Unnamed job'} on ${branch}: ${words}`}
      title={words}
      className="rounded-full"
    >
      {pill}
    </Link>
  )
}
