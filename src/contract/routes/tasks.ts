import { TaskEdit, TaskInput, taskBody } from '../bodies.ts'
import * as field from '../fields.ts'
import * as filter from '../filters.ts'
import * as param from '../params.ts'
import * as shape from '../shapes.ts'
import { get, patch, post, type TokenRoute } from './route.ts'

/** Tasks. */

export const taskRoutes = {
  listTasks: {
    method: 'GET',
    path: '/v1/projects/:project_id/tasks',
    scope: 'read:tasks',
    summary: 'The tasks of a project, newest first',
    query: {
      ...filter.tasks,
      format: param.described(param.text, 'taken and ignored: the answer is always JSON'),
      ...param.paging,
    },
    shows: ['task'],
    reply: field.page('tasks', shape.Task),
  },
  searchTasks: {
    method: 'GET',
    path: '/v1/projects/:project_id/search/tasks',
    scope: 'read:tasks',
    summary: 'Tasks of a project by the words of their titles, newest first',
    query: { ...filter.tasks, ...filter.tasksSearch, ...param.paging },
    shows: ['task'],
    reply: field.page('tasks', shape.Task),
  },
  showTask: {
    ...get,
    path: '/v1/projects/:project_id/tasks/:id',
    scope: 'read:tasks',
    summary: 'One task with the changes, builds and deployments linked to it',
    shows: ['task'],
    single: true,
    reply: shape.TaskDetail,
  },
  createTask: {
    ...post,
    path: '/v1/projects/:project_id/tasks',
    scope: 'write:tasks',
    summary: 'Create a task; an Idempotency-Key header makes a repeat safe for 24 hours',
    body: taskBody(TaskInput),
    reply: shape.TaskDetail,
    created: 201,
    writes: true,
    limited: true,
  },
  editTask: {
    ...patch,
    path: '/v1/projects/:project_id/tasks/:id',
    scope: 'write:tasks',
    summary: 'Change fields of a task; what is not sent stays',
    body: taskBody(TaskEdit),
    reply: shape.TaskDetail,
    writes: true,
    limited: true,
  },
} as const satisfies Record<string, TokenRoute>
