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

/** Every match of every rule, in the order of lines. A line of noise matches nothing else. */
export function match(log: Log, book: RuleBook): Hit[] {
  const hits: Hit[] = []
  const triedAt = new Int32Array(book.rules.length).fill(-1)
  for (let index = 0; index < log.text.length; index++) {
    const text = log.text[index]!
    const before = hits.length
    let noise = false
    book.literals.scan(text, (literal) => {
      for (const asker of book.askers[literal]!) {
        if (triedAt[asker] === index) continue
        triedAt[asker] = index
        const rule = book.rules[asker]!
        const found = rule.match.exec(text)
        if (!found) continue
        if (rule.role === 'noise') noise = true
        else hits.push({ rule, index, groups: found.groups ?? NO_GROUPS })
      }
    })
    if (noise) hits.length = before
  }
  return hits
}
