import { Type } from 'typebox'
import * as shape from '../shapes.ts'
import type { TokenRoute } from './route.ts'

/** Whose token it is, its projects, and who works on them. */

export const projectRoutes = {
  ping: {
    method: 'GET',
    path: '/v1/ping',
    scope: 'ping',
    summary: 'Check that a token works',
    query: {},
    reply: shape.Ping,
  },
  listProjects: {
    method: 'GET',
    path: '/v1/projects',
    scope: 'read:projects',
    summary: "All projects of the caller's accounts, newest first",
    query: {},
    reply: Type.Object({ projects: Type.Array(shape.Project) }, { additionalProperties: false }),
  },
  showProject: {
    method: 'GET',
    path: '/v1/projects/:project_id',
    scope: 'read:projects',
    summary: 'One project with its counts',
    query: {},
    reply: shape.ProjectDetail,
  },
  listMembers: {
    method: 'GET',
    path: '/v1/projects/:project_id/members',
    scope: 'read:members',
    summary: 'The members of a project by id, and the agent handles seen on its tasks',
    query: {},
    reply: shape.Members,
  },
} as const satisfies Record<string, TokenRoute>
