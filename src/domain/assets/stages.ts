import { insufficientStageRole, invalidParameter } from '../../contract/errors.ts'
import { mayDecide } from '../../contract/routes/approval-defaults.ts'
import type { ApprovalStage } from '../../contract/routes/approval-rules.ts'
import type { Decision, ProjectRole } from '../../contract/sets.ts'

/** Who decides. */
export interface Decider {
  user_id: number
  project_role: ProjectRole | null
}

/** Somebody's approval of a stage. */
export interface SignOff {
  user_id: number
  comments: string
  decided_at: string
}

/** The newest record of an asset, as far as its stages matter. */
export interface Staged {
  stages: ApprovalStage[] | null
  stage_number: number
  approval_stage: string
  sign_offs: SignOff[]
}

/** What a decision makes of a record. */
export interface Outcome {
  status: Decision | 'pending'
  /** The approvals of others that stay. */
  sign_offs: SignOff[]
  /** Whether the decider's approval is added to them. */
  signs: boolean
  /** The name of the next stage. */
  next: string | null
}

/**
 * What a decision does: a denial ends the review, as does ignoring. An approval counts once per person; with enough of them the stage is
 * approved, and the next one is requested. A rule without stages has one stage with one approval.
 */
export function outcomeOf({ stages, stage_number, approval_stage, sign_offs }: Staged, by: Decider, status: Decision): Outcome {
  const stage = stages?.[stage_number]
  if (!stages || !stage) return { status, sign_offs, signs: false, next: null }
  if (!mayDecide(stage, by)) throw insufficientStageRole(stage.project_role, stage.name || approval_stage)
  if (status !== 'approved') return { status, sign_offs, signs: false, next: null }
  const others = sign_offs.filter(({ user_id }) => user_id !== by.user_id)
  const isEnough = others.length + 1 >= stage.approvals
  return {
    status: isEnough ? 'approved' : 'pending',
    sign_offs: others,
    signs: true,
    next: isEnough ? (stages[stage_number + 1]?.name ?? null) : null,
  }
}

/** A stage that is given with a decision may be any text, but not another stage of the rule: they are decided in order. */
export function refuseOtherStage({ stages, stage_number }: Staged, given: string | undefined) {
  const now = stages?.[stage_number]?.name
  if (now === undefined || given === undefined || given === now) return
  if (stages!.some(({ name }) => name === given))
    throw invalidParameter('stage', `must be ${now}: the asset waits for this stage`)
}
