import { type Static, Type } from 'typebox'
import { instant, integer, list, nullable, object, oneOf, partial, recordId, text } from '../fields.ts'
import { BULK_MAX, LABEL_MAX } from '../limits.ts'
import { get, patch, post } from '../routes/route.ts'
import { PROVIDERS } from '../sets.ts'
import { TaskDetail } from '../shapes.ts'
import { partOf, TASK_FIELDS } from '../task-fields.ts'
import { Done, TaskCounts } from './shapes.ts'

const words = partial({ title: TASK_FIELDS.title.sent, description: TASK_FIELDS.description.sent })

const ids = Type.Array(recordId, { minItems: 1, maxItems: BULK_MAX })
const label = Type.String({ minLength: 1, maxLength: LABEL_MAX })
const { state, priority, task_type, assignee_handle, user_id } = partOf('sent')

/** A tracker item. */
export const Reference = object({
  id: integer,
  provider: oneOf(PROVIDERS),
  key: text,
  title: text,
  state: text,
  url: text,
  assignee_uid: nullable(text),
  /** The member of the account with that uid. */
  assignee_user_id: nullable(integer),
  updated_at: instant,
})
export type Reference = Static<typeof Reference>

/** Routes for the task pages beyond the shared table. */
export const appTaskRoutes = {
  reviseTask: {
    ...patch,
    path: '/v1/projects/:project_id/tasks/:id/words',
    summary: 'Change title or description, unless somebody else changed them meanwhile',
    body: object({ seen: words, task: words }),
    reply: TaskDetail,
    writes: true,
  },
  countTasks: {
    ...get,
    path: '/v1/projects/:project_id/tasks/counts',
    summary: 'Count the tasks of a project by state',
    shows: ['task'],
    reply: TaskCounts,
  },
  editTasks: {
    ...patch,
    path: '/v1/projects/:project_id/tasks/bulk',
    summary: 'Change several tasks at once, all or none',
    body: object({
      ids,
      task: Type.Optional(partial({ state, priority, task_type, assignee_handle, user_id })),
      add_label: Type.Optional(label),
      remove_label: Type.Optional(label),
    }),
    reply: Done,
    writes: true,
  },
  deleteTasks: {
    ...post,
    path: '/v1/projects/:project_id/tasks/bulk/delete',
    summary: 'Delete tasks, all or none; for 30 days they can be restored',
    body: object({ ids }),
    reply: Done,
    writes: true,
  },
  restoreTasks: {
    ...post,
    path: '/v1/projects/:project_id/tasks/bulk/restore',
    summary: 'Restore deleted tasks, all or none',
    body: object({ ids }),
    reply: Done,
    writes: true,
  },
  listTaskReferences: {
    ...get,
    path: '/v1/projects/:project_id/tasks/:id/references',
    summary: 'List tracker items that a task mentions',
    shows: ['task'],
    single: true,
    reply: list('references', Reference),
  },
} as const
