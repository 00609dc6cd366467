import type { SuspectReason } from '../../contract/sets.ts'
import { isMissed, verbFor } from './actions.ts'
import { fileKind } from './kinds.ts'
import type { Hit, Score } from './score.ts'
import { WEIGHTS } from './weights.ts'
import { isCompound, wordToShow } from './words.ts'

const MOST_HITS = 3
const MOST_WORDS = 4
const LONGEST_NAME = 80
const WORTH_SAYING = 0.05

/** One piece of evidence: a code to compare, and a sentence whose subject is the change. */
export interface Reason {
  code: SuspectReason
  text: string
}

/** Why a change is a suspect, or why not. */
export function reasonsFor({ hits, words, cause, able, modest }: Score): Reason[] {
  const said = new Set<string>()
  const reasons: Reason[] = []
  for (const hit of hits) {
    if (reasons.length === MOST_HITS || hit.worth < WORTH_SAYING) break
    if (said.has(hit.file.path)) continue
    said.add(hit.file.path)
    reasons.push(reasonOf(hit))
  }
  if (cause && !said.has(cause.path)) {
    reasons.push(
      fileKind(cause.path) === 'manifest'
        ? { code: 'declares_dependencies', text: `changes ${cause.path}, where dependencies and modules are declared` }
        : { code: 'controls_build', text: `changes ${cause.path}, which controls the build` },
    )
  }
  const shared = words
    .filter(({ worth, inSubject }) => worth >= WORTH_SAYING && (inSubject || reasons.length === 0))
    .slice(0, MOST_WORDS)
  const compounds = shared.filter(({ word }) => isCompound(word)).map(({ word }) => wordToShow(word))
  const shown = shared
    .map(({ word }) => wordToShow(word))
    .filter((word) => !compounds.some((whole) => whole !== word && whole.includes(word)))
  if (shown.length > 0)
    reasons.push({ code: 'words_shared', text: `mentions ${shown.map((word) => `“${word}”`).join(', ')} as the error does` })
  if (modest) reasons.push({ code: 'is_documentation', text: 'is described as documentation' })
  if (able < WEIGHTS.ableToCause)
    reasons.push({ code: 'no_capable_files', text: 'has no file types that can cause this failure' })
  return reasons
}

function reasonOf({ fit, file }: Hit): Reason {
  const { clue, how } = fit
  const done = `${verbFor(file)} ${file.path}`
  const name = clue.text.length > LONGEST_NAME ? `…${clue.text.slice(1 - LONGEST_NAME)}` : clue.text
  const line = `on line ${clue.line}`
  if (isMissed(fit, file)) return { code: 'file_missing', text: `${done}, which is missing ${line}` }
  if (how === 'path') return { code: 'file_named', text: `${done}, named ${line}` }
  if (how === 'class') return { code: 'file_contains', text: `${done}, which contains ${name} ${line}` }
  if (how === 'stem') return { code: 'file_related', text: `${done}, related to ${name} ${line}` }
  return { code: 'folder_named', text: `${done}, in a folder named ${line}` }
}
