import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { jobsInWords } from '../../../contract/labels/breakage-jobs.ts'
import { titleOf } from '../../../contract/labels/breakage-title.ts'
import { labelOf } from '../../../contract/labels.ts'
import { breakagePage } from '../../record-pages.ts'
import { useNames } from '../../session.ts'
import { Time } from '../../ui/text/time.tsx'
import { SuspectLink } from '../builds/suspects.tsx'
import { BreakageState } from './breakage-state.tsx'

type Breakage = AppReply<'listBreakages'>['breakages'][number]

/** A breakage in a list: evidence, cause, branch, since when, and who may know more. */
function BreakageRow({ projectId, breakage }: { projectId: string; breakage: Breakage }) {
  const { id, category, cause, branch, build_count, opened_at, suspect, owner_user_id } = breakage
  const nameOf = useNames()
  const title = titleOf(breakage)
  return (
    <li className="grid grid-cols-1 gap-x-4 gap-y-1 border-b border-line px-3 py-2.5 text-sm last:border-0 hover:bg-hover/60">
      <div className="flex min-w-0 items-baseline gap-x-2">
        <BreakageState {...breakage} />
        <Link
          {...breakagePage(projectId, id)}
          className="wrap-anywhere line-clamp-2 min-w-0 flex-1 font-medium hover:underline"
          title={title}
        >
          <bdi>{title}</bdi>
        </Link>
      </div>
      {cause && cause !== title && (
        <p title={cause} className="wrap-anywhere line-clamp-2 text-soft">
          {cause}
        </p>
      )}
      <ul className="flex min-w-0 flex-wrap gap-x-3 gap-y-0.5 text-xs text-soft">
        <li className="wrap-anywhere min-w-0">
          <bdi>{jobsInWords(breakage)}</bdi>
          {branch && (
            <>
              {' on '}
              <bdi>{branch}</bdi>
            </>
          )}
        </li>
        <li>
          {build_count} {build_count === 1 ? 'build' : 'builds'} since <Time at={opened_at} />
        </li>
        {category && <li>{labelOf('failure_category', category)}</li>}
        {suspect && (
          <li>
            Suspect: <SuspectLink suspect={suspect} />
          </li>
        )}
        {owner_user_id !== null && <li>Owner: {nameOf(owner_user_id)}</li>}
      </ul>
    </li>
  )
}

export const BreakageRows = ({ projectId, breakages }: { projectId: string; breakages: readonly Breakage[] }) => (
  <ul aria-label="Breakages" className="grid overflow-hidden rounded-lg border border-line bg-panel">
    {breakages.map((breakage) => (
      <BreakageRow key={breakage.id} projectId={projectId} breakage={breakage} />
    ))}
  </ul>
)
