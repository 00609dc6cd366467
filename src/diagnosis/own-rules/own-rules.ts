import { invalidParameter } from '../../contract/errors.ts'
import { diagnose, type Options } from '../diagnose.ts'
import { bookFor } from '../examine.ts'
import type { Finding, Step } from '../finding.ts'
import type { Rule } from '../rule.ts'
import { type Definition, readDefinition, ruleOf } from './definition.ts'
import { UnreadablePattern } from './linear-pattern.ts'
import { prove } from './prove.ts'
import { patientlyWithin } from './within.ts'

/** Parses and validates a file of rules: one definition, or a list. */
export function readOwnRules(value: unknown): Definition[] {
  const several = Array.isArray(value)
  const place = (index: number) => (several ? `[${index}]` : '')
  const definitions = (several ? value : [value]).map((each, index) => readDefinition(place(index), each))
  const seen = new Set<string>()
  definitions.forEach((definition, index) => {
    if (seen.has(definition.id)) throw invalidParameter(`${place(index)}.id`, `is there twice: ${definition.id}`)
    seen.add(definition.id)
    prove(ruleOf(definition), place(index))
  })
  return definitions
}

/** Built-in rules alone need a tenth of this for the longest log. */
const TIMEOUT_MS = 1_000

interface OwnRules {
  rules: Rule[]
  /** The disabled ones, and why. */
  off: { id: string; problem: string }[]
}

/** Compiling takes longer than reading a log; callers pass the same list repeatedly. */
const known = new WeakMap<readonly Definition[], OwnRules>()

/** Rules that are no longer supported are dropped. */
export function ownRules(definitions: readonly Definition[]): OwnRules {
  const found = known.get(definitions) ?? { rules: [], off: [] }
  if (!known.has(definitions))
    for (const definition of definitions) {
      const problem = problemOf(definition)
      if (problem === null) found.rules.push(ruleOf(definition))
      else found.off.push({ id: definition.id, problem })
    }
  known.set(definitions, found)
  return found
}

/** Why a rule is disabled; null if it is not. */
export function problemOf(definition: Definition): string | null {
  try {
    ruleOf(definition)
    return null
  } catch (error) {
    if (!(error instanceof UnreadablePattern)) throw error
    return `A pattern of it ${error.message}.`
  }
}

export interface OwnOptions extends Omit<Options, 'rules'> {
  own?: readonly Definition[]
}

/** Like `diagnose`, but a studio's rules have a time limit; after that only the built-in ones apply and a step says so. */
export function diagnoseWithOwn(raw: string, { own = [], ...options }: OwnOptions): Finding {
  const { rules, off } = ownRules(own)
  const notes = off.map(({ id, problem }) => skipped(`The rule ${id} is switched off. ${problem}`))
  if (rules.length === 0) return withSteps(diagnose(raw, options), notes)
  try {
    // Compiling does not count against the limit.
    bookFor(rules)
    return withSteps(
      patientlyWithin(TIMEOUT_MS, () => diagnose(raw, { ...options, rules })),
      notes,
    )
  } catch (error) {
    return withoutOwn(raw, options, (error as Error).message, notes)
  }
}

/** Only the built-in rules, with a step that says why. */
export const withoutOwn = (raw: string, options: Omit<Options, 'rules'>, why: string, notes: Step[] = []): Finding =>
  withSteps(diagnose(raw, options), [skipped(`Own rules were left out: ${why}`), ...notes])

const skipped = (detail: string): Step => ({ name: 'own_rules', status: 'skipped', detail, evidence: [] })

const withSteps = (finding: Finding, notes: Step[]): Finding => ({ ...finding, steps: [...notes, ...finding.steps] })
