import { AGAINST } from '../../contract/labels/shown-suspects.ts'
import { isMissed, verbFor } from './actions.ts'
import { fileKind } from './kinds.ts'
import type { Hit, Score } from './score.ts'
import { WEIGHTS } from './weights.ts'
import { isCompound, wordToShow } from './words.ts'

const MOST_HITS = 3
const MOST_WORDS = 4
const LONGEST_NAME = 80
const WORTH_SAYING = 0.05

/** Why a change is a suspect, in sentences whose subject is the change. */
export function reasonsFor({ hits, words, cause, able, modest }: Score): string[] {
  const said = new Set<string>()
  const reasons: string[] = []
  for (const hit of hits) {
    if (reasons.length === MOST_HITS || hit.worth < WORTH_SAYING) break
    if (said.has(hit.file.path)) continue
    said.add(hit.file.path)
    reasons.push(reasonOf(hit))
  }
  if (cause && !said.has(cause.path)) {
    const what = fileKind(cause.path) === 'manifest' ? 'where dependencies and modules are declared' : 'which controls the build'
    reasons.push(`changes ${cause.path}, ${what}`)
  }
  const shared = words
    .filter(({ worth, inSubject }) => worth >= WORTH_SAYING && (inSubject || reasons.length === 0))
    .slice(0, MOST_WORDS)
  const compounds = shared.filter(({ word }) => isCompound(word)).map(({ word }) => wordToShow(word))
  const shown = shared
    .map(({ word }) => wordToShow(word))
    .filter((word) => !compounds.some((whole) => whole !== word && whole.includes(word)))
  if (shown.length > 0) reasons.push(`mentions ${shown.map((word) => `“${word}”`).join(', ')} as the error does`)
  if (modest) reasons.push(AGAINST.modest)
  if (able < WEIGHTS.ableToCause) reasons.push(AGAINST.unable)
  return reasons
}

function reasonOf({ fit, file }: Hit): string {
  const { clue, how } = fit
  const done = `${verbFor(file)} ${file.path}`
  const name = clue.text.length > LONGEST_NAME ? `…${clue.text.slice(1 - LONGEST_NAME)}` : clue.text
  if (isMissed(fit, file)) return `${done}, which is missing on line ${clue.line}`
  if (how === 'path') return `${done}, named on line ${clue.line}`
  if (how === 'class') return `${done}, which contains ${name} on line ${clue.line}`
  if (how === 'stem') return `${done}, related to ${name} on line ${clue.line}`
  return `${done}, in a folder named on line ${clue.line}`
}
