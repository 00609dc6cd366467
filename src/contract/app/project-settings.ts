import { Type } from 'typebox'
import { flag, list, name, nullable, object, oneOf, partial } from '../fields.ts'
import { APPROVAL_RULES_MAX, ENGINE_MAX } from '../limits.ts'
import { patch, plainGet, post, put, remove } from '../routes/route.ts'
import * as sets from '../sets.ts'
import * as app from './shapes.ts'

/** Creating a project, and its settings; a part of the table in `routes.ts`. */

const ofTokens = { scope: 'admin:tokens' } as const
const ofProjects = { scope: 'admin:projects' } as const
const approvalRules = Type.Array(app.ApprovalRule, { maxItems: APPROVAL_RULES_MAX })

export const projectSettingsRoutes = {
  createProject: {
    ...post,
    path: '/v1/accounts/:account_id/projects',
    summary: 'Make a project; its maker leads it',
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
    summary: 'What a project is set to',
    role: 'viewer',
    ...ofProjects,
    reply: app.ProjectSettings,
  },
  editProject: {
    ...patch,
    path: '/v1/projects/:project_id/settings',
    summary: 'Rename, pause, archive, or choose what needs an approval, what a branch must pass and what is investigated',
    role: 'lead',
    ...ofProjects,
    body: partial({
      name,
      engine: Type.String({ maxLength: ENGINE_MAX }),
      status: oneOf(sets.PROJECT_STATUSES),
      approval_rules: nullable(approvalRules),
      /** The older form with types only: becomes one rule. */
      approval_types: nullable(Type.Array(oneOf(sets.ASSET_TYPES), { maxItems: 20 })),
      required_jobs: Type.Array(app.RequiredJobs, { maxItems: 100 }),
      badge: flag,
      investigates_failures: nullable(flag),
    }),
    reply: app.ProjectSettings,
    writes: true,
  },
  previewApprovalRules: {
    ...post,
    path: '/v1/projects/:project_id/approval_rules/preview',
    summary: 'What approval rules would have asked for in the last 30 days; nothing is kept',
    role: 'lead',
    ...ofProjects,
    body: object({ approval_rules: nullable(approvalRules) }),
    reply: app.ApprovalPreview,
    unaudited: true,
  },
  listProjectPeople: {
    ...plainGet,
    path: '/v1/projects/:project_id/people',
    summary: 'The members of a project by name',
    role: 'viewer',
    reply: list('members', app.ProjectMember),
  },
  listAssignees: {
    ...plainGet,
    path: '/v1/projects/:project_id/assignees',
    summary: 'Who sees a project and can be given something in it, by name; a guest learns of those who are listed on it',
    role: 'viewer',
    reply: list('people', app.Person),
  },
  setProjectMember: {
    ...put,
    path: '/v1/projects/:project_id/people/:user_id',
    summary: 'Put somebody of the account on a project, or change what they may do in it',
    role: 'lead',
    ...ofProjects,
    body: object({ project_role: oneOf(sets.PROJECT_ROLES) }),
    reply: app.Done,
    writes: true,
  },
  removeProjectMember: {
    ...remove,
    path: '/v1/projects/:project_id/people/:user_id',
    summary: 'Take somebody off a project',
    role: 'lead',
    ...ofProjects,
    reply: app.Done,
    writes: true,
  },
  listUgsTokens: {
    ...plainGet,
    path: '/v1/projects/:project_id/ugs_tokens',
    summary: 'Tokens for Unreal Game Sync, newest first',
    role: 'lead',
    ...ofTokens,
    reply: list('ugs_tokens', app.UgsToken),
  },
  createUgsToken: {
    ...post,
    path: '/v1/projects/:project_id/ugs_tokens',
    summary: 'Make a token for Unreal Game Sync; its value is answered once',
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
    summary: 'Make a token for Unreal Game Sync invalid at once',
    role: 'lead',
    ...ofTokens,
    reply: app.Done,
  },
} as const
