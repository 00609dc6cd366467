/** Reasons that speak against a change, in the words of the diagnosis. `named_suspect` in the schema compares with these sentences. */
export const AGAINST = {
  modest: 'is described as documentation',
  unable: 'has no file types that can cause this failure',
}
const AGAINST_IT: readonly string[] = Object.values(AGAINST)

/** The score from which a reason counts by itself: see `named_suspect` in the database. */
export const EVIDENT = 0.25

/**
 * The changes that may be called suspects: with evidence, or the only change there is, by the bar for naming a person. Others are candidates.
 */
export const shownSuspects = <S extends { score: number; reasons: readonly string[] }>(candidates: readonly S[]): S[] =>
  candidates.filter(
    ({ score, reasons: [reason] }) =>
      reason !== undefined && !AGAINST_IT.includes(reason) && (score >= EVIDENT || candidates.length === 1),
  )
