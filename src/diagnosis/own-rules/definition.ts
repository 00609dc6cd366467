import { invalidParameter } from '../../contract/errors.ts'
import { FAILURE_CATEGORIES, RULE_ROLES } from '../../contract/sets.ts'
import type { Block, Example, Pattern, Rule } from '../rule.ts'
import { fields, list, oneOf, type Read, text, whole } from './definition-fields.ts'
import { linearPattern, UnreadablePattern } from './linear-pattern.ts'

type Written<T> = { [K in keyof T]: T[K] extends Pattern | undefined ? string : T[K] }

/** A rule as a studio writes it down: JSON, patterns as text. */
export type Definition = Written<Omit<Rule, 'block'>> & { block?: Written<Block> }

const ID = /^[a-z\d-]+\.[a-z\d-]+$/
const GROUPS: readonly string[] = ['file', 'line', 'code', 'test', 'msg']

const id: Read<string> = (where, value) => {
  const read = text(3, 80)(where, value)
  if (!ID.test(read))
    throw invalidParameter(where, 'must be two names with a dot between, of a-z, 0-9 and -, such as baker.missing-lightmap')
  return read
}

const pattern: Read<string> = (where, value) => {
  const source = text(1, 500)(where, value)
  try {
    linearPattern(source)
  } catch (error) {
    throw error instanceof UnreadablePattern ? invalidParameter(where, error.message) : error
  }
  return source
}

const match: Read<string> = (where, value) => {
  const source = pattern(where, value)
  for (const [, name] of source.matchAll(/\(\?<([^>=!]+)>/g))
    if (!GROUPS.includes(name!)) throw invalidParameter(where, `names a group “${name}”; understood are ${GROUPS.join(', ')}`)
  return source
}

const fix: Read<string> = (where, value) => {
  const advice = text(1, 1000)(where, value)
  for (const [gap, name] of advice.matchAll(/\{(\w+)\}/g))
    if (!GROUPS.includes(name!)) throw invalidParameter(where, `has a gap ${gap}; filled in are {${GROUPS.join('}, {')}}`)
  return advice
}

const block: Read<Written<Block>> = (where, value) => {
  const read = fields<Written<Block>>(
    { back: pattern, more: pattern, until: pattern, through: pattern, blanks: whole(0, 20), max: whole(1, 300) },
    [],
  )(where, value)
  if ([read.more, read.until, read.through].filter((each) => each !== undefined).length > 1)
    throw invalidParameter(where, 'must have only one of more, until and through')
  return read
}

const definition = fields<Definition>(
  {
    id,
    tool: text(1, 60),
    category: oneOf(FAILURE_CATEGORIES),
    role: oneOf(RULE_ROLES),
    need: list(text(3, 100), 1, 20),
    match,
    header: oneOf([true]),
    lead: oneOf(['last']),
    explains: list(id, 1, 50),
    score: whole(0, 100),
    block,
    near: whole(0, 50),
    fix,
    examples: list(fields<Example>({ log: text(1, 20_000), line: whole(1, 20_000), file: text(1, 300) }, ['log', 'line']), 1, 20),
  },
  ['id', 'tool', 'category', 'role', 'need', 'match', 'score', 'examples'],
)

/** Refuses, with the field named, whatever a rule cannot be made of. */
export const readDefinition: Read<Definition> = definition

const compiled = (source: string | undefined) => (source === undefined ? undefined : linearPattern(source))

/** Throws `UnreadablePattern` for a rule from a time when more was understood. */
export const ruleOf = ({ block, ...rest }: Definition): Rule => ({
  ...rest,
  match: linearPattern(rest.match),
  block: block && {
    ...block,
    back: compiled(block.back),
    more: compiled(block.more),
    until: compiled(block.until),
    through: compiled(block.through),
  },
})
