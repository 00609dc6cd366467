import type { ApprovalRule } from './routes/approval-rules.ts'
import { APPROVED_TYPES } from './sets.ts'

/** Matches every asset version. */
export const EVERY_VERSION: ApprovalRule = { path: '', asset_types: [], branch: '', author: '' }
/** The rules of projects without a choice. */
export const DEFAULT_RULES: readonly ApprovalRule[] = [{ ...EVERY_VERSION, asset_types: [...APPROVED_TYPES] }]
