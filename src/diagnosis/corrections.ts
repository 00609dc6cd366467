import type { FailureCategory } from '../contract/sets.ts'
import type { Examination } from './examine.ts'
import type { Applied, Finding } from './finding.ts'
import { type Log, linesAt } from './log.ts'
import type { Verdict } from './stages/classify.ts'
import { signatureOf } from './stages/masks.ts'
import { familiarIn, type PassedLines } from './stages/passed.ts'

/** What a person corrected about the finding of a failed build. Null means that the finding was right about it. */
export interface Correction {
  id: number
  /** It was made on the build that is examined now, so it applies in any case. */
  own: boolean
  /** The number of the line that shows the cause, in the log of the corrected build. */
  line: number | null
  /** That line without what changes from run to run. */
  template: string | null
  /** The fingerprint that the engine found by itself. */
  fingerprint: string | null
  category: FailureCategory | null
  cause: string | null
}

const LETTERS = /\p{L}/gu
/** A line with fewer letters, such as "exit code 1", can belong to any failure. */
const LETTERS_MIN = 12

/** The template of a line, or null if the line is too general to recognize a failure by. */
const templateOf = (text: string): string | null => {
  const template = signatureOf(text)
  return (template.match(LETTERS)?.length ?? 0) < LETTERS_MIN ? null : template
}

const indexOfLine = (log: Log, line: number) => {
  const index = log.spans.findIndex((_, each) => linesAt(log, each).includes(line))
  return index < 0 ? null : index
}

/** The first line with this template that no passed log has. */
function indexOfTemplate(log: Log, template: string, isFamiliar: (index: number) => boolean): number | null {
  const index = log.text.findIndex((text, each) => signatureOf(text) === template && !isFamiliar(each))
  return index < 0 ? null : index
}

interface Choice {
  correction: Correction
  /** The corrected line; null if the engine's line was right. */
  index: number | null
}

/**
 * The build's own correction, else the newest one for the same line, else the newest one for the same finding. A finding with high confidence
 * that differs from the corrected one stays: a line that was the cause once can appear beside another cause.
 */
function choose(
  log: Log,
  { fingerprint, confidence }: Pick<Finding, 'fingerprint' | 'confidence'>,
  corrections: readonly Correction[],
  isFamiliar: (index: number) => boolean,
): Choice | null {
  const own = corrections.find((each) => each.own)
  if (own) return { correction: own, index: own.line === null ? null : indexOfLine(log, own.line) }
  for (const correction of corrections) {
    if (correction.template === null || (confidence === 'high' && correction.fingerprint !== fingerprint)) continue
    const index = indexOfTemplate(log, correction.template, isFamiliar)
    if (index !== null) return { correction, index }
  }
  const same = corrections.find((each) => each.line === null && each.fingerprint === fingerprint)
  return same ? { correction: same, index: null } : null
}

/** The verdict after a person's correction, or null if there is none for this failure. Corrections come newest first. */
export function correct(
  { log }: Examination,
  verdict: Verdict,
  found: Pick<Finding, 'fingerprint' | 'confidence'>,
  corrections: readonly Correction[],
  passed: PassedLines | undefined,
): { verdict: Verdict; applied: Applied; cause: string | null } | null {
  const choice = choose(log, found, corrections, familiarIn(log, passed))
  if (!choice) return null
  const { correction, index } = choice
  const isMoved = index !== null && index !== verdict.lead
  const lead = index ?? verdict.lead
  return {
    verdict: {
      ...(isMoved ? { ...verdict, hit: null, lead: index, lines: [index] } : verdict),
      category: correction.category ?? verdict.category,
      confidence: 'high',
      because: 'a person corrected it',
    },
    applied: {
      id: correction.id,
      own: correction.own,
      template: lead === null || index === null ? null : templateOf(log.text[lead]!),
      fingerprint: found.fingerprint,
    },
    cause: correction.cause,
  }
}
