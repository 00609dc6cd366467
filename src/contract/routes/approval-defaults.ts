import { APPROVED_TYPES } from '../sets.ts'
import type { ApprovalRule } from './approval-rules.ts'

/** Matches every asset version. */
export const EVERY_VERSION: ApprovalRule = { path: '', asset_types: [], branch: '', author: '' }
/** The rules of projects without a choice. */
export const DEFAULT_RULES: readonly ApprovalRule[] = [{ ...EVERY_VERSION, asset_types: [...APPROVED_TYPES] }]
