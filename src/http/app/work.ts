import type { recordRoutes } from '../../contract/app/records.ts'
import type { workRoutes } from '../../contract/app/work.ts'
import { readTask, TaskEdit } from '../../contract/bodies.ts'
import { readLogRest } from '../../domain/builds/builds.ts'
import { running } from '../../domain/builds/running.ts'
import * as changes from '../../domain/changes/context.ts'
import * as deployments from '../../domain/deployments/contents.ts'
import { releaseOf } from '../../domain/deployments/release.ts'
import { timeline } from '../../domain/deployments/timeline.ts'
import * as builds from '../../domain/investigations/build-context.ts'
import * as bulk from '../../domain/tasks/bulk.ts'
import * as history from '../../domain/tasks/history.ts'
import * as references from '../../domain/tasks/references.ts'
import { revise } from '../../domain/tasks/revise.ts'
import { count as countTasks } from '../../domain/tasks/tasks.ts'
import { done, type Handlers } from '../routes/call.ts'
import { idOf } from '../routes/path-ids.ts'

type Name = keyof typeof workRoutes | keyof typeof recordRoutes

/** What the pages of records ask beyond the shared table. */
export const workHandlers: Handlers<Name> = {
  reviseTask: ({ db, by, path, body, site }) =>
    revise(db, by, idOf(path.id, 'Task'), body.seen, readTask(TaskEdit, body.task), site),
  countTasks: ({ db, project_id }) => countTasks(db, project_id),
  async editTasks({ db, by, body: { ids, task = {}, ...labels }, site }) {
    await bulk.editAll(db, by, ids, readTask(TaskEdit, task), labels, site)
    return done
  },
  async deleteTasks({ db, by, body }) {
    await bulk.removeAll(db, by, body.ids)
    return done
  },
  async restoreTasks({ db, by, body }) {
    await bulk.restoreAll(db, by, body.ids)
    return done
  },
  listTaskHistory: async ({ db, by, path }) => ({
    history: await history.list(db, by, idOf(path.id, 'Task')),
  }),
  listTaskReferences: async ({ db, project_id, path }) => ({
    references: await references.ofTask(db, project_id, idOf(path.id, 'Task')),
  }),
  listRunningBuilds: async ({ db, account_id, caller }) => ({
    build_runs: await running(db, account_id, caller.user_id),
  }),
  compareDeployment: ({ db, by, path }) => deployments.changesOf(db, by, path.id),
  listStoreNews: async ({ db, by }) => ({
    news: await deployments.storeNews(db, by),
  }),
  readBuildLogRest: ({ db, project_id, path, query }) =>
    readLogRest(db, project_id, idOf(path.build_run_id, 'Build run'), query.mark),
  showBuildContext: ({ db, project_id, path }) => builds.contextOf(db, project_id, idOf(path.build_run_id, 'Build run')),
  showChangeContext: ({ db, project_id, path }) => changes.contextOf(db, project_id, idOf(path.id, 'Change')),
  showRelease: ({ db, by, path }) => releaseOf(db, by, path.id),
  showReleaseTimeline: ({ db, account_id, caller, query }) => timeline(db, account_id, caller.user_id, query.days_back),
}
