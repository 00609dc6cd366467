import type { FailureCategory } from '../../contract/sets.ts'
import type { Candidate, ChangedFile, Finding } from '../finding.ts'
import { isMissed } from './actions.ts'
import { type Clue, cluesIn, type Heart, specialWords } from './evidence.ts'
import { ability, causeOf, fileKind, saysDocumentation } from './kinds.ts'
import { ClueIndex, type Fit } from './match.ts'
import { Neighbourhood } from './neighbourhood.ts'
import { WEIGHTS } from './weights.ts'
import { isCompound, Words } from './words.ts'

/** A file of a change, the matching name of the log, and its value. */
export interface Hit {
  fit: Fit
  file: ChangedFile
  worth: number
}

export interface Score {
  candidate: Candidate
  score: number
  /** Most rarity first. */
  hits: Hit[]
  /** Words shared with the failure; `inSubject` marks those of the description, the others are in file names. */
  words: { word: string; worth: number; inSubject: boolean }[]
  /** The changed files in the evidence, and related ones. */
  named: ReadonlySet<string>
  /** The changed file of the kind that typically causes such failures. */
  cause: ChangedFile | undefined
  /** How likely its files can cause such a failure, 0 to 1. */
  able: number
  /** Its description says that it is about documentation. */
  modest: boolean
}

const MOST_HITS = 3
/** The file names of a sweeping change say nothing about its purpose. */
const MOST_NAMED_FILES = 30

export function scoreAll(finding: Finding, candidates: readonly Candidate[], log: readonly string[]): Score[] {
  const around = new Neighbourhood(finding)
  const index = new ClueIndex(cluesIn(log, around))
  const fitting = candidates.map((candidate) => fittingFiles(index, candidate))
  const hits = rarest(fitting.map(({ best }) => best))
  const words = sharedWords(candidates, log, { around, quoted: [...finding.clues.symbols, ...finding.clues.tests] })
  return candidates.map((candidate, at) => ({
    ...scoreOne(finding.category, candidate, hits[at]!, words[at]!),
    named: fitting[at]!.named,
  }))
}

function scoreOne(category: FailureCategory, candidate: Candidate, hits: Hit[], words: Score['words']): Omit<Score, 'named'> {
  const { ablest, capable, cause } = kindsOf(candidate.files, category)
  const onTheSpot = hits.some(
    ({ fit }) => fit.how === 'path' && fit.strength >= WEIGHTS.samePath && fit.clue.where === 'evidence',
  )
  const modest = category !== 'lint_or_doc' && saysDocumentation(candidate)
  const able = (onTheSpot ? 1 : ablest) * (modest ? WEIGHTS.documentation : 1)
  const path = 1 - hits.slice(0, MOST_HITS).reduce((miss, { worth }) => miss * (1 - worth), 1)
  const shared = words.reduce((sum, { worth }, order) => sum + worth / 4 ** order, 0)
  // Every further file is another possible cause, but says less about which.
  const risk = capable === 0 ? 0 : 0.3 + 0.7 * Math.log10(capable)
  const focus = 1 / (1 + Math.log10(Math.max(1, candidate.files.length)) / WEIGHTS.sweeping)
  const evidence = focus * (WEIGHTS.path * path + WEIGHTS.words * Math.min(1, shared)) + (cause ? WEIGHTS.cause : 0)
  return { candidate, score: able * (evidence + WEIGHTS.risk * risk), hits, words, cause, able, modest }
}

/** The possible effects of a change, by the kinds of its files; ten capable files are as good as more. */
function kindsOf(files: readonly ChangedFile[], category: FailureCategory) {
  const wanted = causeOf(category)
  let ablest = 0.1
  let capable = 0
  let cause: ChangedFile | undefined
  for (const file of files) {
    if (capable >= 10 && (cause || !wanted)) break
    const kind = fileKind(file.path)
    const able = ability(kind, category)
    ablest = Math.max(ablest, able)
    if (able > 0.5) capable++
    if (kind === wanted) cause ??= file
  }
  return { ablest, capable: Math.min(10, capable), cause }
}

/** The best file of a change for each matching name. */
function fittingFiles(index: ClueIndex, { files }: Candidate) {
  const best = new Map<Clue, Hit>()
  const named = new Set<string>()
  index.each(files, (fit, file) => {
    if (fit.how !== 'folder' && fit.clue.where === 'evidence') named.add(file.path)
    const worth = isMissed(fit, file) ? Math.min(1, fit.strength * WEIGHTS.gone) : fit.strength
    if (worth > (best.get(fit.clue)?.worth ?? 0)) best.set(fit.clue, { fit, file, worth })
  })
  return { best, named }
}

/** A name that matches many of the changes distinguishes them less. */
function rarest(all: Map<Clue, Hit>[]): Hit[][] {
  const fitting = new Map<Clue, number>()
  for (const hits of all) for (const [clue, { worth }] of hits) fitting.set(clue, (fitting.get(clue) ?? 0) + worth)
  return all.map((hits) =>
    [...hits.values()]
      .map((hit) => ({ ...hit, worth: hit.worth * hit.fit.clue.weight * rarity(fitting.get(hit.fit.clue)!, all.length) }))
      .sort((a, b) => b.worth - a.worth),
  )
}

/** 1 for what a single change has, towards 0 for what all of them have. */
const rarity = (having: number, all: number) => Math.log((all + 1) / Math.max(1, having)) / Math.log(all + 1)

const nameAndFolder = (path: string) =>
  path
    .split(/[/\\]/)
    .slice(-2)
    .join(' ')
    .replace(/\.\w+$/, '')

function sharedWords(candidates: readonly Candidate[], log: readonly string[], heart: Heart): Score['words'][] {
  const words = new Words()
  const own = candidates.map(({ subject, files }) => {
    const names = files.length > MOST_NAMED_FILES ? [] : files.map(({ path }) => nameAndFolder(path))
    const inSubject = new Set(words.of(subject))
    return new Map([...names.flatMap((name) => words.of(name)), ...inSubject].map((word) => [word, inSubject.has(word)]))
  })
  const using = new Map<string, number>()
  for (const each of own) for (const word of each.keys()) using.set(word, (using.get(word) ?? 0) + 1)
  const special = specialWords(log, heart, words, using)
  return own.map((each) =>
    [...each]
      .filter(([word]) => special.has(word))
      .map(([word, inSubject]) => ({
        word,
        inSubject,
        worth: special.get(word)! * rarity(using.get(word)!, candidates.length) * (isCompound(word) ? 1 : WEIGHTS.plainWord),
      }))
      .sort((a, b) => b.worth - a.worth),
  )
}
