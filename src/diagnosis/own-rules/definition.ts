import { invalidParameter } from '../../contract/errors.ts'
import {
  characters,
  type Field,
  integer,
  isObject,
  isStorable,
  list,
  object,
  oneOf,
  optional,
  type Reader,
  required,
  saying,
} from '../../contract/field-readers.ts'
import { RULE } from '../../contract/limits.ts'
import { FAILURE_CATEGORIES, RULE_ROLES } from '../../contract/sets.ts'
import type { Block, Example, Pattern, Rule } from '../rule.ts'
import { linearPattern, UnreadablePattern } from './linear-pattern.ts'

type Written<T> = { [K in keyof T]: T[K] extends Pattern | undefined ? string : T[K] }

/** A rule as a studio writes it down: JSON, patterns as text. */
export type Definition = Written<Omit<Rule, 'block' | 'ends' | 'final' | 'proof'>> & { block?: Written<Block> }

const ID = /^[a-z\d-]+\.[a-z\d-]+$/
const GROUPS: readonly string[] = ['file', 'line', 'code', 'test', 'msg']

/** A rule is matched as written: invalid characters are refused, not repaired. */
const text =
  (min: number, max: number): Reader<string> =>
  (where, value) => {
    if (typeof value === 'string' && !isStorable(value)) throw invalidParameter(where, 'must not hold NUL or broken characters')
    return characters(min, max)(where, value)
  }

const whole = (min: number, max: number) => saying(`must be a whole number from ${min} to ${max}`, integer(min, max))

/** All fields of a rule share one error code. */
const among = <const V extends string>(values: readonly V[]) => saying(`must be one of: ${values.join(', ')}`, oneOf(values))

/** A given name is repeated, but only up to a length. */
const shortened = (name: string) => (name.length > 60 ? `${name.slice(0, 60)}…` : name).replace(/\s+/g, ' ').toWellFormed()

type FieldsOf<T> = { [K in keyof T]-?: Field<NonNullable<T[K]>> }

const fields = <T>(table: FieldsOf<T>) =>
  object(table, {
    unknown: (path, known) => invalidParameter(shortened(path), `is not known here; known: ${known.join(', ')}`),
    missing: (path) => invalidParameter(path, 'is missing'),
  }) as unknown as Reader<T>

const id: Reader<string> = (where, value) => {
  const read = text(3, 80)(where, value)
  if (!ID.test(read))
    throw invalidParameter(where, 'must be two names with a dot between, of a-z, 0-9 and -, such as baker.missing-lightmap')
  return read
}

const pattern: Reader<string> = (where, value) => {
  const source = text(1, RULE.pattern)(where, value)
  try {
    linearPattern(source)
  } catch (error) {
    throw error instanceof UnreadablePattern ? invalidParameter(where, error.message) : error
  }
  return source
}

const match: Reader<string> = (where, value) => {
  const source = pattern(where, value)
  for (const [, name] of source.matchAll(/\(\?<([^>=!]+)>/g))
    if (!GROUPS.includes(name!)) throw invalidParameter(where, `names a group “${name}”; understood are ${GROUPS.join(', ')}`)
  return source
}

const fix: Reader<string> = (where, value) => {
  const advice = text(1, RULE.fix)(where, value)
  for (const [gap, name] of advice.matchAll(/\{(\w+)\}/g))
    if (!GROUPS.includes(name!)) throw invalidParameter(where, `has a gap ${gap}; filled in are {${GROUPS.join('}, {')}}`)
  return advice
}

const blockFields = fields<Written<Block>>({
  back: optional(pattern),
  more: optional(pattern),
  until: optional(pattern),
  through: optional(pattern),
  blanks: optional(whole(0, 20)),
  max: optional(whole(1, 300)),
})

const block: Reader<Written<Block>> = (where, value) => {
  const read = blockFields(where, value)
  if ([read.more, read.until, read.through].filter((each) => each !== undefined).length > 1)
    throw invalidParameter(where, 'must have only one of more, until and through')
  return read
}

const always: Reader<true> = (where, value) => {
  if (value !== true) throw invalidParameter(where, 'must be true, or left out')
  return value
}

const example = fields<Example>({
  log: required(text(1, RULE.log)),
  line: required(whole(1, RULE.log)),
  file: optional(text(1, 300)),
})

const definition = fields<Definition>({
  id: required(id),
  tool: required(text(1, RULE.tool)),
  category: required(among(FAILURE_CATEGORIES)),
  role: required(among(RULE_ROLES)),
  need: required(list(text(3, 100), 1, 20)),
  match: required(match),
  header: optional(always),
  lead: optional(among(['last'])),
  explains: optional(list(id, 1, 50)),
  score: required(whole(0, 100)),
  block: optional(block),
  near: optional(whole(0, 50)),
  fix: optional(fix),
  examples: required(list(example, 1, 20)),
})

/** Refuses an invalid definition, with the field named. */
export const readDefinition: Reader<Definition> = (where, value) => {
  if (!isObject(value)) throw invalidParameter(where || 'The rule', 'must be an object')
  return definition(where, value)
}

const compiled = (source: string | undefined) => (source === undefined ? undefined : linearPattern(source))

/** Throws `UnreadablePattern` for a rule whose pattern is no longer supported. */
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
