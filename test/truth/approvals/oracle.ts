import type { Decision, Reviewer, Step } from './world.ts'

/** What must be true of a review, from the rules alone: stages in order, each person once, and only about the version that was seen. */

export interface Review {
  version: number
  status: 'pending' | Decision
  /** Which stage waits. */
  stage: number
  /** Who has approved in this stage. */
  approvers: readonly Reviewer[]
  /** The last decision that can be taken back, and what was before it. */
  undoable: { by: Reviewer; before: Review } | null
}

interface Stage {
  name: string
  approvals: number
  roles: readonly Reviewer[]
}
const APPROVERS = ['lead', 'ann', 'ben'] as const
export const stagesOf = (file: string): readonly Stage[] =>
  file.startsWith('Staged/')
    ? [
        { name: 'look', approvals: 2, roles: APPROVERS },
        { name: 'tech', approvals: 1, roles: ['lead'] },
      ]
    : [{ name: 'review', approvals: 1, roles: APPROVERS }]

/** A new version starts again at the first stage. */
export const submitted = (before: Review | undefined): Review => ({
  version: (before?.version ?? 0) + 1,
  status: 'pending',
  stage: 0,
  approvers: [],
  undoable: null,
})

/** The review after a step, and the answer; null if the rules leave the answer open. */
export function after(
  review: Review,
  step: Extract<Step, { kind: 'decide' | 'undo' }>,
): { review: Review; answer: number } | null {
  if (step.by === 'guest') return { review, answer: 403 }
  const stages = stagesOf(step.file)
  if (step.kind === 'undo') {
    if (step.isLate || review.undoable?.by !== step.by) return { review, answer: 409 }
    return { review: { ...review.undoable.before, undoable: null }, answer: 200 }
  }
  const stage = stages[review.stage]!
  const isStale = step.seen !== null && Math.max(1, review.version - step.seen) < review.version
  const isAllowed = stage.roles.includes(step.by)
  if (isStale && isAllowed) return { review, answer: 412 }
  if (!isAllowed) return isStale || review.status !== 'pending' ? null : { review, answer: 403 }
  if (review.status !== 'pending') return null
  const decided = (more: Partial<Review>) => ({
    review: { ...review, ...more, undoable: { by: step.by, before: review } },
    answer: 200,
  })
  if (step.decision !== 'approved') return decided({ status: step.decision })
  if (review.approvers.includes(step.by)) return null
  const approvers = [...review.approvers, step.by]
  if (approvers.length < stage.approvals) return decided({ approvers })
  const isLast = review.stage === stages.length - 1
  return decided(isLast ? { status: 'approved', approvers } : { stage: review.stage + 1, approvers: [] })
}
