import { APPROVED_TYPES, type ProjectRole, suffices } from '../sets.ts'
import type { ApprovalRule, ApprovalStage } from './approval-rules.ts'

/** Matches every asset version. */
export const EVERY_VERSION: ApprovalRule = { path: '', asset_types: [], branch: '', author: '' }
/** The rules of projects without a choice. */
export const DEFAULT_RULES: readonly ApprovalRule[] = [{ ...EVERY_VERSION, asset_types: [...APPROVED_TYPES] }]
/** The name of the only stage of a rule without stages. */
export const ONLY_STAGE = 'review'

/** A stage is decided by its role, by the people it names, and by leads. */
export const mayDecide = (
  { project_role, user_ids }: ApprovalStage,
  by: { user_id: number; project_role: ProjectRole | null },
): boolean => suffices(by.project_role, project_role) || user_ids.includes(by.user_id)
