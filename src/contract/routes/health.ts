import { BreakageEdit, MarkGood } from '../bodies.ts'
import * as field from '../fields.ts'
import * as filter from '../filters.ts'
import * as health from '../health-shapes.ts'
import * as param from '../params.ts'
import { TaskDetail } from '../shapes.ts'
import { get, patch, post, type TokenRoute } from './route.ts'

/** The state of branches, breakages and their owners. */

export const healthRoutes = {
  listBranches: {
    method: 'GET',
    path: '/v1/projects/:project_id/branches',
    scope: 'read:builds',
    summary: 'List branches with state, head and last known good change; the one built last first',
    query: { q: param.partOfName, limit: param.limit },
    shows: ['build', 'change'],
    reply: field.page('branches', health.Branch, field.ShortPagination),
  },
  showBranchHealth: {
    method: 'GET',
    path: '/v1/projects/:project_id/branches/health',
    scope: 'read:builds',
    summary: 'Show a branch with the last runs of its jobs (default: the branch built last)',
    query: { branch: param.described(param.text, 'Branch or stream, such as main or //game/main (default: the one built last)') },
    shows: ['build', 'change'],
    reply: health.BranchHealth,
    tool: false,
  },
  markBranchGood: {
    ...patch,
    path: '/v1/projects/:project_id/branches/good',
    scope: 'write:breakages',
    summary: 'Mark a change as last known good, with a reason, or remove the mark',
    body: MarkGood,
    reply: health.BranchHealth,
    writes: true,
    tool: false,
  },
  showPreflight: {
    ...get,
    path: '/v1/projects/:project_id/preflight',
    scope: 'read:builds',
    summary:
      'Show whether a pull request, a shelf or a commit broke its preflights, without failures that the branch has already',
    query: {
      pull_request: param.described(
        param.text,
        'Number of the pull or merge request (default of all three: the newest preflight)',
      ),
      shelf: param.described(param.text, 'Shelved or pending changelist'),
      commit: param.described(param.text, 'Commit in full'),
    },
    shows: ['build', 'investigation', 'breakage'],
    reply: health.Preflight,
    tool: false,
  },
  listBreakages: {
    method: 'GET',
    path: '/v1/projects/:project_id/breakages',
    scope: 'read:builds',
    summary: 'List breakages, one per cause of failures, newest first',
    query: { ...filter.breakages, ...param.paging },
    shows: ['breakage', 'investigation'],
    reply: field.page('breakages', health.Breakage),
  },
  showBreakage: {
    ...get,
    path: '/v1/projects/:project_id/breakages/:id',
    scope: 'read:builds',
    summary: 'Show a breakage with its builds and history',
    shows: ['breakage', 'investigation'],
    reply: health.BreakageDetail,
  },
  editBreakage: {
    ...patch,
    path: '/v1/projects/:project_id/breakages/:id',
    scope: 'write:breakages',
    summary: 'Claim, assign, mute, resolve or reopen a breakage, or add a note',
    body: BreakageEdit,
    reply: health.BreakageDetail,
    writes: true,
  },
  startBisection: {
    ...post,
    path: '/v1/projects/:project_id/breakages/:id/bisection',
    scope: 'write:ci',
    summary: 'Search the change that caused a breakage with builds of the CI; returns a running search unchanged',
    reply: health.BreakageDetail,
    created: 201,
    writes: true,
    tool: false,
  },
  cancelBisection: {
    ...post,
    path: '/v1/projects/:project_id/breakages/:id/bisection/cancel',
    scope: 'write:ci',
    summary: 'Cancel the running search of a breakage',
    reply: health.BreakageDetail,
    writes: true,
    tool: false,
  },
  createBreakageTask: {
    ...post,
    path: '/v1/projects/:project_id/breakages/:id/task',
    scope: 'write:tasks',
    summary: 'Create a task for a breakage, linked to its suspects; returns the existing task if there is one',
    reply: TaskDetail,
    created: 201,
    writes: true,
    limited: true,
  },
} as const satisfies Record<string, TokenRoute>
