import type { CorrectionInput } from '../../../contract/bodies.ts'
import type { Correction } from '../../../contract/health-shapes.ts'
import { CORRECT_CATEGORIES } from '../../../contract/sets.ts'

interface Draft {
  line: string
  category: string
  cause: string
}

/** The body of a request: only what the form holds, so that the rest of the finding stays. */
export function correctionOf({ line, category, cause }: Draft): CorrectionInput {
  const chosen = CORRECT_CATEGORIES.find((each) => each === category)
  return {
    ...(/^[1-9]\d{0,8}$/.test(line.trim()) && { line: Number(line) }),
    ...(chosen && { category: chosen }),
    ...(cause.trim() !== '' && { cause: cause.trim() }),
  }
}

/** The cleared changes of a build with one more. A correction of another build keeps its own. */
export const givenBy = (correction: Correction | undefined, buildId: string, changeId: number): number[] => [
  ...new Set([...(correction?.build_run_id === buildId ? correction.cleared_change_ids : []), changeId]),
]
