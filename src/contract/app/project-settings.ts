import { Type } from 'typebox'
import { flag, list, name, nullable, object, oneOf, partial } from '../fields.ts'
import { BISECT_BUILDS_MAX, ENGINE_MAX, PATH_OWNERS_MAX } from '../limits.ts'
import { ApprovalRules } from '../routes/approval-rules.ts'
import { AgentPrices } from '../routes/build-cost.ts'
import { patch, plainGet, post, put, remove } from '../routes/route.ts'
import * as sets from '../sets.ts'
import * as app from './shapes.ts'

/** Creating a project, and its settings; a part of the table in `routes.ts`. */

const ofTokens = { scope: 'admin:tokens' } as const
const ofProjects = { scope: 'admin:projects' } as const

export const projectSettingsRoutes = {
  createProject: {
    ...post,
    path: '/v1/accounts/:account_id/projects',
    summary: 'Create a project; you become its lead',
    role: 'member',
    ...ofProjects,
    body: object({ name, engine: Type.String({ maxLength: ENGINE_MAX }) }),
    reply: app.ProjectSettings,
    created: 201,
    writes: true,
  },
  showProjectSettings: {
    ...plainGet,
    path: '/v1/projects/:project_id/settings',
    summary: 'Show the settings of a project',
    role: 'viewer',
    ...ofProjects,
    reply: app.ProjectSettings,
  },
  editProject: {
    ...patch,
    path: '/v1/projects/:project_id/settings',
    summary:
      'Change the settings of a project: name, status, approval rules, required jobs, platforms of jobs, owners of tests, the test gate, prices of agents, automatic investigations, bisections, automatic assignment',
    role: 'lead',
    ...ofProjects,
    body: partial({
      name,
      engine: Type.String({ maxLength: ENGINE_MAX }),
      status: oneOf(sets.PROJECT_STATUSES),
      ...ApprovalRules.properties,
      /** The older form with types only: becomes one rule. */
      approval_types: nullable(Type.Array(oneOf(sets.ASSET_TYPES), { maxItems: 20 })),
      required_jobs: Type.Array(app.RequiredJobs, { maxItems: 100 }),
      job_patterns: Type.Array(app.JobPattern, { maxItems: 100 }),
      path_owners: Type.String({ maxLength: PATH_OWNERS_MAX }),
      test_gate: app.TestGateSettings,
      agent_prices: nullable(AgentPrices),
      badge: flag,
      investigates_failures: nullable(flag),
      bisect_builds_per_day: Type.Integer({ minimum: 0, maximum: BISECT_BUILDS_MAX }),
      assignment: app.Assignment,
    }),
    reply: app.ProjectSettings,
    writes: true,
  },
  listProjectPeople: {
    ...plainGet,
    path: '/v1/projects/:project_id/people',
    summary: 'List the members of a project with names',
    role: 'viewer',
    reply: list('members', app.ProjectMember),
  },
  listAssignees: {
    ...plainGet,
    path: '/v1/projects/:project_id/assignees',
    summary: 'List the people who can be assigned in a project, with names; guests see only its members',
    role: 'viewer',
    reply: list('people', app.Person),
  },
  setProjectMember: {
    ...put,
    path: '/v1/projects/:project_id/people/:user_id',
    summary: 'Add a member of the account to a project, or change their role',
    role: 'lead',
    ...ofProjects,
    body: object({ project_role: oneOf(sets.PROJECT_ROLES) }),
    reply: app.Done,
    writes: true,
  },
  removeProjectMember: {
    ...remove,
    path: '/v1/projects/:project_id/people/:user_id',
    summary: 'Remove a member from a project',
    role: 'lead',
    ...ofProjects,
    reply: app.Done,
    writes: true,
  },
  listUgsTokens: {
    ...plainGet,
    path: '/v1/projects/:project_id/ugs_tokens',
    summary: 'List Unreal Game Sync tokens, newest first',
    role: 'lead',
    ...ofTokens,
    reply: list('ugs_tokens', app.UgsToken),
  },
  createUgsToken: {
    ...post,
    path: '/v1/projects/:project_id/ugs_tokens',
    summary: 'Create an Unreal Game Sync token; returns its value once',
    role: 'lead',
    ...ofTokens,
    body: object({ name }),
    reply: object({ ...app.UgsToken.properties, token: Type.String() }),
    created: 201,
    writes: true,
  },
  revokeUgsToken: {
    ...remove,
    path: '/v1/projects/:project_id/ugs_tokens/:id',
    summary: 'Revoke an Unreal Game Sync token immediately',
    role: 'lead',
    ...ofTokens,
    reply: app.Done,
  },
} as const
