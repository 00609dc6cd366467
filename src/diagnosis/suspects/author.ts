import type { FailureCategory } from '../../contract/sets.ts'
import type { Finding } from '../finding.ts'
import { inWorkspace } from '../stages/workspace.ts'
import { isMissed, isNew } from './actions.ts'
import { fileKind, isAttributable, pointsAtPlaces } from './kinds.ts'
import type { Score } from './score.ts'
import { WEIGHTS } from './weights.ts'

/** Machines and networks fail inside tests and package managers too: then no change is the cause. */
const MACHINE =
  /\btimed out|\btime-?out(?:error|exception| exceeded| expired| after| waiting| of )|connection (?:refused|reset|closed|timed)|could not (?:connect|resolve host)|couldn't (?:connect|establish)|unreachable|temporary failure|no space left|out of memory|cannot allocate memory|bad gateway|service unavailable/i

/** The rest of a long line is data, such as a whole script on one line. */
const LONGEST_MESSAGE = 400

const USING_MACHINES: ReadonlySet<FailureCategory> = new Set([
  'test_failure',
  'crash',
  'dependency_resolution',
  'build_script_error',
  'build_system',
])

/** The author of the most suspicious change, or null unless there is proof and nobody else comes close. */
export function clearAuthor(finding: Finding, mostSuspectFirst: readonly Score[]): string | null {
  const { category, confidence } = finding
  // A guess about the cause is not enough to name anybody.
  if (confidence === 'low') return null
  if (!isAttributable(category) || category === 'unknown' || mayBeTheMachine(finding)) return null
  const first = mostSuspectFirst[0]
  if (!first) return null
  const { author } = first.candidate
  // Each author counts with their most suspicious change: many harmless changes add nothing.
  const next = mostSuspectFirst.find(({ candidate }) => candidate.author !== author)
  if (!next) return first.able >= WEIGHTS.ableToCause ? author : null
  return first.score >= next.score * neededLead(first, finding) ? author : null
}

/** Compilers and linters do not need the network, whatever words are in the code they quote. */
const mayBeTheMachine = ({ category, evidence }: Finding): boolean =>
  USING_MACHINES.has(category) && evidence.some(({ text }) => MACHINE.test(text.slice(0, LONGEST_MESSAGE)))

/** The required lead over others: small with proof, large with a hint, and without either none is enough. */
function neededLead(score: Score, finding: Finding): number {
  if (isProof(score, finding)) return WEIGHTS.leadOnProof
  return isHint(score, finding) ? WEIGHTS.leadOnHint : Number.POSITIVE_INFINITY
}

function isProof({ hits, words, named, cause }: Score, { category, file_path }: Finding): boolean {
  if (cause || words.some(({ worth, inSubject }) => inSubject && worth >= WEIGHTS.rareWord)) return true
  const inEvidence = hits.filter(({ fit }) => fit.clue.where === 'evidence')
  if (inEvidence.some(({ fit, file }) => isMissed(fit, file))) return true
  const onTheSpot = inEvidence.filter(
    ({ fit: { how, strength, clue } }) =>
      how === 'path' && strength >= (inWorkspace(clue.text) === file_path ? WEIGHTS.sameBase : WEIGHTS.samePath),
  )
  if (pointsAtPlaces(category)) return onTheSpot.length > 0
  // A failing test may have any cause, whoever edited it last: the code must match as well, or the test must be new.
  return named.size > 1 || onTheSpot.some(({ file }) => isNew(file))
}

/** A failing test has the name of the changed code. A stack frame means less: all tests pass through some code. */
const isHint = ({ hits }: Score, { category }: Finding): boolean =>
  !pointsAtPlaces(category) &&
  hits.some(
    ({ fit: { how, clue }, file }) =>
      clue.where === 'evidence' && (how === 'class' || how === 'stem') && fileKind(file.path) === 'code',
  )
