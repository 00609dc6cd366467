import type { Static } from 'typebox'
import { instant, integer, list, nullable, object, oneOf, partial, text } from '../fields.ts'
import { PROVIDERS } from '../sets.ts'
import { BuildChanges, Deployment, TaskDetail } from '../shapes.ts'
import { TASK_FIELDS } from '../task-fields.ts'

const words = partial({ title: TASK_FIELDS.title.sent, description: TASK_FIELDS.description.sent })

/** An item of an outside tracker. */
export const Reference = object({
  id: integer,
  provider: oneOf(PROVIDERS),
  key: text,
  title: text,
  state: text,
  url: text,
  assignee_uid: nullable(text),
  /** The member of the account who is known under that uid. */
  assignee_user_id: nullable(integer),
  updated_at: instant,
})
export type Reference = Static<typeof Reference>

const DeploymentChanges = object({ ...BuildChanges.properties, since: nullable(Deployment) })

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
  listTaskReferences: {
    method: 'GET',
    path: '/v1/projects/:project_id/tasks/:id/references',
    summary: 'Items of outside trackers that a task names in its text or metadata',
    who: 'member',
    query: {},
    reply: list('references', Reference),
  },
  compareDeployment: {
    method: 'GET',
    path: '/v1/projects/:project_id/deployments/:id/changes',
    summary: 'What a deployment brought beyond the build that was live on its platform before',
    who: 'member',
    query: {},
    reply: DeploymentChanges,
  },
} as const
