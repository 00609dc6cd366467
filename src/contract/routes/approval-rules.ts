import { type Static, Type } from 'typebox'
import { flag, integer, nullable, object, oneOf, own, text } from '../fields.ts'
import { APPROVAL_RULES_MAX, PATTERN_MAX } from '../limits.ts'
import * as sets from '../sets.ts'
import { post, put } from './route.ts'

/** Which asset versions need approval. An empty field matches everything; a star in a pattern matches any text. */
export const ApprovalRule = object({
  path: own(Type.String({ maxLength: PATTERN_MAX })),
  asset_types: Type.Array(oneOf(sets.ASSET_TYPES), { maxItems: sets.ASSET_TYPES.length }),
  branch: own(Type.String({ maxLength: PATTERN_MAX })),
  author: Type.String({ maxLength: PATTERN_MAX }),
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
