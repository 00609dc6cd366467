import { Type } from 'typebox'
import { CiRequest, CorrectionInput } from '../bodies.ts'
import * as field from '../fields.ts'
import * as filter from '../filters.ts'
import { Correction } from '../health-shapes.ts'
import * as param from '../params.ts'
import * as shape from '../shapes.ts'
import { get, patch, plainGet, post, type TokenRoute } from './route.ts'

/** Builds and investigations. */

export const buildRoutes = {
  listBuilds: {
    method: 'GET',
    path: '/v1/projects/:project_id/build_runs',
    scope: 'read:builds',
    summary: 'List the newest build runs of a project',
    query: { ...filter.builds, limit: param.limit },
    shows: ['build'],
    reply: field.page('build_runs', shape.BuildRun, field.ShortPagination),
  },
  searchBuilds: {
    method: 'GET',
    path: '/v1/projects/:project_id/search/build_runs',
    scope: 'read:builds',
    summary:
      'Search the build runs of a project by branch, job, change, author or text; newest first, with finished_since or finished_until by finish time',
    query: { ...filter.builds, ...filter.buildsSearch, ...param.paging },
    shows: ['build'],
    reply: field.page('build_runs', shape.BuildRun),
  },
  showBuild: {
    ...get,
    path: '/v1/projects/:project_id/build_runs/:build_run_id',
    scope: 'read:builds',
    summary: 'Show a build run with its artifacts, steps and investigation',
    shows: ['build', 'investigation'],
    single: true,
    reply: shape.BuildRunDetail,
  },
  readBuildLog: {
    ...plainGet,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/log',
    scope: 'read:builds',
    summary: 'Get the stored log of a build run as plain text',
    query: { tail: param.lines, search: param.described(param.text, 'Only lines with this text') },
    reply: Type.String(),
    produces: 'text/plain',
  },
  listBuildArtifacts: {
    ...get,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/artifacts',
    scope: 'read:builds',
    summary: 'List the uploaded artifacts of a build run',
    shows: ['build'],
    reply: field.object({ artifacts: Type.Array(shape.Artifact) }),
    tool: false,
  },
  listLatestArtifacts: {
    ...get,
    path: '/v1/projects/:project_id/artifacts',
    scope: 'read:builds',
    summary: 'List the uploaded artifacts of the newest passed build that has a matching one; of a branch the newest by position',
    query: filter.artifacts,
    shows: ['build'],
    reply: field.object({ artifacts: Type.Array(shape.Artifact) }),
    tool: false,
  },
  listBuildChanges: {
    method: 'GET',
    path: '/v1/projects/:project_id/build_runs/:build_run_id/changes',
    scope: 'read:changes',
    summary:
      'List the changes in a build run since an earlier one (default: the last passed one of its job and branch), newest first',
    query: { since_id: param.described(param.text, 'Earlier build run (default: the last passed one of its job and branch)') },
    shows: ['build', 'change'],
    reply: shape.BuildChanges,
  },
  showBuildMeasures: {
    method: 'GET',
    path: '/v1/projects/:project_id/build_runs/:build_run_id/measures',
    scope: 'read:builds',
    summary: 'Show the measures of a build in the passed builds of its job and branch, and where they jumped',
    query: {},
    shows: ['build'],
    reply: shape.MeasureTrends,
    tool: false,
  },
  investigateBuild: {
    ...post,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/investigate',
    scope: 'write:builds',
    summary: 'Investigate why a build failed; a new investigation costs a credit, an existing one is returned free',
    reply: shape.Investigation,
    created: 202,
    writes: true,
  },
  actOnBuild: {
    ...post,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/ci',
    scope: 'write:ci',
    summary: 'Ask the CI to retry or stop a build, or to build the newest state of its branch; a new build is reported by the CI',
    body: CiRequest,
    reply: field.object({ message: field.ownText }),
    created: 202,
    writes: true,
    detached: true,
  },
  correctBuild: {
    ...patch,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/correction',
    scope: 'write:breakages',
    summary: 'Correct why a failed build failed: the log line, the category, the cause, changes that did not cause it',
    body: CorrectionInput,
    reply: Correction,
    writes: true,
  },
  listCorrections: {
    method: 'GET',
    path: '/v1/projects/:project_id/corrections',
    scope: 'read:builds',
    summary: 'Corrections of a project, newest first',
    query: {
      build_run_id: param.described(param.reference, 'Only the correction that applies to this build run'),
      limit: param.limit,
    },
    shows: ['investigation'],
    reply: field.page('corrections', Correction, field.ShortPagination),
    tool: false,
  },
  undoCorrection: {
    ...post,
    path: '/v1/projects/:project_id/corrections/:id/undo',
    scope: 'write:breakages',
    summary: 'Undo a correction and investigate its builds again',
    reply: Correction,
    writes: true,
    tool: false,
  },
} as const satisfies Record<string, TokenRoute>
