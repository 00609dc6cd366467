import { invalidParameter } from '../../contract/errors.ts'
import { bookFor } from '../examine.ts'
import type { EvidenceLine, Finding } from '../finding.ts'
import { lineOf, linesAt } from '../log.ts'
import { match } from '../stages/match.ts'
import { normalize } from '../stages/normalize.ts'
import { type Definition, readDefinition, ruleOf } from './definition.ts'
import { diagnoseWithOwn, ownRules } from './own-rules.ts'
import { findIn, isSilenced } from './prove.ts'
import { patientlyWithin, TookTooLong } from './within.ts'

/** The result of an unfinished rule on a part of a log. */
export interface Trial {
  /** The line of the cause, which an example of the rule would give; null if it finds nothing. */
  line: number | null
  /** Every line that the rule matches. */
  matched: EvidenceLine[]
  /** The finding of an investigation of a build with this log. */
  finding: Finding
}

/** The time limit for compiling the rules and for reading the log. */
const TIMEOUT_MS = 3_000

/** Examples are written last, so the log replaces them; everything else is validated as when it is saved. */
export function tryRule(given: object, raw: string, others: readonly Definition[]): Trial {
  try {
    return patientlyWithin(TIMEOUT_MS, () => trialOf(given, raw, others))
  } catch (error) {
    throw error instanceof TookTooLong ? invalidParameter('match', 'takes too long on this log: repeat and nest less') : error
  }
}

function trialOf(given: object, raw: string, others: readonly Definition[]): Trial {
  const definition = readDefinition('', { ...given, examples: [{ log: raw, line: 1 }] })
  const rule = ruleOf(definition)
  const own = [definition, ...others.filter(({ id }) => id !== rule.id)]
  const rules = [rule, ...ownRules(own).rules.filter(({ id }) => id !== rule.id)]
  const log = normalize(raw)
  const book = bookFor(rules)
  const indexes =
    rule.role === 'noise'
      ? log.text.flatMap((line, index) => (isSilenced(rule)(line) ? [index] : []))
      : match(log, book).flatMap((hit) => (hit.rule === rule ? [hit.index] : []))
  const found = findIn(log, rule, book)
  return {
    line: found === undefined ? null : lineOf(log, found.index),
    matched: indexes.flatMap((index) => linesAt(log, index)).map((line) => ({ line, text: log.shown[line - 1]! })),
    finding: diagnoseWithOwn(raw, { own }),
  }
}
