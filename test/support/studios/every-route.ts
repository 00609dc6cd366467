import type { RouteName } from '../../../src/contract/routes.ts'
import { type Route, routes } from '../../../src/contract/routes.ts'
import type { Answer, Asking, Studio } from '../studio.ts'
import { sha } from './night-owl.ts'

/** What is needed to call every route with valid arguments in the world of `night-owl.ts`. */

const RECORDS: Partial<Record<RouteName, [kind: string, key: string]>> = {
  showTask: ['tasks', 'task4'],
  editTask: ['tasks', 'task4'],
  showBuild: ['build_runs', 'build4'],
  readBuildLog: ['build_runs', 'build4'],
  listBuildArtifacts: ['build_runs', 'build4'],
  listShareLinks: ['build_runs', 'build4'],
  createShareLink: ['build_runs', 'build4'],
  listBuildChanges: ['build_runs', 'build4'],
  showBuildMeasures: ['build_runs', 'build4'],
  listBuildTests: ['build_runs', 'build4'],
  showTest: ['tests', 'test4'],
  editTest: ['tests', 'test4'],
  investigateBuild: ['build_runs', 'build5'],
  correctBuild: ['build_runs', 'build5'],
  actOnBuild: ['build_runs', 'build5'],
  showAsset: ['assets', 'asset4'],
  decideAsset: ['assets', 'asset4'],
  showApproval: ['approvals', 'approval4'],
  showChange: ['changes', 'change4'],
  showDeployment: ['deployments', 'deployment4'],
  showDeploymentBuild: ['deployments', 'deployment4'],
  editDeployment: ['deployments', 'deployment4'],
  showBreakage: ['breakages', 'breakage4'],
  undoCorrection: ['corrections', 'correction4'],
  editBreakage: ['breakages', 'breakage4'],
  createBreakageTask: ['breakages', 'breakage4'],
  startBisection: ['breakages', 'breakage4'],
  cancelBisection: ['breakages', 'breakage4'],
  listTaskHistory: ['tasks', 'task4'],
  listBuildHistory: ['build_runs', 'build4'],
  listBreakageHistory: ['breakages', 'breakage4'],
  listChangeHistory: ['changes', 'change4'],
  listAssetHistory: ['assets', 'asset4'],
  listDeploymentHistory: ['deployments', 'deployment4'],
  listTaskComments: ['tasks', 'task4'],
  createTaskComment: ['tasks', 'task4'],
  listBuildComments: ['build_runs', 'build4'],
  createBuildComment: ['build_runs', 'build4'],
  listBreakageComments: ['breakages', 'breakage4'],
  createBreakageComment: ['breakages', 'breakage4'],
  listChangeComments: ['changes', 'change4'],
  createChangeComment: ['changes', 'change4'],
  listAssetComments: ['assets', 'asset4'],
  createAssetComment: ['assets', 'asset4'],
  listDeploymentComments: ['deployments', 'deployment4'],
  createDeploymentComment: ['deployments', 'deployment4'],
  editComment: ['comments', 'comment4'],
  showComment: ['comments', 'comment4'],
  deleteComment: ['comments', 'comment6'],
  resolveComment: ['comments', 'point4'],
  reactToComment: ['comments', 'comment4'],
  attachToComment: ['comments', 'comment4'],
  // A world has no share links: the id of another record shows who is refused.
  revokeShareLink: ['tasks', 'task4'],
  listPreviews: ['assets', 'asset4'],
  uploadPreview: ['assets', 'asset4'],
}
export const BODIES: Partial<Record<RouteName, unknown>> = {
  createTask: { task: { title: 'New' } },
  editTask: { task: { priority: 'high' } },
  decideAsset: { status: 'approved' },
  correctBuild: { cause: 'the disk was full' },
  actOnBuild: { action: 'retry' },
  editBreakage: { note: 'seen' },
  editDeployment: { status: 'live', note: 'seen in the store' },
  muteAgent: { agent: 'BUILD-07', reason: 'disk full' },
  markBranchGood: { branch: 'main', change: sha(4), reason: 'played it' },
  createShareLink: { artifact_id: '00000000-0000-4000-8000-000000000000' },
  createComment: { record: 'task/1', body: 'Seen' },
  createTaskComment: { body: 'Seen' },
  createBuildComment: { body: 'Seen' },
  createBreakageComment: { body: 'Seen' },
  createChangeComment: { body: 'Seen' },
  createAssetComment: { body: 'Seen' },
  createDeploymentComment: { body: 'Seen' },
  editComment: { body: 'Seen again' },
  resolveComment: { resolved: true },
  reactToComment: { reaction: '👀', on: true },
  attachToComment: { any: 'bytes' },
  uploadPreview: { any: 'text' },
  editTest: { quarantined_until: new Date(Date.now() + 86_400_000).toISOString(), reason: 'waits for a server' },
}

export const all = Object.entries(routes) as [RouteName, Route][]
export const inProject = all.filter(([, route]) => route.path.includes(':project_id'))
export const withRecord = all.filter(([name]) => RECORDS[name])
export const writing = all.filter(([, route]) => route.writes)
export const paged = inProject.filter(([, route]) => 'cursor' in route.query)

/** Resolves keys of the world and calls routes with them. */
export const asker = (studio: () => Studio) => {
  const id = (kind: string, key: string): string => String(studio().world[kind as 'tasks']![key]!.id)
  const tokenOf = (key: string) => studio().world.tokens![key]!.token as string
  /** The record of a route, in the project whose keys have this suffix. */
  const recordOf = (name: RouteName, mark = '') => {
    const record = RECORDS[name]
    return record && id(record[0], mark + record[1])
  }
  /** The record of a project that has only one of its kind. */
  const onlyRecordOf = (name: RouteName, project: string) => {
    const kind = RECORDS[name]?.[0]
    return kind && id(kind, `${project}-${kind.slice(0, -1)}`)
  }
  const pathOf = (name: RouteName, project = id('projects', 'star'), record = recordOf(name)) =>
    `/api${routes[name].path
      .replace(':project_id', project)
      .replace(/:\w+/, record ?? '')
      .replace(':version', '1')}`
  const bodyOf = (name: RouteName) =>
    name === 'createComment' ? { record: `task/${id('tasks', 'task4')}`, body: 'Seen' } : BODIES[name]
  const ask = (name: RouteName, path = pathOf(name), asking: Asking = {}): Promise<Answer> =>
    studio().ask(path, { method: routes[name].method, token: tokenOf('all'), body: bodyOf(name), ...asking })
  return { id, tokenOf, recordOf, onlyRecordOf, pathOf, ask }
}
