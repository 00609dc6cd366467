import { numbers } from '../world.ts'

/** Random reviews: assets with two stages or one, new versions between two looks, decisions about what was seen, and second thoughts. */

export const REVIEWERS = ['lead', 'ann', 'ben', 'guest'] as const
export type Reviewer = (typeof REVIEWERS)[number]
export const DECISIONS = ['approved', 'denied', 'ignored'] as const
export type Decision = (typeof DECISIONS)[number]

export type Step =
  | { kind: 'submit'; files: string[] }
  /** `seen`: how many versions ago the page was opened; null: the client does not say. */
  | { kind: 'decide'; by: Reviewer; file: string; decision: Decision; seen: number | null }
  /** `isLate`: after more than ten seconds. */
  | { kind: 'undo'; by: Reviewer; file: string; isLate: boolean }

export function makeReviews(seed: number): Step[] {
  const { below, chance, of } = numbers(seed)
  const files = [0, 1, 2, 3].map((index) => `${index % 2 === 0 ? 'Staged' : 'Content'}/T_${seed}_${index}.png`)
  const steps: Step[] = [{ kind: 'submit', files }]
  for (let step = 25 + below(25); step > 0; step--) {
    const file = of(files)
    const draw = below(100)
    if (draw < 15) steps.push({ kind: 'submit', files: files.filter(() => chance(0.4)) })
    else {
      const by = of(REVIEWERS)
      const decision = chance(0.75) ? 'approved' : of(DECISIONS)
      steps.push({ kind: 'decide', by, file, decision, seen: chance(0.3) ? null : below(3) === 0 ? 1 : 0 })
      if (!chance(0.4)) continue
      steps.push({ kind: 'undo', by, file, isLate: chance(0.3) })
      // And on second thoughts the same: what others approved before still counts.
      if (chance(0.6)) steps.push({ kind: 'decide', by, file, decision, seen: 0 })
    }
  }
  return steps.filter((step) => step.kind !== 'submit' || step.files.length > 0)
}
