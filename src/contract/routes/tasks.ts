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
    summary: 'List the tasks of a project, newest first',
    query: {
      ...filter.tasks,
      format: param.described(param.text, 'Ignored: the response is always JSON'),
      ...param.paging,
    },
    shows: ['task'],
    reply: field.page('tasks', shape.Task),
  },
  searchTasks: {
    method: 'GET',
    path: '/v1/projects/:project_id/search/tasks',
    scope: 'read:tasks',
    summary: 'Search the tasks of a project by title, newest first',
    query: { ...filter.tasks, ...filter.tasksSearch, ...param.paging },
    shows: ['task'],
    reply: field.page('tasks', shape.Task),
  },
  showTask: {
    ...get,
    path: '/v1/projects/:project_id/tasks/:id',
    scope: 'read:tasks',
    summary: 'Show a task with its linked changes, builds and deployments',
    shows: ['task'],
    single: true,
    reply: shape.TaskDetail,
  },
  createTask: {
    ...post,
    path: '/v1/projects/:project_id/tasks',
    scope: 'write:tasks',
    summary: 'Create a task; with an Idempotency-Key header a retry within 24 hours creates no second one',
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
    summary: 'Change fields of a task; other fields stay as they are',
    body: taskBody(TaskEdit),
    reply: shape.TaskDetail,
    writes: true,
    limited: true,
  },
} as const satisfies Record<string, TokenRoute>
