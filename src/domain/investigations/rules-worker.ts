import { deserializeError, invalidParameter, rateLimited, type SerializedError } from '../../contract/errors.ts'
import type { Finding } from '../../diagnosis/finding.ts'
import type { Definition } from '../../diagnosis/own-rules/definition.ts'
import { type OwnOptions, withoutOwn } from '../../diagnosis/own-rules/own-rules.ts'
import type { Trial } from '../../diagnosis/own-rules/try-rule.ts'
import { openRulesWorker, ThreadTimeout } from './rules-worker-thread.ts'

/**
 * Patterns that somebody else wrote are compiled and matched in threads of their own: however large they are, nobody else waits for
 * them.
 */

export interface RuleResults {
  prove: Definition[]
  try: Trial
  diagnose: Finding
  problems: (string | null)[]
}

export type RuleWork =
  | { kind: 'prove'; given: object }
  | { kind: 'try'; given: object; log: string; others: Definition[] }
  | { kind: 'diagnose'; log: string; options: OwnOptions }
  | { kind: 'problems'; definitions: Definition[] }

export type RuleAnswer = { done: RuleResults[keyof RuleResults] } | { refused: SerializedError }

/** Whoever writes a rule waits for it; investigations wait for each other. */
const [people, jobs] = [openRulesWorker(), openRulesWorker()]
const WAITING_MAX = 8

/** Reads and proves one definition. */
export const validateRule = async (given: object): Promise<Definition> => (await ask({ kind: 'prove', given }))[0]!

export const tryRule = (given: object, log: string, others: Definition[]): Promise<Trial> =>
  ask({ kind: 'try', given, log, others })

/** Like `diagnoseWithOwn`; if the thread itself fails, ours answer alone. */
export async function diagnoseInWorker(log: string, options: OwnOptions): Promise<Finding> {
  try {
    return resultOf((await jobs.run({ kind: 'diagnose', log, options })) as RuleAnswer)
  } catch (error) {
    const { own: _, ...rest } = options
    return withoutOwn(log, rest, (error as Error).message)
  }
}

const PROBLEMS_KEPT = 2_000
const problems = new Map<string, string | null>()

/** Why each of these rules is switched off; null where it is not. */
export async function findRuleProblems(definitions: Definition[]): Promise<(string | null)[]> {
  const keys = definitions.map(({ match, block }) => JSON.stringify([match, block]))
  const unknown = definitions.filter((_, n) => !problems.has(keys[n]!))
  if (problems.size + unknown.length > PROBLEMS_KEPT) problems.clear()
  const asked = definitions.filter((_, n) => !problems.has(keys[n]!))
  const found = asked.length === 0 ? [] : await ask({ kind: 'problems', definitions: asked })
  for (const [n, { match, block }] of asked.entries()) problems.set(JSON.stringify([match, block]), found[n]!)
  return keys.map((key) => problems.get(key) ?? null)
}

async function ask<K extends keyof RuleResults>(work: Extract<RuleWork, { kind: K }>): Promise<RuleResults[K]> {
  if (people.waiting() >= WAITING_MAX) throw rateLimited(5)
  try {
    return resultOf((await people.run(work)) as RuleAnswer)
  } catch (error) {
    throw error instanceof ThreadTimeout ? invalidParameter('match', 'takes too long') : error
  }
}

function resultOf<T>(answer: RuleAnswer): T {
  if ('done' in answer) return answer.done as T
  throw deserializeError(answer.refused)
}
