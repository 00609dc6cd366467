import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { Pill, Status } from '../../ui/pill.tsx'
import { countOf } from '../../ui/text/count.ts'

/** The reader's next work in this project; renders nothing if there is none. */
export function WaitingForMe({ projectId, now }: { projectId: string; now: AppReply<'showOverview'> }) {
  const { mine, approvals_pending } = now
  const at = `/projects/${projectId}`
  if (mine.tasks.length + mine.breakages.length + approvals_pending === 0) return null
  return (
    <section className="grid grid-cols-1 gap-2">
      <h2 className="font-semibold">Needs your attention</h2>
      <ul aria-label="Needs your attention" className="grid grid-cols-1 overflow-hidden rounded-lg border border-line bg-panel">
        {mine.breakages.map(({ id, cause, jobs, claimed }) => (
          <Line
            key={id}
            icon="breakage"
            to={`${at}/breakages/${id}`}
            title={cause || jobs.join(', ') || 'Cause not found'}
            detail={<Pill kind="err">{claimed ? 'claimed by you' : 'your change is suspected'}</Pill>}
          />
        ))}
        {mine.tasks.map(({ id, title, state, priority }) => (
          <Line
            key={id}
            icon="task"
            to={`${at}/tasks/${id}`}
            title={`#${id} ${title}`}
            detail={
              <>
                <Status of="task_state" value={state} />
                {(priority === 'high' || priority === 'critical') && <Status of="priority" value={priority} />}
              </>
            }
          />
        ))}
        {approvals_pending > 0 && (
          <Line icon="approval" to={`${at}/approvals`} title={`${countOf(approvals_pending, 'asset')} waiting for approval`} />
        )}
      </ul>
    </section>
  )
}

const Line = ({ icon, to, title, detail }: { icon: IconName; to: string; title: string; detail?: ReactNode }) => (
  <li className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-2 text-sm last:border-0 hover:bg-hover/60">
    <Icon name={icon} className="shrink-0 text-soft" />
    <Link to={to} title={title} className="min-w-0 flex-1 truncate font-medium hover:underline">
      <bdi>{title}</bdi>
    </Link>
    {detail && <span className="flex gap-2">{detail}</span>}
  </li>
)
