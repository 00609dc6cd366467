import type { FailureCategory } from '../../contract/sets.ts'
import type { Finding } from '../finding.ts'
import { inWorkspace } from '../stages/workspace.ts'
import { isAttributable } from './kinds.ts'
import { canonical } from './names.ts'
import { type Strength, strengthIn } from './proof.ts'
import type { Hit, Score } from './score.ts'
import { WEIGHTS } from './weights.ts'
import { isCompound, wordToShow } from './words.ts'

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
  const suspects = withoutRepeats(mostSuspectFirst)
  const first = suspects[0]
  if (!first) return null
  const { author } = first.candidate
  // Each author counts with their most suspicious change: many harmless changes add nothing.
  const others = suspects.filter(({ candidate }) => candidate.author !== author)
  if (others.length === 0) return first.able >= WEIGHTS.ableToCause ? author : null
  const rivals = headerRivals(first, others, finding)
  if (rivals.length > 0)
    return onlyOne(rivals.filter((rival) => saysSymbol(rival, finding)).map(({ candidate }) => candidate.author))
  const strength = strengthIn(finding, suspects)
  const lead = first.score / others[0]!.score
  if (lead >= neededLead(strength(first))) return author
  const isOnlyProof = () => strength(first) === 'proof' && others.every((other) => strength(other) === 'none')
  return lead >= WEIGHTS.leadOnOnlyProof && isOnlyProof() ? author : null
}

const onlyOne = (authors: readonly string[]): string | null => (new Set(authors).size === 1 ? authors[0]! : null)

const HEADER = /\.(?:h|hh|hpp|hxx|inl|ush|hlsli)$/i

/**
 * Changes of headers that the error names besides the file it is in: whoever edited that file may only use what another change broke. The
 * file of the error itself and headers that its author changed too are no rivals.
 */
function headerRivals(first: Score, others: readonly Score[], { category, file_path }: Finding): Score[] {
  if (category !== 'compile_error' && category !== 'link_error') return []
  const own = new Set(first.candidate.files.map(({ path }) => path))
  const isRival = ({ fit, file }: Hit) =>
    fit.clue.where === 'evidence' &&
    (fit.how === 'class' || fit.how === 'path') &&
    HEADER.test(file.path) &&
    !own.has(file.path) &&
    inWorkspace(fit.clue.text) !== file_path
  return others.filter(({ hits }) => hits.some(isRival))
}

/** Its description has a name from the message. */
const saysSymbol = ({ words }: Score, { clues }: Finding) =>
  words.some(
    ({ word, inSubject }) =>
      inSubject && isCompound(word) && clues.symbols.some((symbol) => canonical(symbol).includes(wordToShow(word))),
  )

const MERGE =
  /^Merge (?:pull request|branch|remote|commit|tag|changes|from)\b|^Merging? \/\/|^(?:Auto-?)?[Mm]erged? \S+ (?:to|into) /

/** Without merges of what other changes in the list did: who merges repeats their files and is no second author of them. */
function withoutRepeats(scores: readonly Score[]): readonly Score[] {
  const merges = scores.filter(({ candidate }) => MERGE.test(candidate.subject))
  if (merges.length === 0 || merges.length === scores.length) return scores
  const changed = new Set(
    scores.flatMap(({ candidate }) => (MERGE.test(candidate.subject) ? [] : candidate.files.map(({ path }) => path))),
  )
  const isRepeat = ({ candidate: { subject, files } }: Score) =>
    MERGE.test(subject) && files.length > 0 && files.every(({ path }) => changed.has(path))
  return scores.filter((score) => !isRepeat(score))
}

/** Compilers and linters do not need the network, whatever words are in the code they quote. */
const mayBeTheMachine = ({ category, evidence }: Finding): boolean =>
  USING_MACHINES.has(category) && evidence.some(({ text }) => MACHINE.test(text.slice(0, LONGEST_MESSAGE)))

/** The required lead over others: small with proof, large with a hint, and without either none is enough. */
function neededLead(strength: Strength): number {
  if (strength === 'none') return Number.POSITIVE_INFINITY
  return strength === 'proof' ? WEIGHTS.leadOnProof : WEIGHTS.leadOnHint
}
