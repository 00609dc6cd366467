import * as field from '../fields.ts'
import * as filter from '../filters.ts'
import * as param from '../params.ts'
import * as shape from '../shapes.ts'
import { get, type TokenRoute } from './route.ts'

/** Commits and changelists. */

export const changeRoutes = {
  listChanges: {
    method: 'GET',
    path: '/v1/projects/:project_id/changes',
    scope: 'read:changes',
    summary: 'List the commits and changelists of a project, newest first',
    query: { ...filter.changes, ...param.paging },
    shows: ['build', 'change'],
    reply: field.page('changes', shape.Change),
  },
  searchChanges: {
    method: 'GET',
    path: '/v1/projects/:project_id/search/changes',
    scope: 'read:changes',
    summary: 'Search the changes of a project by branch, author, path or text, newest first',
    query: { ...filter.changes, ...filter.changesSearch, ...param.paging },
    shows: ['build', 'change'],
    reply: field.page('changes', shape.Change),
  },
  showChange: {
    ...get,
    path: '/v1/projects/:project_id/changes/:id',
    scope: 'read:changes',
    summary: 'Show a change with its files, approvals, builds and tasks',
    shows: ['build'],
    reply: shape.ChangeDetail,
  },
} as const satisfies Record<string, TokenRoute>
