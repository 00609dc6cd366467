import type { ChangedFile, Finding } from '../finding.ts'
import { inWorkspace } from '../stages/workspace.ts'
import { isMissed, isNew } from './actions.ts'
import { fileKind, pointsAtPlaces } from './kinds.ts'
import type { Fit } from './match.ts'
import { canonical, segmentsOf } from './names.ts'
import type { Hit, Score } from './score.ts'
import { WEIGHTS } from './weights.ts'
import { sequenceOf } from './words.ts'

/** How strongly a failure points at a change. */
export type Strength = 'proof' | 'hint' | 'none'

export function strengthIn(finding: Finding, scores: readonly Score[]): (score: Score) => Strength {
  const isAmbiguous = ambiguousNames(scores)
  return (score) => (isProof(score, finding, isAmbiguous) ? 'proof' : isHint(score, finding) ? 'hint' : 'none')
}

/** Whether changed files in several folders have the name of this one: a name without its folder may mean any of them. */
const ambiguousNames = (scores: readonly Score[]) => (path: string) => {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  const isOther = (other: string) => other !== path && other.endsWith(base) && /^$|[/\\]$/.test(other.slice(0, -base.length))
  return scores.some(({ candidate }) => candidate.files.some((file) => isOther(file.path)))
}

/** The file of a package that the engine names by its whole path: `/Game/Maps/Arena` is `Content/Maps/Arena.umap`. */
const isPackage = ({ clue: { kind, segments } }: Fit, { path }: ChangedFile): boolean => {
  if (kind !== 'class' || segments[0] !== 'content' || !/\.(?:uasset|umap)$/i.test(path)) return false
  const own = segmentsOf(path.slice(0, path.lastIndexOf('.'))).map(canonical)
  return own.slice(-segments.length).join('/') === segments.join('/')
}

function isProof(score: Score, finding: Finding, isAmbiguous: (path: string) => boolean): boolean {
  const { hits, words, cause } = score
  if (cause || words.some(({ worth, inSubject }) => inSubject && worth >= WEIGHTS.rareWord)) return true
  if (quotesName(score, finding)) return true
  const inEvidence = hits.filter(({ fit }) => fit.clue.where === 'evidence')
  if (inEvidence.some(({ fit, file }) => isMissed(fit, file))) return true
  const onTheSpot = inEvidence.filter(
    ({ fit, file }) => isPackage(fit, file) || (fit.how === 'path' && isSameFile(fit, file, finding, isAmbiguous)),
  )
  if (pointsAtPlaces(finding.category)) return onTheSpot.length > 0
  // A failing test may have any cause, whoever edited it last: the code must match as well, or the test must be new.
  return matchesTestAndCode(inEvidence) || onTheSpot.some(({ file }) => isNew(file))
}

const isSameFile = (
  { clue, strength }: Fit,
  { path }: ChangedFile,
  { file_path }: Finding,
  isAmbiguous: (path: string) => boolean,
) => strength >= WEIGHTS.samePath || (inWorkspace(clue.text) === file_path && strength >= WEIGHTS.sameBase && !isAmbiguous(path))

/** Two names of the evidence, one of them of code. That a test is named after some code is no second name. */
function matchesTestAndCode(hits: readonly Hit[]): boolean {
  const matching = hits.filter(({ fit }) => fit.how !== 'folder')
  const isCode = ({ fit, file }: Hit) =>
    fileKind(file.path) !== 'test' && !(fit.how === 'stem' && fileKind(fit.clue.text) === 'test')
  const code = new Set(matching.filter(isCode).map(({ file }) => file.path))
  return code.size > 1 || (code.size > 0 && matching.some(({ file }) => fileKind(file.path) === 'test'))
}

const PHRASE = 3

/** Its description has three words of a failing test or an identifier, in their order. */
function quotesName({ candidate }: Score, { clues }: Finding): boolean {
  const said = sequenceOf(candidate.subject)
  const names = [...clues.symbols, ...clues.tests].map((name) => ` ${sequenceOf(name).join(' ')} `)
  return said.some((_, at) => {
    const phrase = said.slice(at, at + PHRASE)
    return phrase.length === PHRASE && names.some((name) => name.includes(` ${phrase.join(' ')} `))
  })
}

/** A failing test has the name of the changed code. A stack frame means less: all tests pass through some code. */
const isHint = ({ hits }: Score, { category }: Finding): boolean =>
  !pointsAtPlaces(category) &&
  hits.some(
    ({ fit: { how, clue }, file }) =>
      clue.where === 'evidence' && (how === 'class' || how === 'stem') && fileKind(file.path) === 'code',
  )
