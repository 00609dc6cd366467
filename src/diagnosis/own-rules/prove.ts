import { invalidParameter } from '../../contract/errors.ts'
import { bookFor } from '../examine.ts'
import { type Log, lineOf } from '../log.ts'
import type { Rule } from '../rule.ts'
import { group } from '../stages/group.ts'
import { match, type RuleBook } from '../stages/match.ts'
import { normalize } from '../stages/normalize.ts'
import { patientlyWithin, TookTooLong } from './within.ts'

const EXAMPLES_MS = 2_000

/** For noise rules, which match by silencing others. */
export const isSilenced = (rule: Rule) => (line: string) =>
  rule.need.some((literal) => line.includes(literal)) && rule.match.test(line)

interface Found {
  index: number
  file: string | undefined
}

/** The line of the cause, as the rule finds it in a log. */
export const findIn = (log: Log, rule: Rule, book: RuleBook): Found | undefined => {
  if (rule.role === 'noise') {
    const index = log.text.findIndex(isSilenced(rule))
    return index < 0 ? undefined : { index, file: rule.match.exec(log.text[index]!)?.groups?.file }
  }
  const hits = match(log, book).filter((hit) => hit.rule === rule)
  const [found] = group(log, hits)
  return found && { index: found.lead.index, file: found.lead.groups.file?.trim() }
}

const isNamed = (file: string, found: string | undefined) => found === file || found?.split(/[\\/]/).at(-1) === file

function showExamples(rule: Rule, at: (field: string) => string) {
  const book = bookFor([rule])
  const logs = rule.examples.map(({ log }) => normalize(log))
  rule.need.forEach((literal, index) => {
    if (!logs.some(({ text }) => text.some((line) => line.includes(literal))))
      throw invalidParameter(at(`need[${index}]`), 'stands in none of the examples')
  })
  rule.examples.forEach(({ line, file }, index) => {
    const found = findIn(logs[index]!, rule, book)
    if (!found) throw invalidParameter(at(`examples[${index}]`), 'is not matched: no line holds one of need and fits match')
    const shown = lineOf(logs[index]!, found.index)
    if (shown !== line) throw invalidParameter(at(`examples[${index}].line`), `is ${line}, but the rule finds line ${shown}`)
    if (file !== undefined && !isNamed(file, found.file))
      throw invalidParameter(at(`examples[${index}].file`), `is ${file}, but the rule finds ${found.file ?? 'no file'}`)
  })
}

/** Refuses a rule that does not find what its own examples show. */
export function prove(rule: Rule, where: string) {
  const at = (field: string) => (where === '' ? field : `${where}.${field}`)
  try {
    patientlyWithin(EXAMPLES_MS, () => showExamples(rule, at))
  } catch (error) {
    throw error instanceof TookTooLong ? invalidParameter(at('examples'), 'take too long to read') : error
  }
}
