import type { FailureCategory } from '../../contract/sets.ts'
import type { Finding } from '../finding.ts'
import { inWorkspace } from '../stages/workspace.ts'
import { isMissed, isNew } from './actions.ts'
import { fileKind, isAttributable, pointsAtPlaces } from './kinds.ts'
import type { Score } from './score.ts'
import { WEIGHTS } from './weights.ts'

/** Machines and networks fail inside tests and package managers too: then nobody's change did it. */
const MACHINE =
  /\btimed out|\btime-?out(?:error|exception| exceeded| expired| after| waiting| of )|connection (?:refused|reset|closed|timed)|could not (?:connect|resolve host)|couldn't (?:connect|establish)|unreachable|temporary failure|no space left|out of memory|cannot allocate memory|bad gateway|service unavailable/i

/** What comes later in a line is data, such as a whole script on one line. */
const LONGEST_MESSAGE = 400

const USING_MACHINES: ReadonlySet<FailureCategory> = new Set([
  'test_failure',
  'crash',
  'dependency_resolution',
  'build_script_error',
  'build_system',
])

/** The author of the most suspect change, or null unless there is proof and nobody else comes close. */
export function clearAuthor(finding: Finding, mostSuspectFirst: readonly Score[]): string | null {
  const { category, confidence } = finding
  // A guess about the cause is no ground to name anybody.
  if (confidence === 'low') return null
  if (!isAttributable(category) || category === 'unknown' || mayBeTheMachine(finding)) return null
  const first = mostSuspectFirst[0]
  if (!first) return null
  const { author } = first.candidate
  // Each author stands for their most suspect change: many harmless changes make nobody guilty.
  const next = mostSuspectFirst.find(({ candidate }) => candidate.author !== author)
  if (!next) return first.able >= WEIGHTS.ableToCause ? author : null
  return first.score >= next.score * neededLead(first, finding) ? author : null
}

/** Compilers and linters do not need the network, whatever words stand in the code they quote. */
const mayBeTheMachine = ({ category, evidence }: Finding): boolean =>
  USING_MACHINES.has(category) && evidence.some(({ text }) => MACHINE.test(text.slice(0, LONGEST_MESSAGE)))

/** How many times as suspect as anybody else: hardly more on proof, much more on a hint, and without either no lead will do. */
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
  // A failing test may be anybody's doing, whoever edited it last: it takes the code as well, or a test that is new.
  return named.size > 1 || onTheSpot.some(({ file }) => isNew(file))
}

/** A test fails that is called like the code this changes. A frame of a stack says less: all tests pass through some code. */
const isHint = ({ hits }: Score, { category }: Finding): boolean =>
  !pointsAtPlaces(category) &&
  hits.some(
    ({ fit: { how, clue }, file }) =>
      clue.where === 'evidence' && (how === 'class' || how === 'stem') && fileKind(file.path) === 'code',
  )
