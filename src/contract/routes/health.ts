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
    summary: 'The branches of a project, the one built last first: state, head, last known good',
    query: { q: param.partOfName, limit: param.limit },
    shows: ['build', 'change'],
    reply: field.page('branches', health.Branch, field.ShortPagination),
  },
  showBranchHealth: {
    method: 'GET',
    path: '/v1/projects/:project_id/branches/health',
    scope: 'read:builds',
    summary: 'One branch with the last runs of each of its jobs; without a name the one built last',
    query: { branch: param.text },
    shows: ['build', 'change'],
    reply: health.BranchHealth,
  },
  markBranchGood: {
    ...patch,
    path: '/v1/projects/:project_id/branches/good',
    scope: 'write:breakages',
    summary: 'Mark a change of a branch as good, with a reason, or remove the mark',
    body: MarkGood,
    reply: health.BranchHealth,
    writes: true,
    tool: false,
  },
  listBreakages: {
    method: 'GET',
    path: '/v1/projects/:project_id/breakages',
    scope: 'read:builds',
    summary: 'What is or was broken in a project, one entry per cause, newest first',
    query: { ...filter.breakages, ...param.paging },
    shows: ['breakage', 'investigation'],
    reply: field.page('breakages', health.Breakage),
  },
  showBreakage: {
    ...get,
    path: '/v1/projects/:project_id/breakages/:id',
    scope: 'read:builds',
    summary: 'One breakage with its builds and its history',
    shows: ['breakage', 'investigation'],
    reply: health.BreakageDetail,
  },
  editBreakage: {
    ...patch,
    path: '/v1/projects/:project_id/breakages/:id',
    scope: 'write:breakages',
    summary: 'Claim, hand over, mute, resolve or reopen a breakage, or note something about it',
    body: BreakageEdit,
    reply: health.BreakageDetail,
    writes: true,
  },
  createBreakageTask: {
    ...post,
    path: '/v1/projects/:project_id/breakages/:id/task',
    scope: 'write:tasks',
    summary: 'Make a task of a breakage, linked to its suspected changes; the one there is, if it was made before',
    reply: TaskDetail,
    created: 201,
    writes: true,
    limited: true,
  },
} as const satisfies Record<string, TokenRoute>
