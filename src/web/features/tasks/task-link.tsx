import { Link } from '@tanstack/react-router'
import { useApi } from '../../queries.ts'
import { taskPage } from '../../record-pages.ts'
import { Status } from '../../ui/pill.tsx'

interface Props {
  projectId: string
  id: number
  /** Its known fields; loaded if missing. */
  told?: { title: string; state: string }
}

/** A task by its number, with its title once it is loaded. */
export function TaskLink({ projectId, id, told }: Props) {
  const { data } = useApi('showTask', { project_id: projectId, id }, { enabled: told === undefined })
  const task = told ?? (data?.id === id ? data : undefined)
  return (
    <Link {...taskPage(projectId, id)} className="flex min-w-0 items-center gap-2 text-sm hover:underline">
      {task && <Status of="task_state" value={task.state} />}
      <span className="truncate" title={task?.title}>
        <span className="text-soft">#{id}</span> {task?.title}
      </span>
    </Link>
  )
}
