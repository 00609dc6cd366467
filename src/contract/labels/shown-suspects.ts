import type { SuspectReason } from '../sets.ts'

/** Reasons that speak against a change. `named_suspect` in the schema has the same list. */
export const AGAINST: readonly SuspectReason[] = ['is_documentation', 'no_capable_files']

/** The score from which a reason counts by itself: see `named_suspect` in the database. */
export const EVIDENT = 0.25

/**
 * The changes that may be called suspects: with evidence, or the only change there is, by the bar for naming a person. Others are candidates.
 */
export const shownSuspects = <S extends { score: number; reason_codes: readonly SuspectReason[] }>(
  candidates: readonly S[],
): S[] =>
  candidates.filter(
    ({ score, reason_codes: [code] }) =>
      code !== undefined && !AGAINST.includes(code) && (score >= EVIDENT || candidates.length === 1),
  )
