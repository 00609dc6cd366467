import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { choicesOf } from '../../../contract/labels.ts'
import { PRIORITIES, TASK_STATES, TASK_TYPES } from '../../../contract/sets.ts'
import { wordsOf as failureOf } from '../../api.ts'
import { useWrite } from '../../queries.ts'
import { useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AssigneeChoice } from './assignee.tsx'
import { useTaskDeletion } from './task-deletion.ts'
import { assigneeFields, assigneeOf } from './task-draft.ts'
import { TaskLabels } from './task-labels.tsx'

/** The select fields of a task; a choice is saved at once and shown before the server has responded. */
type Task = AppReply<'showTask'>

export function TaskFields({ task, fixed }: { task: Task; fixed: boolean }) {
  const save = useWrite('editTask', [
    'showTask',
    'listTasks',
    'searchTasks',
    'listTaskHistory',
    'countTasks',
    'showOverview',
    'listMembers',
  ])
  const say = useToast()
  const nameOf = useNames()
  const wished = save.isPending ? (save.variables.body as { task: Partial<Task> }).task : {}
  const shown = { ...task, ...wished }
  if (wished.assignee_handle != null) shown.user_id = null
  if (wished.user_id != null) shown.assignee_handle = null
  const put = (fields: object) =>
    save.mutate(
      { project_id: task.project_id, id: task.id, body: { task: fields } },
      { onError: (error) => say(`Not saved: ${failureOf(error)}`, 'err') },
    )
  return (
    <aside
      aria-label="About this task"
      className="grid grid-cols-1 content-start gap-3 rounded-lg border border-line bg-panel p-4"
    >
      {(
        [
          ['State', 'state', choicesOf('task_state', TASK_STATES)],
          ['Priority', 'priority', choicesOf('priority', PRIORITIES)],
          ['Type', 'task_type', choicesOf('task_type', TASK_TYPES)],
        ] as const
      ).map(([label, field, options]) => (
        <Line key={field} label={label}>
          <Filter
            label={label}
            value={shown[field]}
            disabled={fixed}
            options={options}
            onChange={(value) => put({ [field]: value })}
          />
        </Line>
      ))}
      <Line label="Assignee">
        <AssigneeChoice
          label="Assignee"
          none="Nobody"
          value={assigneeOf(shown)}
          disabled={fixed}
          onChange={(who) => put(assigneeFields(who))}
          className="w-full min-w-0"
        />
      </Line>
      <Line label="Labels">
        <TaskLabels labels={shown.labels} fixed={fixed} onChange={(labels) => put({ labels })} />
      </Line>
      <Line label="Created">
        <span className="text-sm">
          <Time at={task.created_at} />
          {task.created_by_user_id != null && <> by {nameOf(task.created_by_user_id)}</>}
        </span>
      </Line>
      <Line label="Updated">
        <span className="text-sm">
          <Time at={task.updated_at} both />
        </span>
      </Line>
      {!fixed && <DeleteTask task={task} />}
    </aside>
  )
}

function DeleteTask({ task }: { task: Task }) {
  const navigate = useNavigate()
  const remove = useTaskDeletion(String(task.project_id))
  const leave = () => navigate({ to: '/projects/$projectId/tasks', params: { projectId: String(task.project_id) } })
  return (
    <Button look="danger" className="w-fit" onClick={() => void remove([task.id]).then((gone) => (gone ? leave() : undefined))}>
      Delete task
    </Button>
  )
}

const Line = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="grid grid-cols-[6.5rem_minmax(0,1fr)] items-center gap-2">
    <span className="text-sm text-soft">{label}</span>
    <div className="grid grid-cols-1 justify-items-start">{children}</div>
  </div>
)
