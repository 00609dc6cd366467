import { TestEdit } from '../bodies.ts'
import * as param from '../params.ts'
import { get, patch, type TokenRoute } from './route.ts'
import * as shape from './test-shapes.ts'

/** Results of automated tests. */

export const testRoutes = {
  listBuildTests: {
    ...get,
    path: '/v1/projects/:project_id/build_runs/:build_run_id/tests',
    scope: 'read:builds',
    summary: 'Show the test results of a build run: counts, new and old failures by cause, fixed, skipped and slower tests',
    shows: ['build'],
    reply: shape.BuildTests,
    tool: false,
  },
  listTests: {
    ...get,
    path: '/v1/projects/:project_id/tests',
    scope: 'read:builds',
    summary:
      'List the tests of a project that failed most often or were flaky in the last 30 days, the slowest ones, and those in quarantine',
    query: { job: param.described(param.text, 'Only tests of this job') },
    shows: ['build'],
    reply: shape.ProjectTests,
  },
  showTest: {
    ...get,
    path: '/v1/projects/:project_id/tests/:id',
    scope: 'read:builds',
    summary: 'Show the last 100 runs of a test and its last 10 failures',
    query: { branch: param.described(param.text, 'Only runs of this branch') },
    shows: ['build'],
    single: true,
    reply: shape.TestHistory,
    tool: false,
  },
  editTest: {
    ...patch,
    path: '/v1/projects/:project_id/tests/:id',
    scope: 'write:breakages',
    summary: 'Quarantine a test until a time, with a reason, or release it: the failures of a quarantined test open no breakage',
    body: TestEdit,
    reply: shape.TestHistory,
    writes: true,
    tool: false,
  },
} as const satisfies Record<string, TokenRoute>
