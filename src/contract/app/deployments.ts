import { Type } from 'typebox'
import { flag, idText, instant, integer, nullable, object, oneOf, ownText, text, uuid } from '../fields.ts'
import * as param from '../params.ts'
import { get } from '../routes/route.ts'
import * as sets from '../sets.ts'
import { BuildChanges, Deployment, Task } from '../shapes.ts'
import { buildLine } from './builds.ts'
import { Reference } from './tasks.ts'

const { id, title, state, task_type } = Task.properties
const TaskLine = object({ id, title, state, task_type })

const deployment = {
  id: uuid,
  platform: oneOf(sets.PLATFORMS),
  store: nullable(text),
  track: nullable(text),
  status: oneOf(sets.DEPLOYMENT_STATUSES),
  version: text,
  deployed_at: nullable(instant),
  live_at: nullable(instant),
  created_at: instant,
}

const DeploymentChanges = object({ ...BuildChanges.properties, since: nullable(Deployment) })

const StoreNews = object({
  deployment_id: idText,
  changes: integer,
  /** There are more than were counted. */
  has_more: flag,
  /** The previously live version; null if there was none. */
  since: nullable(text),
  /** The description of the newest change. */
  newest: nullable(text),
})

const ChangeContext = object({
  /** Its page in version control, with its diff. */
  url: text,
  file_url: text,
  /** Builds of this change, newest first, and the first one of every other job that contains it. */
  build_runs: Type.Array(object({ ...buildLine, exact: flag })),
  tasks: Type.Array(TaskLine),
  /** Items of connected trackers named in its description or its git branch. */
  references: Type.Array(Reference),
  /** Deployments that contain it, oldest first. */
  deployments: Type.Array(object(deployment)),
})

/** The tasks and tracker items of a deployment. */
const Release = object({
  /** Completed tasks that a change in it names. */
  tasks: Type.Array(TaskLine),
  /** Tasks that a change in it names, but that are left out of its notes. */
  left_out: Type.Array(object({ ...TaskLine.properties, reason: oneOf(sets.RELEASE_GAPS) })),
  references: Type.Array(Reference),
  /** Changes without a task. */
  untracked_change_ids: Type.Array(integer),
})

const TimelineDeployment = object({ ...deployment, project_id: integer, project_name: ownText })

/** Routes for the pages of changes and deployments beyond the shared table. */
export const appDeploymentRoutes = {
  showChangeContext: {
    ...get,
    path: '/v1/projects/:project_id/changes/:id/context',
    summary: 'Show the link of a change, and the builds, tasks and deployments with it',
    shows: ['build', 'deployment'],
    reply: ChangeContext,
  },
  compareDeployment: {
    ...get,
    path: '/v1/projects/:project_id/deployments/:id/changes',
    summary: 'List the changes of a deployment since the build that was live before',
    shows: ['deployment'],
    reply: DeploymentChanges,
  },
  listStoreNews: {
    ...get,
    path: '/v1/projects/:project_id/deployments/news',
    summary: 'Summarize the changes of the newest deployment of each store',
    shows: ['deployment'],
    reply: object({ news: Type.Array(StoreNews) }),
  },
  showRelease: {
    ...get,
    path: '/v1/projects/:project_id/deployments/:id/release',
    summary: 'List the tasks and tracker items in a deployment',
    shows: ['task', 'deployment'],
    reply: Release,
  },
  showReleaseTimeline: {
    method: 'GET',
    path: '/v1/accounts/:account_id/deployments',
    summary: 'List the deployments of all projects you can see in an account, newest first',
    role: 'guest',
    query: { days_back: param.daysBack },
    shows: ['deployment'],
    reply: object({ deployments: Type.Array(TimelineDeployment), has_more: flag }),
  },
} as const
