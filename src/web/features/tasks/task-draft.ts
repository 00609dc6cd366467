import type { AppArguments } from '../../../contract/app/routes.ts'
import type { TaskField } from '../../../contract/task-fields.ts'

/** `''`, `user:7` or `handle:triage-bot`, as in the filter of the list. */
export type Assignee = string

/** Fields that a person writes, as text. Tools write the metadata, and `assignee` stands for both fields of an assignee. */
type FormField = Exclude<TaskField, 'metadata' | 'user_id' | 'assignee_handle'>
export type TaskDraft = Record<FormField, string> & { assignee: Assignee }

export const NEW_TASK: TaskDraft = {
  title: '',
  description: '',
  state: 'to_do',
  task_type: 'chore',
  priority: 'medium',
  labels: '',
  assignee: '',
}

/** The body of the request that creates the task. */
export const taskOf = ({ labels, assignee, ...fields }: TaskDraft) =>
  ({
    ...fields,
    labels: labelsOf(labels),
    ...(assignee ? assigneeFields(assignee) : {}),
  }) as AppArguments<'createTask'>['body']['task']

/** `ui, regression` → two labels. */
export const labelsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((label) => label.trim())
      .filter(Boolean),
  ),
]

export const assigneeFields = (assignee: Assignee) =>
  assignee.startsWith('handle:')
    ? { assignee_handle: assignee.slice(7) }
    : assignee.startsWith('user:')
      ? { user_id: Number(assignee.slice(5)) }
      : { assignee_handle: null, user_id: null }

export const assigneeOf = (task: { assignee_handle: string | null; user_id: number | null }): Assignee =>
  task.assignee_handle !== null ? `handle:${task.assignee_handle}` : task.user_id !== null ? `user:${task.user_id}` : ''
