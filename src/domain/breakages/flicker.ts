import type { Database } from '../../db/database.ts'
import { isUnlikely } from '../tests/flaky.ts'
import { type Finding, isTouched, type OnBranch } from './evidence.ts'
import type { BuildPosition, Hit, Occurrence } from './judge.ts'

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

const isCounted = ({ bisect }: BuildPosition) => !bisect

/**
 * The newest occurrence if it is a regression although the breakage flickers: its failures at different changes are too many in a row for the
 * rate at which it failed before. Without the failures at changes that passed too.
 */
export function regressionOf(hits: readonly Hit[], found: readonly Occurrence[]): Occurrence | undefined {
  const newest = found.at(-1)!
  const passes = hits.flatMap((hit) => hit.passes.filter(isCounted)).flatMap(({ position }) => position ?? [])
  const inARow = newest.failures.filter(({ position, bisect }) => !bisect && position !== null && !passes.includes(position))
  const positions = new Set(inARow.map(({ position }) => position!))
  const firstBad = Math.min(...positions)
  const failures = hits.flatMap((hit) => hit.failures.filter(isCounted)).length - inARow.length
  const below = passes.filter((position) => position < firstBad)
  if (below.length === 0 || !isUnlikely(positions.size, { failures, runs: failures + below.length })) return undefined
  return { ...newest, flaky: false, firstBad, lastGood: Math.max(...below) }
}
