import type { DeclaredName } from '../../contract/app/routes.ts'
import { readId } from '../../contract/params.ts'
import type { RouteName } from '../../contract/routes.ts'
import { withIdempotencyKey } from '../../domain/access/idempotency.ts'
import * as tokens from '../../domain/access/tokens.ts'
import * as agents from '../../domain/agents/agents.ts'
import * as artifactPages from '../../domain/artifacts/artifact-pages.ts'
import * as artifacts from '../../domain/artifacts/artifacts.ts'
import * as shareLinks from '../../domain/artifacts/share-links.ts'
import * as approvals from '../../domain/assets/approvals.ts'
import * as assets from '../../domain/assets/assets.ts'
import { decide } from '../../domain/assets/decisions.ts'
import * as branches from '../../domain/branches/branches.ts'
import * as bisections from '../../domain/breakages/bisection/bisections.ts'
import * as breakages from '../../domain/breakages/breakages.ts'
import { edit as editBreakage } from '../../domain/breakages/edit.ts'
import { makeTask } from '../../domain/breakages/make-task.ts'
import * as builds from '../../domain/builds/builds.ts'
import * as changes from '../../domain/changes/changes.ts'
import * as comments from '../../domain/comments/comments.ts'
import * as contents from '../../domain/contents/build-contents.ts'
import { explain } from '../../domain/deployments/build-link.ts'
import * as deployments from '../../domain/deployments/deployments.ts'
import { edit as editDeployment } from '../../domain/deployments/edit.ts'
import * as history from '../../domain/history/history.ts'
import { investigateTestsAgain } from '../../domain/investigations/again.ts'
import * as corrections from '../../domain/investigations/corrections.ts'
import * as investigations from '../../domain/investigations/investigations.ts'
import { showPreflight } from '../../domain/investigations/preflight-verdict.ts'
import * as measureBudgets from '../../domain/measures/budgets.ts'
import * as buildTrends from '../../domain/measures/build-trends.ts'
import * as costs from '../../domain/measures/cost.ts'
import * as measures from '../../domain/measures/measures.ts'
import * as previews from '../../domain/previews/previews.ts'
import { upload as uploadPreview } from '../../domain/previews/upload.ts'
import * as members from '../../domain/projects/members.ts'
import * as projectSettings from '../../domain/projects/project-settings.ts'
import * as projects from '../../domain/projects/projects.ts'
import * as tasks from '../../domain/tasks/tasks.ts'
import * as buildTests from '../../domain/tests/build-tests.ts'
import { judgeVerdictsOfTest } from '../../domain/tests/gate.ts'
import * as projectTests from '../../domain/tests/project-tests.ts'
import { quarantine } from '../../domain/tests/quarantine.ts'
import * as testHistory from '../../domain/tests/test-history.ts'
import { actOnBuild } from '../../intake/providers/act.ts'
import { requireBisectable } from '../../intake/providers/jobs.ts'
import { bisectableBy } from '../../intake/reach/actions.ts'
import { type Handlers, personOf } from './call.ts'
import { seenVersion } from './entity-tags.ts'
import type { ListName } from './lists.ts'

/** Routes with their own order of checks: lists (`lists.ts`) and the feed (`events.ts`). */
type Special = ListName | 'listEvents'
export type HandledName = Exclude<DeclaredName, Special>

/** They write their audit log entry with the record, in one statement. */
export const WITH_ENTRY: ReadonlySet<HandledName> = new Set(['createTask'])

