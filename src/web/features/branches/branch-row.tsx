import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf } from '../../../contract/labels.ts'
import { BEHIND_MAX } from '../../../contract/limits.ts'
import { changePage } from '../../record-pages.ts'
import { Pill, type PillKind } from '../../ui/pill.tsx'
import { cappedCount } from '../../ui/text/count.ts'
import { spanOf, Time } from '../../ui/text/time.tsx'

type Branch = AppReply<'listBranches'>['branches'][number]
type Change = Branch['head']

export const STATE_PILLS: Record<Branch['state'], PillKind> = { green: 'ok', red: 'err', building: 'info', unknown: 'neutral' }

/** A branch in a list: its state, the failing job, and the last known good change. */
export function BranchRow({ projectId, branch, children }: { projectId: string; branch: Branch; children?: ReactNode }) {
  const {
    name,
    deleted_at,
    state,
    red_since,
    head,
    last_known_good,
    marked_good,
    held_back_by,
    changes_behind,
    time_to_green_seconds,
    jobs,
  } = branch
  const red = jobs.filter((job) => job.state === 'red')
  return (
    <li className="grid gap-x-4 gap-y-1 border-b border-line px-3 py-2.5 text-sm last:border-0 hover:bg-hover/60 md:grid-cols-[minmax(40%,1fr)_auto]">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2 gap-y-1">
        <Pill kind={STATE_PILLS[state]}>{deleted_at === null ? labelOf('branch_state', state) : 'Deleted'}</Pill>
        <Link
          to="/projects/$projectId/branches"
          params={{ projectId }}
          search={{ branch: name } as never}
          className="wrap-anywhere min-w-0 font-medium hover:underline"
        >
          <bdi>{name}</bdi>
        </Link>
        {head === null && deleted_at === null && (
          <span className="min-w-0 text-xs text-soft">Known only from builds. No changes were reported on this branch.</span>
        )}
        {red.length > 0 && (
          <span className="min-w-0 text-xs text-soft">
            {red.map((job) => job.name || 'an unnamed job').join(', ')} since <Time at={red_since} />
          </span>
        )}
      </div>
      <p className="text-xs text-soft md:text-right">
        {last_known_good ? (
          <>
            last known good <ChangeLink projectId={projectId} change={last_known_good} />
            {marked_good && ', marked by hand'}
            {changes_behind ? `, ${behindWords(changes_behind)} behind` : ''}
            {held_back_by.length > 0 && `: ${heldBackWords(held_back_by, jobs)}`}
          </>
        ) : (
          'no known good change yet'
        )}
        {time_to_green_seconds !== null && ` · median time to green ${spanOf(time_to_green_seconds)}`}
      </p>
      {children}
    </li>
  )
}

/** Why no later change is good: a job that fails, or one that passed before and has not passed since. */
export const heldBackWords = (names: Branch['held_back_by'], jobs: Branch['jobs']) =>
  names
    .map((name) => {
      const isRed = jobs.some((job) => job.name === name && job.state === 'red')
      return `${name || 'an unnamed job'} ${isRed ? 'fails' : 'has no later pass'}`
    })
    .join(', ')

export const behindWords = (count: number) => `${cappedCount(count, BEHIND_MAX)} ${count === 1 ? 'change' : 'changes'}`

export const ChangeLink = ({ projectId, change }: { projectId: string; change: NonNullable<Change> }) => (
  <Link {...changePage(projectId, change.id)} className="font-medium text-ink underline">
    {change.display_identifier}
  </Link>
)
