import { Type } from 'typebox'
import { Change, Deployment, nullable, object, TaskDetail, TaskEdit } from './shapes.ts'

const words = Type.Partial(object({ title: TaskEdit.properties.title, description: TaskEdit.properties.description }))

/** What the pages of tasks and deployments need beyond the shared table. */
export const workRoutes = {
  reviseTask: {
    method: 'PATCH',
    path: '/v1/projects/:project_id/tasks/:id/words',
    summary: 'Change title or description, unless they are no longer what the writer saw',
    who: 'member',
    query: {},
    body: object({ seen: words, task: words }),
    reply: TaskDetail,
    writes: true,
  },
  compareDeployment: {
    method: 'GET',
    path: '/v1/projects/:project_id/deployments/:id/changes',
    summary: 'What a deployment brought beyond the build that was live on its platform before',
    who: 'member',
    query: {},
    reply: object({
      previous: nullable(Deployment),
      /** False where a build or its change is not known, so that nothing can be said. */
      known: Type.Boolean(),
      changes: Type.Array(Change),
      has_more: Type.Boolean(),
    }),
  },
} as const
