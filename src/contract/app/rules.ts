import { type Static, type TSchema, Type } from 'typebox'
import { anyObject, flag, instant, integer, list, nullable, object, oneOf, own, text } from '../fields.ts'
import { RULE } from '../limits.ts'
import { plainGet, post, put, remove } from '../routes/route.ts'
import * as sets from '../sets.ts'
import { Done } from './shapes.ts'

/** An account's own failure rules; a part of the table in `routes.ts`. */

const pattern = Type.Optional(text)
const several = <Item extends TSchema>(item: Item) => Type.Unsafe<readonly Static<Item>[]>(Type.Array(item))
/** A failure rule as its account wrote it; the fields are described in `diagnosis/rule.ts`. */
export const FailureRule = own(
  object({
    rule_id: text,
    /** It replaces a built-in rule. */
    replaces_ours: flag,
    /** Why it is disabled; null if it is not. */
    problem: nullable(text),
    definition: object({
      id: text,
      tool: text,
      category: oneOf(sets.FAILURE_CATEGORIES),
      role: oneOf(sets.RULE_ROLES),
      need: several(text),
      match: text,
      score: integer,
      fix: Type.Optional(text),
      block: Type.Optional(
        object({
          back: pattern,
          more: pattern,
          until: pattern,
          through: pattern,
          blanks: Type.Optional(integer),
          max: Type.Optional(integer),
        }),
      ),
      header: Type.Optional(Type.Literal(true)),
      lead: Type.Optional(Type.Literal('last')),
      near: Type.Optional(integer),
      explains: Type.Optional(several(text)),
      examples: several(object({ log: text, line: integer, file: Type.Optional(text) })),
    }),
    created_at: instant,
    updated_at: instant,
  }),
)
export type FailureRule = Static<typeof FailureRule>

const logLines = Type.Array(object({ line: integer, text }))
const RuleTrial = object({
  /** The line of the cause; null if the rule finds nothing. */
  line: nullable(integer),
  matched: logLines,
  finding: object({
    rule_id: text,
    category: oneOf(sets.FAILURE_CATEGORIES),
    confidence: oneOf(sets.CONFIDENCES),
    diagnosis: text,
    suggested_fix: text,
    evidence: logLines,
  }),
})

/** Validated field by field where rules are created (`diagnosis/own-rules/definition.ts`), as for those from a file. */
const definition = anyObject

export const ruleRoutes = {
  listFailureRules: {
    ...plainGet,
    path: '/v1/accounts/:account_id/failure_rules',
    summary: 'List the failure rules of an account',
    role: 'member',
    reply: list('failure_rules', FailureRule),
  },
  createFailureRule: {
    ...post,
    path: '/v1/accounts/:account_id/failure_rules',
    summary: 'Add a failure rule for later investigations',
    role: 'admin',
    body: definition,
    reply: FailureRule,
    created: 201,
    writes: true,
  },
  editFailureRule: {
    ...put,
    path: '/v1/accounts/:account_id/failure_rules/:rule_id',
    summary: 'Replace a failure rule; its id stays',
    role: 'admin',
    body: definition,
    reply: FailureRule,
    writes: true,
  },
  removeFailureRule: {
    ...remove,
    path: '/v1/accounts/:account_id/failure_rules/:rule_id',
    summary: 'Delete a failure rule; a built-in rule that it replaced applies again',
    role: 'admin',
    reply: Done,
    writes: true,
  },
  tryFailureRule: {
    ...post,
    path: '/v1/accounts/:account_id/failure_rules/try',
    summary: 'Test a failure rule on a log; saves nothing',
    role: 'admin',
    body: object({ rule: definition, log: Type.String({ minLength: 1, maxLength: RULE.log }) }),
    reply: RuleTrial,
    unaudited: true,
  },
} as const
