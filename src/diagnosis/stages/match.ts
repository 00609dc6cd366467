import { type Log, plainAt } from '../log.ts'
import type { Rule } from '../rule.ts'
import { Literals } from './literals.ts'
import type { PlainLine } from './plain-paths.ts'

/** A rule that matched a line (an index, not a line number). */
export interface Hit {
  rule: Rule
  index: number
  groups: Readonly<Record<string, string | undefined>>
}

/** Literals, and for each of them the rules that need it. */
interface LiteralIndex {
  literals: Literals
  askers: readonly (readonly number[])[]
  /** The length of the shortest one: no rule matches a shorter line. */
  shortest: number
}

/** Compiled rules; compiling costs more than scanning a log. */
export interface RuleBook {
  rules: readonly Rule[]
  /** ASCII literals: their table is small enough to stay in the CPU cache. */
  ascii: LiteralIndex
  /** Literals with other characters, which few lines have. */
  beyond: LiteralIndex
}

const BEYOND_ASCII = /[^\0-\x7f]/

/** One letter is checked without a pattern: a log may be nothing but such lines. */
const isBeyondAscii = (text: string) => (text.length === 1 ? text.charCodeAt(0) > 0x7f : BEYOND_ASCII.test(text))

export function ruleBook(rules: readonly Rule[]): RuleBook {
  const askers = new Map<string, number[]>()
  rules.forEach((rule, index) => {
    for (const literal of rule.need) {
      const list = askers.get(literal)
      if (list) list.push(index)
      else askers.set(literal, [index])
    }
  })
  const asked = (isBeyond: boolean): LiteralIndex => {
    const own = [...askers].filter(([literal]) => BEYOND_ASCII.test(literal) === isBeyond)
    const literals = own.map(([literal]) => literal)
    return {
      literals: new Literals(literals),
      askers: own.map(([, list]) => list),
      shortest: Math.min(...literals.map(({ length }) => length)),
    }
  }
  return { rules, ascii: asked(false), beyond: asked(true) }
}

const NO_GROUPS: Readonly<Record<string, string | undefined>> = {}

/** The groups of a rule on a line, in the original text. */
function groupsOf({ match }: Rule, text: string, plain: PlainLine | null): Hit['groups'] | null {
  const read = plain && match.exec(plain.text)
  if (!read) {
    const found = match.exec(text)
    return found && (found.groups ?? NO_GROUPS)
  }
  const groups = Object.entries(read.groups ?? NO_GROUPS)
  return Object.fromEntries(groups.map(([name, value]) => [name, value && plain.restore(value)]))
}

/** A log of maximum length has about this many lines. More matches of one rule add nothing. */
const MOST_MATCHES = 4000

/** Every match of every rule, in line order. A noise line matches nothing else. */
export function match(log: Log, { rules, ascii, beyond }: RuleBook): Hit[] {
  const hits: Hit[] = []
  const triedAt = new Int32Array(rules.length).fill(-1)
  const matches = new Int32Array(rules.length)
  let noise = false
  const matched: number[] = []
  /** Of the current line, once a rule needs it. */
  let plain: PlainLine | null | undefined
  const ask = (index: number, text: string, { literals, askers }: LiteralIndex) => {
    for (const literal of literals.scan(text))
      for (const asker of askers[literal]!) {
        if (triedAt[asker] === index || matches[asker]! >= MOST_MATCHES) continue
        triedAt[asker] = index
        const rule = rules[asker]!
        if (plain === undefined) plain = plainAt(log, index)
        const groups = groupsOf(rule, text, plain)
        if (!groups) continue
        if (rule.role === 'noise') noise = true
        else {
          hits.push({ rule, index, groups })
          matched.push(asker)
        }
      }
  }
  for (let index = 0; index < log.text.length; index++) {
    const text = log.text[index]!
    const before = hits.length
    noise = false
    plain = undefined
    if (text.length >= ascii.shortest) ask(index, text, ascii)
    if (isBeyondAscii(text)) ask(index, text, beyond)
    if (matched.length === 0) continue
    if (noise) hits.length = before
    else for (const rule of matched) matches[rule]!++
    matched.length = 0
  }
  return proven(log, hits)
}

/** Without matches of rules whose tool shows nowhere in the log. */
function proven(log: Log, hits: Hit[]): Hit[] {
  const doubtful = new Set<Rule>()
  for (const { rule } of hits) if (rule.proof) doubtful.add(rule)
  const unproven = new Set([...doubtful].filter(({ proof }) => !log.text.some((text) => proof!.test(text))))
  return unproven.size === 0 ? hits : hits.filter(({ rule }) => !unproven.has(rule))
}
