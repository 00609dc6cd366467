import type { Database } from '../../db/database.ts'
import { type Finding, isTouched, type OnBranch } from './evidence.ts'
import type { Occurrence } from './judge.ts'

/** A breakage flickers after two reopenings within this time without a change to its files. */
const WITHIN_MS = 7 * 86_400_000
/** How many of the newest reopenings are read. */
const PAIRS_MAX = 5

const openedAt = ({ failures }: Occurrence) => Math.min(...failures.map(({ began_at }) => began_at))

/** Whether it reopened twice within a week although no change touched the files of the failure. */
export async function flickers(
  db: Database,
  breakage: OnBranch,
  finding: Finding | undefined,
  found: readonly Occurrence[],
): Promise<boolean> {
  const reopened = found.slice(1)
  const pairs = reopened.slice(1).map((second, at) => [reopened[at]!, second] as const)
  for (const [first, second] of pairs.slice(-PAIRS_MAX)) {
    if (openedAt(second) - openedAt(first) > WITHIN_MS) continue
    if (first.firstBad === null || second.firstBad === null || !finding?.category) continue
    const shown = { category: finding.category, evidence: finding.evidence }
    const above = Math.min(first.lastGood ?? first.firstBad, first.firstBad)
    if (!(await isTouched(db, breakage, shown, above, second.firstBad))) return true
  }
  return false
}
