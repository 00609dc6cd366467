import type { Finding } from '../finding.ts'
import { branchAround, type Log, linesAt } from '../log.ts'
import type { Verdict } from './classify.ts'
import { signatureOf } from './masks.ts'
import { homeOf, type Ranked } from './rank.ts'
import type { Segments } from './segment.ts'

/** A rule this specific is right wherever it matches. */
const SPECIFIC = 72

/** The part of the log that failed by itself: a parallel branch, or a step that reported its failure. */
const partOf = (log: Log, { sections }: Segments, index: number): number | null => {
  const home = homeOf(sections, index)
  if (log.branches.length > 0) return branchAround(log, index)[0]
  return home?.ended === 'failed' ? home.start : null
}

/**
 * The line of a second failure that does not follow from the first: another branch or another step failed for a reason of its own. Null if
 * there is none; within one step a second error is usually a consequence.
 */
export function separateFailure(
  log: Log,
  segments: Segments,
  ranked: readonly Ranked[],
  { lead, confidence }: Verdict,
): number | null {
  if (lead === null || confidence === 'low') return null
  const first = partOf(log, segments, lead)
  if (first === null) return null
  const message = signatureOf(log.text[lead]!)
  const second = ranked.find(({ lead: { rule, index } }) => {
    if (rule.role !== 'root' || rule.score < SPECIFIC || signatureOf(log.text[index]!) === message) return false
    const part = partOf(log, segments, index)
    return part !== null && part !== first
  })
  return second?.lead.index ?? null
}

const SHOWN_MAX = 300

/** The finding with the line of the second failure, in words and as its last evidence. */
export function withSeparate<Found extends Pick<Finding, 'diagnosis' | 'evidence'>>(
  found: Found,
  log: Log,
  index: number,
): Found {
  const [line] = linesAt(log, index)
  if (line === undefined || found.evidence.some((each) => each.line === line)) return found
  const text = log.shown[line - 1]!
  return {
    ...found,
    diagnosis: `${found.diagnosis} A separate failure is in line ${line}: ${log.text[index]!.trim().slice(0, SHOWN_MAX)}`,
    evidence: [...found.evidence, { line, text }],
  }
}
