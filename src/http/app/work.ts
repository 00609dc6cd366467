import type { recordRoutes } from '../../contract/app/records.ts'
import type { workRoutes } from '../../contract/app/work.ts'
import { readTaskEdit } from '../../contract/bodies.ts'
import type { Caller } from '../../domain/access/access.ts'
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
import { type Author, count as countTasks } from '../../domain/tasks/tasks.ts'
import { idOf } from '../rest/path-ids.ts'
import { type AppHandlers, done } from './app.ts'

const authorOf = (project_id: number, { account_id, user_id }: Caller): Author => ({
  project_id,
  account_id: account_id!,
  token_id: null,
  user_id,
})

type Name = keyof typeof workRoutes | keyof typeof recordRoutes

/** What the pages of records ask beyond the shared table. */
export const workHandlers: Pick<AppHandlers, Name> = {
  reviseTask: ({ db, project_id, caller, path, body, site }) =>
    revise(db, authorOf(project_id, caller), idOf(path.id, 'Task'), body.seen, readTaskEdit({ task: body.task }), site),
  countTasks: ({ db, project_id }) => countTasks(db, project_id),
  async editTasks({ db, project_id, caller, body: { ids, task = {}, ...labels }, site }) {
    await bulk.editAll(db, authorOf(project_id, caller), ids, readTaskEdit({ task }), labels, site)
    return done
  },
  async deleteTasks({ db, project_id, caller, body }) {
    await bulk.removeAll(db, authorOf(project_id, caller), body.ids)
    return done
  },
  async restoreTasks({ db, project_id, caller, body }) {
    await bulk.restoreAll(db, authorOf(project_id, caller), body.ids)
    return done
  },
  listTaskHistory: async ({ db, project_id, caller, path }) => ({
    history: await history.list(db, { account_id: caller.account_id!, project_id }, idOf(path.id, 'Task')),
  }),
  listTaskReferences: async ({ db, project_id, path }) => ({
    references: await references.ofTask(db, project_id, idOf(path.id, 'Task')),
  }),
  listRunningBuilds: async ({ db, account_id, caller }) => ({
    build_runs: await running(db, account_id, caller.user_id),
  }),
  compareDeployment: ({ db, project_id, caller, path }) =>
    deployments.changesOf(db, { account_id: caller.account_id!, project_id }, path.id),
  listStoreNews: async ({ db, project_id, caller }) => ({
    news: await deployments.storeNews(db, { account_id: caller.account_id!, project_id }),
  }),
  readBuildLogRest: ({ db, project_id, path, query }) =>
    readLogRest(db, project_id, idOf(path.build_run_id, 'Build run'), query.mark),
  showBuildContext: ({ db, project_id, path }) => builds.contextOf(db, project_id, idOf(path.build_run_id, 'Build run')),
  showChangeContext: ({ db, project_id, path }) => changes.contextOf(db, project_id, idOf(path.id, 'Change')),
  showRelease: ({ db, project_id, caller, path }) => releaseOf(db, { account_id: caller.account_id!, project_id }, path.id),
  showReleaseTimeline: ({ db, account_id, caller, query }) => timeline(db, account_id, caller.user_id, query.days_back),
}
