import { deserializeError, invalidParameter, rateLimited, type SerializedError } from '../../contract/errors.ts'
import type { Finding } from '../../diagnosis/finding.ts'
import type { Definition } from '../../diagnosis/own-rules/definition.ts'
import { type OwnOptions, withoutOwn } from '../../diagnosis/own-rules/own-rules.ts'
import type { Trial } from '../../diagnosis/own-rules/try-rule.ts'
import { openRuleWorker, QueueTimeout, ThreadTimeout } from './rule-worker.ts'

/** Patterns of accounts are compiled and matched in separate threads: however slow they are, nobody else waits for them. */

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

/** A person who tests a rule waits only this long; investigations wait for each other. */
const [people, jobs] = [openRuleWorker({ patience: 5_000 }), openRuleWorker()]
const WAITING_MAX = 8
/** The limit for one account, so that its slow patterns don't block other accounts. */
const ACCOUNT_WAITING_MAX = 3
const waitingOf = new Map<number, number>()
const RETRY_AFTER_SECONDS = 5

/** Parses and validates one definition. */
export const validateRule = async (accountId: number, given: object): Promise<Definition> =>
  (await ask(accountId, { kind: 'prove', given }))[0]!

export const tryRule = (accountId: number, given: object, log: string, others: Definition[]): Promise<Trial> =>
  ask(accountId, { kind: 'try', given, log, others })

/** Like `diagnoseWithOwn`; if the thread itself fails, only the built-in rules apply. */
export async function diagnoseInWorker(log: string, options: OwnOptions): Promise<Finding> {
  try {
    return resultOf((await jobs.run({ kind: 'diagnose', log, options })) as RuleAnswer)
  } catch (error) {
    const { own: _, ...rest } = options
    return withoutOwn(log, rest, (error as Error).message)
  }
}

const PROBLEMS_KEPT = 2_000
/** Rules per piece of work: compiling a rule of the greatest size takes 0.2 s. */
const PROBLEMS_AT_ONCE = 20
const problems = new Map<string, string | null>()
const patternsOf = ({ match, block }: Definition) => JSON.stringify([match, block])

/** Why each of these rules is disabled; null if it is not. */
export async function findRuleProblems(accountId: number, definitions: Definition[]): Promise<(string | null)[]> {
  const isUnknown = (definition: Definition) => !problems.has(patternsOf(definition))
  if (problems.size + definitions.filter(isUnknown).length > PROBLEMS_KEPT) problems.clear()
  const asked = definitions.filter(isUnknown)
  while (asked.length > 0) {
    const batch = asked.splice(0, PROBLEMS_AT_ONCE)
    const found = await ask(accountId, { kind: 'problems', definitions: batch })
    for (const [n, definition] of batch.entries()) problems.set(patternsOf(definition), found[n]!)
  }
  return definitions.map((definition) => problems.get(patternsOf(definition)) ?? null)
}

async function ask<K extends keyof RuleResults>(
  accountId: number,
  work: Extract<RuleWork, { kind: K }>,
): Promise<RuleResults[K]> {
  const waiting = waitingOf.get(accountId) ?? 0
  if (people.waiting() >= WAITING_MAX || waiting >= ACCOUNT_WAITING_MAX) throw rateLimited(RETRY_AFTER_SECONDS)
  waitingOf.set(accountId, waiting + 1)
  try {
    return resultOf((await people.run(work)) as RuleAnswer)
  } catch (error) {
    if (error instanceof QueueTimeout) throw rateLimited(RETRY_AFTER_SECONDS)
    throw error instanceof ThreadTimeout ? invalidParameter('match', 'takes too long') : error
  } finally {
    const left = waitingOf.get(accountId)! - 1
    if (left > 0) waitingOf.set(accountId, left)
    else waitingOf.delete(accountId)
  }
}

function resultOf<T>(answer: RuleAnswer): T {
  if ('done' in answer) return answer.done as T
  throw deserializeError(answer.refused)
}
