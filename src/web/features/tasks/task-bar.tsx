import { Link } from '@tanstack/react-router'
import { labelOf, lowered } from '../../../contract/labels.ts'
import { useApi } from '../../queries.ts'
import { Loading } from '../../ui/infinite-list.tsx'

import { cappedCount } from '../../ui/text/count.ts'

const STATES = [
  ['blocked', 'bg-warn'],
  ['in_progress', 'bg-info'],
  ['to_do', 'bg-faint'],
  ['completed', 'bg-ok'],
] as const

export const useTaskCounts = (projectId: string) => useApi('countTasks', { project_id: projectId })

/** The tasks of a project by state, as a bar and in words. */
export function TaskBar({ projectId }: { projectId: string }) {
  const { data: tasks } = useTaskCounts(projectId)
  if (!tasks)
    return (
      <div className="min-h-14">
        <Loading lines={1} />
      </div>
    )
  const total = STATES.reduce((sum, [state]) => sum + tasks[state], 0)
  return (
    <Link
      to="/projects/$projectId/tasks"
      params={{ projectId }}
      className="grid gap-2 rounded-lg border border-line bg-panel p-3 hover:bg-hover"
    >
      <span className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-xs text-soft">
        <span className="text-sm font-medium">Tasks</span>
        {STATES.map(([state, color]) => (
          <span key={state} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2 rounded-full ${color}`} />
            {cappedCount(tasks[state])} {lowered(labelOf('task_state', state))}
          </span>
        ))}
      </span>
      {total > 0 && (
        <span aria-hidden="true" className="flex h-1.5 gap-0.5 overflow-hidden rounded-full">
          {STATES.filter(([state]) => tasks[state] > 0).map(([state, color]) => (
            <span key={state} className={color} style={{ flexGrow: tasks[state] }} />
          ))}
        </span>
      )}
    </Link>
  )
}