/** Every route with its handler; a missing or mistyped line does not compile. */
export const restHandlers: Handlers<Exclude<RouteName, Special>> = {
  ping: ({ db, caller }) => tokens.describe(db, caller.token_id!),
  listProjects: ({ db, caller }) => projects.list(db, caller),
  showProject: ({ db, by }) => projects.find(db, by.project_id),
  showTask: ({ db, by, path, site }) => tasks.find(db, by, readId(path.id), site),
  async createTask({ db, by, body, header, caller, site, entry, stillAdmitted }) {
    const input = body.task
    const key = header('idempotency-key')
    // Idempotency keys belong to tokens: a page knows what it has sent.
    if (key === undefined || caller.token_id === null) return tasks.create(db, by, input, site, { entry: entry(), stillAdmitted })
    return withIdempotencyKey(db, caller.token_id, key, { project_id: by.project_id, input }, (db) =>
      tasks.create(db, by, input, site, { entry: entry() }),
    )
  },
  editTask: ({ db, by, path, body, site }) => tasks.edit(db, by, readId(path.id), body.task, site),
  listMembers: ({ db, by }) => members.list(db, by),
  async showBuild({ db, by, path, site, setHeader }) {
    const build = await builds.find(db, by, readId(path.build_run_id), site)
    // The object may have no other field: the rest is named beside it.
    if (build.artifact_count > build.artifacts.length)
      setHeader(
        'link',
        `<${site}/api/v1/projects/${by.project_id}/build_runs/${build.id}/artifacts>; rel="related"; count="${build.artifact_count}"`,
      )
    return build
  },
  readBuildLog: ({ db, by, path, query }) => builds.readLog(db, by, readId(path.build_run_id), query),
  showBuildMeasures: ({ db, by, path }) => buildTrends.ofBuild(db, by, readId(path.build_run_id)),
  async listBuildArtifacts({ db, by, path, query: { cursor, ...query }, site, cursors }) {
    const build = readId(path.build_run_id)
    const list = `listBuildArtifacts ${by.project_id} ${build}`
    const asked = { ...query, cursor: cursor === undefined ? undefined : cursors.open(list, cursor) }
    const { artifacts, has_more, last } = await artifactPages.listOfBuild(db, by, build, asked, site)
    return { artifacts, pagination: { limit: query.limit, has_more, next_cursor: last && cursors.seal(list, last) } }
  },
  listLatestArtifacts: ({ db, by, query, site }) => artifacts.latest(db, by, query, site),
  listShareLinks: ({ db, by, path }) => shareLinks.list(db, by, readId(path.build_run_id)),
  createShareLink: ({ db, by, path, body, site }) => shareLinks.create(db, by, readId(path.build_run_id), body, site),
  revokeShareLink: ({ db, by, path }) => shareLinks.revoke(db, by, readId(path.id)),
  listBuildChanges: ({ db, by, path, query }) => contents.changesOf(db, by, readId(path.build_run_id), query.since_id),
  listBuildTests: ({ db, by, path }) => buildTests.ofBuild(db, by, readId(path.build_run_id)),
  listTests: ({ db, by, query }) => projectTests.overview(db, by, query),
  listMeasures: ({ db, by, query }) => measures.list(db, by, query),
  showMeasures: ({ db, by, query }) => measures.show(db, by, query),
  showCosts: ({ db, by, query }) => costs.show(db, by, query),
  listMeasureBudgets: ({ db, by }) => measureBudgets.list(db, by),
  listAgents: ({ db, by }) => agents.list(db, by),
  muteAgent: ({ db, by, body }) => agents.mute(db, by, body),
  showTest: ({ db, by, path, query }) => testHistory.find(db, by, readId(path.id), query),
  editTest: ({ db, by, path, body }) =>
    db.transaction(async (db) => {
      const id = readId(path.id)
      await quarantine(db, by, id, body)
      // Earlier builds stay excused when it ends.
      if (body.quarantined_until !== null) await judgeVerdictsOfTest(db, by, id!)
      await investigateTestsAgain(db, by.account_id, [id!])
      return testHistory.find(db, by, id, { branch: undefined })
    }),
  async investigateBuild({ db, by, path, status, unchanged }) {
    const { investigation, created } = await investigations.start(db, by, readId(path.build_run_id))
    status(created ? 202 : 200)
    if (!created) unchanged()
    return investigation
  },
  actOnBuild: ({ db, by, path, body, vault, allowedHosts, caller }) =>
    actOnBuild(
      { db, vault, allowed: allowedHosts },
      personOf({ by, caller }),
      readId(path.build_run_id),
      body.action,
      body.parameters,
    ),
  correctBuild: ({ db, by, path, body }) => corrections.correct(db, by, readId(path.build_run_id), body),
  listCorrections: ({ db, by, query }) => corrections.list(db, by, query),
  undoCorrection: ({ db, by, path }) => corrections.undo(db, by, readId(path.id)),
  listPreviews: ({ db, by, path, query }) => previews.list(db, by, path.asset_id, query),
  uploadPreview: ({ db, by, path: { asset_id, version }, request, quotas }) =>
    uploadPreview(db, by, { assetId: asset_id, version, bytes: (request.body as Buffer | undefined) ?? Buffer.alloc(0) }, quotas),
  showAsset: ({ db, by, path }) => assets.find(db, by, path.asset_id),
  async decideAsset({ db, by, path, body, caller, status, header }) {
    const { approval, created } = await decide(db, by, path.asset_id, caller, body, seenVersion(header('if-match')))
    status(created ? 201 : 200)
    return approval
  },
  async listApprovalRules({ db, by }) {
    const { approval_rules } = await projectSettings.show(db, by.project_id)
    return { approval_rules }
  },
  showApproval: ({ db, by, path }) => approvals.find(db, by, path.id),
  showChange: ({ db, by, path }) => changes.find(db, by, readId(path.id)),
  listBranches: ({ db, by, query }) => branches.list(db, by, query),
  showPreflight: ({ db, by, query }) => showPreflight(db, by, query),
  showBranchHealth: ({ db, by, query }) => branches.health(db, by, query),
  markBranchGood: ({ db, by, body }) => branches.markGood(db, by, body),
  showBreakage: async ({ db, by, path, site, caller }) =>
    bisectableBy(db, personOf({ by, caller }), await breakages.find(db, by, readId(path.id), site)),
  editBreakage: async ({ db, by, path, body, site, caller }) =>
    bisectableBy(db, personOf({ by, caller }), await editBreakage(db, by, readId(path.id), body, site)),
  async startBisection({ db, by, path, site, status, unchanged, caller }) {
    await requireBisectable(db, personOf({ by, caller }), readId(path.id))
    const { breakage, created } = await bisections.start(db, by, readId(path.id), site)
    status(created ? 201 : 200)
    if (!created) unchanged()
    return bisectableBy(db, personOf({ by, caller }), breakage)
  },
  cancelBisection: async ({ db, by, path, site, caller }) =>
    bisectableBy(db, personOf({ by, caller }), await bisections.cancel(db, by, readId(path.id), site)),
  async createBreakageTask({ db, by, path, site, status }) {
    const { task, created } = await makeTask(db, by, readId(path.id), site)
    status(created ? 201 : 200)
    return task
  },
  showDeployment: ({ db, by, path }) => deployments.find(db, by, path.id),
  async showDeploymentBuild({ db, by, path }) {
    const { id } = await deployments.find(db, by, path.id)
    return explain(db, by, id)
  },
  editDeployment: ({ db, by, path, body }) => editDeployment(db, by, path.id, body),
  listTaskHistory: ({ db, by, path, query }) => history.list(db, by, 'task', path.id, query),
  listBuildHistory: ({ db, by, path, query }) => history.list(db, by, 'build_run', path.build_run_id, query),
  listBreakageHistory: ({ db, by, path, query }) => history.list(db, by, 'breakage', path.id, query),
  listChangeHistory: ({ db, by, path, query }) => history.list(db, by, 'change', path.id, query),
  listAssetHistory: ({ db, by, path, query }) => history.list(db, by, 'asset', path.asset_id, query),
  async listDeploymentHistory({ db, by, path, query }) {
    const { id } = await deployments.find(db, by, path.id)
    return history.ofDeployment(db, by, id, query)
  },
  listTaskComments: ({ db, by, path, query }) => comments.list(db, by, 'task', path.id, query),
  createTaskComment: ({ db, by, path, body }) => comments.create(db, by, 'task', path.id, body),
  listBuildComments: ({ db, by, path, query }) => comments.list(db, by, 'build_run', path.build_run_id, query),
  createBuildComment: ({ db, by, path, body }) => comments.create(db, by, 'build_run', path.build_run_id, body),
  listBreakageComments: ({ db, by, path, query }) => comments.list(db, by, 'breakage', path.id, query),
  createBreakageComment: ({ db, by, path, body }) => comments.create(db, by, 'breakage', path.id, body),
  listChangeComments: ({ db, by, path, query }) => comments.list(db, by, 'change', path.id, query),
  createChangeComment: ({ db, by, path, body }) => comments.create(db, by, 'change', path.id, body),
  listAssetComments: ({ db, by, path, query }) => comments.list(db, by, 'asset', path.asset_id, query),
  createAssetComment: ({ db, by, path, body }) => comments.create(db, by, 'asset', path.asset_id, body),
  async listDeploymentComments({ db, by, path, query }) {
    const { id } = await deployments.find(db, by, path.id)
    return comments.list(db, by, 'deployment', id, query)
  },
  async createDeploymentComment({ db, by, path, body }) {
    const { id } = await deployments.find(db, by, path.id)
    return comments.create(db, by, 'deployment', id, body)
  },
  listComments: ({ db, by, caller, query }) => comments.listAny(db, by, caller, query),
  createComment: ({ db, by, body }) => comments.createAny(db, by, body),
  showComment: ({ db, by, caller, path }) => comments.show(db, by, caller, readId(path.id)),
  editComment: ({ db, by, caller, path, body }) => comments.edit(db, { ...caller, ...by }, readId(path.id), body),
  deleteComment: ({ db, by, caller, path }) => comments.remove(db, { ...caller, ...by }, readId(path.id)),
  attachToComment: ({ db, by, caller, path, query, request, quotas }) =>
    comments.attach(
      db,
      { ...caller, ...by },
      readId(path.id),
      { name: query.name ?? '', bytes: (request.body as Buffer | undefined) ?? Buffer.alloc(0) },
      quotas,
    ),
  resolveComment: ({ db, by, caller, path, body }) => comments.resolve(db, { ...caller, ...by }, readId(path.id), body.resolved),
  reactToComment: ({ db, by, caller, path, body }) => comments.react(db, { ...caller, ...by }, readId(path.id), body),
}
