import type { FailureCategory } from '../../contract/sets.ts'
import type { Candidate, EvidenceLine, Finding } from '../finding.ts'
import { ability, fileKind } from './kinds.ts'
import { scoreAll } from './score.ts'
import { WEIGHTS } from './weights.ts'

/**
 * The changes that touch files of a failure: those named in its evidence, or related ones. Needs only the evidence lines, not the log.
 */
export function relatedChanges(
  { category, evidence }: { category: FailureCategory; evidence: readonly EvidenceLine[] },
  candidates: readonly Candidate[],
): Set<string> {
  const lines = evidence.map(({ text }) => text)
  const finding = bareFinding(
    category,
    lines.map((text, at) => ({ line: at + 1, text })),
  )
  // An image may have the name of a class, but no compiler reads it.
  const isAble = (path: string) => ability(fileKind(path), category) >= WEIGHTS.ableToCause
  const scores = scoreAll(finding, candidates, lines)
  return new Set(scores.flatMap(({ candidate, named }) => ([...named].some(isAble) ? [candidate.id] : [])))
}

/** A finding with only category and evidence. */
export const bareFinding = (category: FailureCategory, evidence: EvidenceLine[]): Finding => ({
  category,
  confidence: 'high',
  diagnosis: '',
  suggested_fix: '',
  evidence,
  file_path: null,
  line: null,
  fingerprint: '',
  cause_keys: [],
  joins_keys: [],
  clues: { rule: '', tool: '', message: '', files: [], symbols: [], tests: [] },
  steps: [],
})
