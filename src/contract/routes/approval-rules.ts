import { type Static, Type } from 'typebox'
import { flag, integer, nullable, object, oneOf, own, shortId, text } from '../fields.ts'
import {
  APPROVAL_RULES_MAX,
  APPROVAL_STAGES_MAX,
  PATTERN_MAX,
  STAGE_APPROVALS_MAX,
  STAGE_MAX,
  STAGE_PEOPLE_MAX,
} from '../limits.ts'
import * as sets from '../sets.ts'
import { post, put } from './route.ts'

/** One of the stages that an asset passes in order. Leads of the project can decide every stage. */
export const ApprovalStage = object({
  name: own(Type.String({ minLength: 1, maxLength: STAGE_MAX, pattern: '\\S' })),
  /** The role that decides it. */
  project_role: oneOf(sets.DECIDING_ROLES),
  /** Further people who decide it; they need the role approver too. */
  user_ids: Type.Array(shortId, { maxItems: STAGE_PEOPLE_MAX }),
  /** How many people must approve. */
  approvals: Type.Integer({ minimum: 1, maximum: STAGE_APPROVALS_MAX }),
})
export type ApprovalStage = Static<typeof ApprovalStage>

/** Which asset versions need approval, and whose. An empty field matches everything; a star in a pattern matches any text. */
export const ApprovalRule = object({
  path: own(Type.String({ maxLength: PATTERN_MAX })),
  asset_types: Type.Array(oneOf(sets.ASSET_TYPES), { maxItems: sets.ASSET_TYPES.length }),
  branch: own(Type.String({ maxLength: PATTERN_MAX })),
  author: Type.String({ maxLength: PATTERN_MAX }),
  /** In bytes. A file of unknown size does not match. */
  larger_than: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  /** Roles in the account. An author who is no member does not match. */
  author_roles: Type.Optional(Type.Array(oneOf(sets.ACCOUNT_ROLES), { maxItems: sets.ACCOUNT_ROLES.length })),
  /** Without any, one approver decides the stage `review`. */
  stages: Type.Optional(Type.Array(ApprovalStage, { maxItems: APPROVAL_STAGES_MAX })),
  /** Whether passed builds of the change wait until its assets are decided. Absent: they wait. */
  gate: Type.Optional(flag),
})
export type ApprovalRule = Static<typeof ApprovalRule>

/** Null is the default rule, which covers art; an empty list asks for nothing. */
export const ApprovalRules = object({
  approval_rules: nullable(Type.Array(ApprovalRule, { maxItems: APPROVAL_RULES_MAX })),
})

const ApprovalPreview = object({
  days: integer,
  changes: integer,
  assets: integer,
  first: Type.Array(object({ path: text, change: object({ id: integer, display_identifier: text }) })),
  /** How many of the newest changes were read; not complete if there were more. */
  looked_at: integer,
  complete: flag,
  /** Matching files that a rule with a size leaves out because no tool reported theirs. */
  sizes_unknown: integer,
})

/** Editing the rules administers a project: no login grants the scope. */
export const approvalRuleRoutes = {
  setApprovalRules: {
    ...put,
    path: '/v1/projects/:project_id/approval_rules',
    scope: 'admin:projects',
    summary: 'Replace the approval rules of a project; null is the default rule, an empty list needs no approvals',
    role: 'lead',
    body: ApprovalRules,
    reply: ApprovalRules,
    writes: true,
  },
  previewApprovalRules: {
    ...post,
    path: '/v1/projects/:project_id/approval_rules/preview',
    scope: 'admin:projects',
    summary: 'Preview approval rules: files of the last 30 days that would need approval; saves nothing',
    role: 'lead',
    body: ApprovalRules,
    reply: ApprovalPreview,
    unaudited: true,
  },
} as const
