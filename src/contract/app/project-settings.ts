import { Type } from 'typebox'
import { flag, list, name, nullable, object, oneOf, partial } from '../fields.ts'
import { APPROVAL_RULES_MAX, ENGINE_MAX } from '../limits.ts'
import { plainGet } from '../routes/route.ts'
import * as sets from '../sets.ts'
import * as app from './shapes.ts'

/** Making a project, and what it is set to; a part of the table in `routes.ts`. */

const none = {}

const accountMember = { role: 'member', query: none } as const
const projectViewer = { role: 'viewer', query: none } as const
const projectLead = { role: 'lead', query: none } as const
const ofTokens = { scope: 'admin:tokens' } as const
const ofProjects = { scope: 'admin:projects' } as const
const approvalRules = Type.Array(app.ApprovalRule, { maxItems: APPROVAL_RULES_MAX })

export const projectSettingsRoutes = {
  createProject: {
    method: 'POST',
    path: '/v1/accounts/:account_id/projects',
    summary: 'Make a project; its maker leads it',
    ...accountMember,
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
    ...projectViewer,
    ...ofProjects,
    reply: app.ProjectSettings,
  },
  editProject: {
    method: 'PATCH',
    path: '/v1/projects/:project_id/settings',
    summary: 'Rename, pause, archive, or choose what needs an approval, what a branch must pass and what is investigated',
    ...projectLead,
    ...ofProjects,
    body: partial({
      name,
      engine: Type.String({ maxLength: ENGINE_MAX }),
      status: oneOf(sets.PROJECT_STATUSES),
      approval_rules: nullable(approvalRules),
      /** From before rules had more than types: becomes one rule. */
      approval_types: nullable(Type.Array(oneOf(sets.ASSET_TYPES), { maxItems: 20 })),
      required_jobs: Type.Array(app.RequiredJobs, { maxItems: 100 }),
      badge: flag,
      investigates_failures: nullable(flag),
    }),
    reply: app.ProjectSettings,
    writes: true,
  },
  previewApprovalRules: {
    method: 'POST',
    path: '/v1/projects/:project_id/approval_rules/preview',
    summary: 'What approval rules would have asked for in the last 30 days; nothing is kept',
    ...projectLead,
    ...ofProjects,
    body: object({ approval_rules: nullable(approvalRules) }),
    reply: app.ApprovalPreview,
    unaudited: true,
  },
  listProjectPeople: {
    ...plainGet,
    path: '/v1/projects/:project_id/people',
    summary: 'The members of a project by name',
    ...projectViewer,
    reply: list('members', app.ProjectMember),
  },
  listAssignees: {
    ...plainGet,
    path: '/v1/projects/:project_id/assignees',
    summary: 'Who sees a project and can be given something in it, by name; a guest learns of those who are listed on it',
    ...projectViewer,
    reply: list('people', app.Person),
  },
  setProjectMember: {
    method: 'PUT',
    path: '/v1/projects/:project_id/people/:user_id',
    summary: 'Put somebody of the account on a project, or change what they may do in it',
    ...projectLead,
    ...ofProjects,
    body: object({ project_role: oneOf(sets.PROJECT_ROLES) }),
    reply: app.Done,
    writes: true,
  },
  removeProjectMember: {
    method: 'DELETE',
    path: '/v1/projects/:project_id/people/:user_id',
    summary: 'Take somebody off a project',
    ...projectLead,
    ...ofProjects,
    reply: app.Done,
    writes: true,
  },
  listUgsTokens: {
    ...plainGet,
    path: '/v1/projects/:project_id/ugs_tokens',
    summary: 'Tokens for Unreal Game Sync, newest first',
    ...projectLead,
    ...ofTokens,
    reply: list('ugs_tokens', app.UgsToken),
  },
  createUgsToken: {
    method: 'POST',
    path: '/v1/projects/:project_id/ugs_tokens',
    summary: 'Make a token for Unreal Game Sync; its value is answered once',
    ...projectLead,
    ...ofTokens,
    body: object({ name }),
    reply: object({ ...app.UgsToken.properties, token: Type.String() }),
    created: 201,
    writes: true,
  },
  revokeUgsToken: {
    method: 'DELETE',
    path: '/v1/projects/:project_id/ugs_tokens/:id',
    summary: 'Make a token for Unreal Game Sync invalid at once',
    ...projectLead,
    ...ofTokens,
    reply: app.Done,
  },
} as const
