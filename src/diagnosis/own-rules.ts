import { invalidParameter } from '../contract/errors.ts'
import { type Definition, readDefinition, ruleOf } from './definition.ts'
import { bookFor, diagnose, type Options } from './diagnose.ts'
import type { Finding } from './finding.ts'
import { prove } from './prove.ts'
import { TookTooLong, within } from './within.ts'

/** Reads and proves what a file of rules holds: one definition, or a list of them. */
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

/** Ours alone need a tenth of this for the longest log. */
const PATIENCE_MS = 1_000
const ATTEMPTS = 3

/** Like `diagnose`, but rules that are not ours get only so much time; then ours answer alone and a step says so. */
export function diagnoseWithOwn(raw: string, { rules = [], ...options }: Options): Finding {
  if (rules.length === 0) return diagnose(raw, options)
  try {
    // Making them ready is our own work, not theirs.
    bookFor(rules)
    return patiently(() => diagnose(raw, { ...options, rules }))
  } catch (error) {
    const finding = diagnose(raw, options)
    const detail = `Own rules were left out: ${(error as Error).message}`
    return { ...finding, steps: [{ name: 'own_rules', status: 'skipped', detail, evidence: [] }, ...finding.steps] }
  }
}

/** Time that went by while the machine did something else is nobody's fault: then it is tried again. */
function patiently<T>(work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    const used = process.cpuUsage()
    try {
      return within(PATIENCE_MS, work)
    } catch (error) {
      const worked = process.cpuUsage(used).user / 1000
      if (!(error instanceof TookTooLong) || attempt === ATTEMPTS || worked > PATIENCE_MS / 2) throw error
    }
  }
}
