import { Type } from 'typebox'
import * as field from '../fields.ts'
import * as filter from '../filters.ts'
import * as param from '../params.ts'
import * as shape from '../shapes.ts'
import { get, plainGet, post, type TokenRoute } from './route.ts'

/** Builds and investigations. */

export const buildRoutes = {
  listBuilds: {
    method: 'GET',
    path: '/v1/projects/:project_id/build_runs',
    scope: 'read:builds',
    summary: 'The newest build runs of a project',
    query: { ...filter.builds, limit: param.limit },
    shows: ['build'],
    reply: field.page('build_runs', shape.BuildRun, field.ShortPagination),
  },
  searchBuilds: {
    method: 'GET',
    path: '/v1/projects/:project_id/search/build_runs',
    scope: 'read:builds',
    summary:
      'Build runs of a project by branch, job, change, author or text; newest first, by when they finished where that is asked for',
    query: { ...filter.builds, ...filter.buildsSearch, ...param.paging },
    shows: ['build'],
    reply: field.page('build_runs', shape.BuildRun),
  },
  showBuild: {
    ...get,
    path: '/v1/projects/:project_id/build_runs/:build_run_id',
    scope: 'read:builds',
    summary: 'One build run with its artifacts, steps and investigation',
    shows: ['build', 'investigation'],
    single: true,
    reply: shape.BuildRunDetail,
  },
  readBuildLog: {
    ...plainGet,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/log',
    scope: 'read:builds',
    summary: 'The stored log of a build run as plain text',
    query: { tail: param.lines, search: param.text },
    reply: Type.String(),
    produces: 'text/plain',
  },
  listBuildChanges: {
    method: 'GET',
    path: '/v1/projects/:project_id/build_runs/:build_run_id/changes',
    scope: 'read:changes',
    summary:
      'The newest changes that a build run holds and another did not; by default the last that passed on its job and branch',
    query: { since_id: param.text },
    shows: ['build', 'change'],
    reply: shape.BuildChanges,
  },
  investigateBuild: {
    ...post,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/investigate',
    scope: 'write:builds',
    summary: 'Find out why a failed build failed; costs a credit, a finished investigation is returned free of charge',
    reply: shape.Investigation,
    created: 202,
    writes: true,
  },
} as const satisfies Record<string, TokenRoute>
