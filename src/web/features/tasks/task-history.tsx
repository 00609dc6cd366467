import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf, lowered, type TermSet } from '../../../contract/labels.ts'
import { useApi } from '../../queries.ts'
import { useNames } from '../../session.ts'
import { Section } from '../../ui/page.tsx'

import { Time } from '../../ui/text/time.tsx'

type Entry = AppReply<'listTaskHistory'>['history'][number]

const LABELS: Record<string, string> = { task_type: 'type', assignee_handle: 'agent', user_id: 'assignee' }
/** Fields whose values come from a closed set. */
const SETS: Record<string, TermSet> = { state: 'task_state', priority: 'priority', task_type: 'task_type' }

export const useTaskHistory = (projectId: string, taskId: string) =>
  useApi('listTaskHistory', { project_id: projectId, id: taskId })

/** Who changed what about a task, newest first. */
export function TaskHistory({ task }: { task: AppReply<'showTask'> }) {
  const nameOf = useNames()
  const { data } = useTaskHistory(String(task.project_id), String(task.id))
  const shownOf = (field: string, value: unknown): string => {
    if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
    if (value === null) return 'nobody'
    if (field === 'user_id') return nameOf(Number(value))
    const set = SETS[field]
    return set ? lowered(labelOf(set, String(value))) : String(value)
  }
  const wordsFor = (field: string, change: Entry['changes'][string]) => {
    if (field === 'deleted') return change?.to === true ? 'deleted it' : 'restored it'
    const label = LABELS[field] ?? field
    return change === null
      ? `changed the ${label}`
      : `changed ${label} from ${shownOf(field, change.from)} to ${shownOf(field, change.to)}`
  }
  const changesOf = ({ changes }: Entry) => Object.entries(changes).map(([field, change]) => wordsFor(field, change))
  return (
    <Section title="History">
      <ol aria-label="History" className="grid grid-cols-1 gap-2 text-sm">
        {data?.history.map((entry) => (
          <li key={entry.id} className="flex flex-wrap items-baseline justify-between gap-x-3 border-l-2 border-line pl-3">
            <span className="wrap-anywhere min-w-0">
              {entry.user_id === null ? 'Former member' : nameOf(entry.user_id)}
              {entry.by_token && ' (with an API token)'} {changesOf(entry).join('; ')}
            </span>
            <span className="text-xs text-soft">
              <Time at={entry.at} />
            </span>
          </li>
        ))}
        <li className="flex flex-wrap items-baseline justify-between gap-x-3 border-l-2 border-line pl-3">
          <span>{task.created_by_user_id == null ? 'Created' : `${nameOf(task.created_by_user_id)} created it`}</span>
          <span className="text-xs text-soft">
            <Time at={task.created_at} />
          </span>
        </li>
      </ol>
    </Section>
  )
}
