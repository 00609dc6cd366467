import { Type } from 'typebox'
import * as shape from '../shapes.ts'
import { plainGet, type TokenRoute } from './route.ts'

/** The token's owner, its projects, and their members. */

export const projectRoutes = {
  ping: {
    ...plainGet,
    path: '/v1/ping',
    scope: 'ping',
    summary: 'Check that a token works; returns its user, account and scopes',
    reply: shape.Ping,
  },
  listProjects: {
    ...plainGet,
    path: '/v1/projects',
    scope: 'read:projects',
    summary: 'List the projects of your accounts, newest first',
    reply: Type.Object({ projects: Type.Array(shape.Project) }, { additionalProperties: false }),
  },
  showProject: {
    ...plainGet,
    path: '/v1/projects/:project_id',
    scope: 'read:projects',
    summary: 'Show a project with its counts',
    reply: shape.ProjectDetail,
  },
  listMembers: {
    ...plainGet,
    path: '/v1/projects/:project_id/members',
    scope: 'read:members',
    summary: 'List the members of a project by user id, and the agents on its tasks',
    reply: shape.Members,
  },
} as const satisfies Record<string, TokenRoute>
