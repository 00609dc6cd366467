import { invalidParameter, notFound, tooManyRules } from '../../contract/errors.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { Definition } from '../../diagnosis/own-rules/definition.ts'
import { readOwnRules } from '../../diagnosis/own-rules/own-rules.ts'
import type { Trial } from '../../diagnosis/own-rules/try-rule.ts'
import { RULES } from '../../diagnosis/rules/index.ts'
import { findRuleProblems, tryRule, validateRule } from './rule-thread.ts'

/** A rule of an account for its own tools; one with the id of a built-in rule replaces it. */
export interface FailureRule {
  id: number
  account_id: number
  rule_id: string
  /** It replaces a built-in rule. */
  replaces_ours: boolean
  /** Why it is disabled: its pattern is no longer supported. */
  problem: string | null
  definition: Definition
  created_at: string
  updated_at: string
}

const RULES_MAX = 200
/** For all texts of `need` together: the lookup table grows with them, half a megabyte per thousand characters. */
const NEED_MAX = 20_000

const OURS = new Set(RULES.map(({ id }) => id))

const rowsOf = async (db: Database, where: Sql): Promise<FailureRule[]> =>
  (
    await db.rows<Omit<FailureRule, 'replaces_ours' | 'problem'>>(sql`
      select id, account_id, rule_id, definition, created_at, updated_at from failure_rules where ${where} order by rule_id`)
  ).map((row) => ({ ...row, replaces_ours: OURS.has(row.rule_id), problem: null }))

async function select(db: Database, accountId: number, where: Sql): Promise<FailureRule[]> {
  const rules = await rowsOf(db, sql`account_id = ${accountId} and ${where}`)
  const problems = await findRuleProblems(
    accountId,
    rules.map(({ definition }) => definition),
  )
  return rules.map((rule, n) => ({ ...rule, problem: problems[n]! }))
}

export const list = (db: Database, accountId: number): Promise<FailureRule[]> => select(db, accountId, sql`true`)

export async function find(db: Database, accountId: number, ruleId: string): Promise<FailureRule> {
  const [rule] = await select(db, accountId, sql`rule_id = ${ruleId}`)
  if (!rule) throw notFound('Rule')
  return rule
}

/**
 * Stores the rules of a file, one definition or a list, all or nothing; a known id is replaced. Validation blocks this process, for a bad
 * pattern for seconds.
 */
export const put = async (db: Database, accountId: number, given: unknown): Promise<FailureRule[]> =>
  keep(db, accountId, readOwnRules(given))

/** A new rule, validated in a worker thread; an existing id is refused. */
export async function create(db: Database, accountId: number, given: object): Promise<FailureRule> {
  const definition = await validateRule(accountId, given)
  const [rule] = await keep(db, accountId, [definition], async (db) => {
    if (await isKnown(db, accountId, definition.id)) throw invalidParameter('id', `is taken: ${definition.id}`)
  })
  return rule!
}

/** Replaces a rule, validated in a worker thread; its id stays. */
export async function edit(db: Database, accountId: number, ruleId: string, given: object): Promise<FailureRule> {
  await find(db, accountId, ruleId)
  const definition = await validateRule(accountId, given)
  if (definition.id !== ruleId) throw invalidParameter('id', `cannot change; it is ${ruleId}`)
  const [rule] = await keep(db, accountId, [definition], async (db) => {
    if (!(await isKnown(db, accountId, ruleId))) throw notFound('Rule')
  })
  return rule!
}

/** Tries a rule on a part of a log together with the account's other rules and the built-in ones; stores nothing. */
export async function tryOut(db: Database, accountId: number, given: object, log: string): Promise<Trial> {
  return tryRule(accountId, given, log, await rulesOf(db, accountId))
}

const isKnown = (db: Database, accountId: number, ruleId: string) =>
  db.one(sql`select from failure_rules where account_id = ${accountId} and rule_id = ${ruleId}`)

/** `refuse` checks again under the account's lock. */
function keep(
  db: Database,
  accountId: number,
  definitions: Definition[],
  refuse?: (db: Database) => Promise<void>,
): Promise<FailureRule[]> {
  return db.transaction(async (db) => {
    if (!(await db.one(sql`select from accounts where id = ${accountId} for no key update`))) throw notFound('Account')
    await refuse?.(db)
    for (const definition of definitions)
      await db.execute(sql`
        insert into failure_rules (account_id, rule_id, definition)
        values (${accountId}, ${definition.id}, ${JSON.stringify(definition)}::jsonb)
        on conflict (account_id, rule_id) do update set definition = excluded.definition, updated_at = now()`)
    const rules = await rulesOf(db, accountId)
    if (rules.length > RULES_MAX) throw tooManyRules(RULES_MAX)
    if (rules.flatMap(({ need }) => need).join('').length > NEED_MAX)
      throw invalidParameter('need', `holds, together with the other rules, more than ${NEED_MAX} characters`)
    return rowsOf(db, sql`account_id = ${accountId} and rule_id = any(${definitions.map(({ id }) => id)})`)
  })
}

export async function remove(db: Database, accountId: number, ruleId: string) {
  if ((await db.execute(sql`delete from failure_rules where account_id = ${accountId} and rule_id = ${ruleId}`)) === 0)
    throw notFound('Rule')
}

/** As written. They were validated when they were stored. */
export const rulesOf = async (db: Database, accountId: number): Promise<Definition[]> =>
  (
    await db.rows<{ definition: Definition }>(
      sql`select definition from failure_rules where account_id = ${accountId} order by rule_id`,
    )
  ).map(({ definition }) => definition)
