import type { Log } from '../log.ts'
import type { Rule } from '../rule.ts'
import { Literals } from './literals.ts'

/** A rule that matched a line (an index, not a line number). */
export interface Hit {
  rule: Rule
  index: number
  groups: Readonly<Record<string, string | undefined>>
}

/** Rules made ready for scanning; making them ready costs more than scanning a log. */
export interface RuleBook {
  rules: readonly Rule[]
  literals: Literals
  /** For each literal, the rules that ask for it. */
  askers: readonly (readonly number[])[]
}

export function ruleBook(rules: readonly Rule[]): RuleBook {
  const askers = new Map<string, number[]>()
  rules.forEach((rule, index) => {
    for (const literal of rule.need) {
      const list = askers.get(literal)
      if (list) list.push(index)
      else askers.set(literal, [index])
    }
  })
  return { rules, literals: new Literals([...askers.keys()]), askers: [...askers.values()] }
}

const NO_GROUPS = {}

/** A log of the length that is kept has about so many lines. A rule that matched more often says nothing new by it. */
const MOST_MATCHES = 4000

/** Every match of every rule, in the order of lines. A line of noise matches nothing else. */
export function match(log: Log, book: RuleBook): Hit[] {
  const hits: Hit[] = []
  const triedAt = new Int32Array(book.rules.length).fill(-1)
  const matches = new Int32Array(book.rules.length)
  const matched: number[] = []
  let index = 0
  let text = ''
  let noise = false
  const ask = (literal: number) => {
    for (const asker of book.askers[literal]!) {
      if (triedAt[asker] === index || matches[asker]! >= MOST_MATCHES) continue
      triedAt[asker] = index
      const rule = book.rules[asker]!
      const found = rule.match.exec(text)
      if (!found) continue
      if (rule.role === 'noise') noise = true
      else {
        hits.push({ rule, index, groups: found.groups ?? NO_GROUPS })
        matched.push(asker)
      }
    }
  }
  for (; index < log.text.length; index++) {
    text = log.text[index]!
    const before = hits.length
    matched.length = 0
    noise = false
    book.literals.scan(text, ask)
    if (noise) hits.length = before
    else for (const rule of matched) matches[rule]!++
  }
  return hits
}
