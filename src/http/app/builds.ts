import type { appBuildRoutes } from '../../contract/app/builds.ts'
import type { appDeploymentRoutes } from '../../contract/app/deployments.ts'
import { readLogRest } from '../../domain/builds/builds.ts'
import { running } from '../../domain/builds/running.ts'
import * as changes from '../../domain/contents/change-context.ts'
import * as deployments from '../../domain/contents/deployment-contents.ts'
import { releaseOf } from '../../domain/contents/release.ts'
import { timeline } from '../../domain/deployments/timeline.ts'
import * as builds from '../../domain/investigations/build-context.ts'
import { reachableActions } from '../../intake/reach/actions.ts'
import { type Handlers, personOf } from '../routes/call.ts'
import { idOf } from '../routes/path-ids.ts'

export const buildHandlers: Handlers<keyof typeof appBuildRoutes> = {
  listRunningBuilds: async ({ db, account_id, caller }) => ({
    build_runs: await running(db, account_id, caller.user_id),
  }),
  readBuildLogRest: ({ db, by, path, query }) => readLogRest(db, by, idOf(path.build_run_id, 'Build run'), query.mark),
  async showBuildContext({ db, path, ...call }) {
    const id = idOf(path.build_run_id, 'Build run')
    const context = await builds.contextOf(db, call.by, id)
    return { ...context, ci_actions: await reachableActions(db, personOf(call), id, context.ci_actions) }
  },
}

export const deploymentHandlers: Handlers<keyof typeof appDeploymentRoutes> = {
  showChangeContext: ({ db, by, path }) => changes.contextOf(db, by, idOf(path.id, 'Change')),
  compareDeployment: ({ db, by, path }) => deployments.changesOf(db, by, path.id),
  listStoreNews: async ({ db, by }) => ({
    news: await deployments.storeNews(db, by),
  }),
  showRelease: ({ db, by, path }) => releaseOf(db, by, path.id),
  showReleaseTimeline: ({ db, account_id, caller, query }) => timeline(db, account_id, caller.user_id, query.days_back),
}
