import { type TSchema, Type } from 'typebox'
import { invalidAssignee, invalidParameter } from './errors.ts'
import {
  bytesOf,
  characters,
  integer as integerFrom,
  isObject,
  isStorable,
  isWithin,
  type Reader,
  oneOf as readOneOf,
  text as textOf,
} from './field-readers.ts'
import { anyObject, integer, nullable, oneOf, own, ownText, text } from './fields.ts'
import { DESCRIPTION_MAX, HANDLE, LABEL_MAX, LABELS_MAX, METADATA_DEPTH, METADATA_MAX, TITLE_MAX } from './limits.ts'
import { PRIORITIES, TASK_STATES, TASK_TYPES } from './sets.ts'

/** A field that clients may write, from the request to the reply. Its column has the same name. */
interface WrittenField<T, Sent extends TSchema, Shown extends TSchema> {
  /** The schema of a request. */
  sent: Sent
  /** The rest: conversion for the domain, or the error. */
  read: Reader<T>
  /** In a reply. */
  shown: Shown
  /** Its purpose, for the help of commands and tools. */
  help: string
}

const field = <T, Sent extends TSchema, Shown extends TSchema>(declared: WrittenField<T, Sent, Shown>) => declared

const choice = <const V extends string>(values: readonly V[], help: string) =>
  field({ sent: oneOf(values), read: readOneOf(values), shown: oneOf(values), help })

export const ASSIGNEE_FORMAT = 'assignee_handle ([a-z0-9-], 1 to 50 characters) or user_id (a member of the account), not both'

export const notAMember = () => invalidAssignee('user_id must be a member of the account.', ASSIGNEE_FORMAT)

const title: Reader<string> = (name, value) => characters(1, TITLE_MAX)(name, typeof value === 'string' ? value.trim() : value)

const handle: Reader<string | null> = (_, value) => {
  if (value === null || (typeof value === 'string' && HANDLE.test(value))) return value
  throw invalidAssignee('assignee_handle must match [a-z0-9-] and have 1 to 50 characters.', ASSIGNEE_FORMAT)
}

const userId: Reader<number | null> = (name, value) => {
  try {
    return value === null ? null : integerFrom(1)(name, value)
  } catch {
    throw notAMember()
  }
}

const labels: Reader<string[]> = (name, value) => {
  if (!Array.isArray(value)) throw invalidParameter(name, 'must be a list of strings')
  if (value.length > LABELS_MAX) throw invalidParameter(name, `must have at most ${LABELS_MAX} entries`)
  const read = value.map((label) => textOf(LABEL_MAX * 4, 1)(name, label))
  if (!read.every((label) => isWithin(label, 1, LABEL_MAX)))
    throw invalidParameter(name, `must have 1 to ${LABEL_MAX} characters each`)
  return [...new Set(read)]
}

const metadata: Reader<Record<string, unknown>> = (name, value) => {
  if (!isObject(value)) throw invalidParameter(name, 'must be an object')
  if (Object.hasOwn(value, 'via_api_token_id')) throw invalidParameter(`${name}.via_api_token_id`, 'is set by the service')
  const why = unstorable(value)
  if (why) throw invalidParameter(name, why)
  if (bytesOf(JSON.stringify(value)) > METADATA_MAX) throw invalidParameter(name, `must be at most ${METADATA_MAX} bytes of JSON`)
  return value
}

/** Level by level, because a hostile body may be deeper than the stack. */
function unstorable(value: object): string | undefined {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > METADATA_DEPTH) return `must not nest deeper than ${METADATA_DEPTH}`
    const next: unknown[] = []
    for (const item of level) {
      if (typeof item === 'string' && !isStorable(item)) return 'must not contain NUL or broken characters'
      if (typeof item === 'number' && !Number.isFinite(item)) return 'must not contain infinite numbers'
      if (Array.isArray(item)) for (const inner of item) next.push(inner)
      else if (isObject(item)) for (const [key, inner] of Object.entries(item)) next.push(key, inner)
    }
    level = next
  }
  return undefined
}

/** The writable fields of a task: bodies, replies, columns, world files and the flags and tools of clients are derived from this. */
export const TASK_FIELDS = {
  title: field({
    sent: Type.String({ minLength: 1, maxLength: TITLE_MAX }),
    read: title,
    shown: ownText,
    help: 'Title, one line',
  }),
  description: field({ sent: text, read: textOf(DESCRIPTION_MAX), shown: ownText, help: 'Description, plain text' }),
  state: choice(TASK_STATES, 'State of the task'),
  task_type: choice(TASK_TYPES, 'Type of task'),
  priority: choice(PRIORITIES, 'Priority'),
  assignee_handle: field({
    sent: nullable(Type.String({ pattern: HANDLE.source })),
    read: handle,
    shown: nullable(ownText),
    help: 'Assigned agent, such as lint-bot; not with user_id',
  }),
  user_id: field({
    sent: nullable(integer),
    read: userId,
    shown: nullable(integer),
    help: 'User id of the assigned member; not with assignee_handle',
  }),
  labels: field({
    sent: Type.Array(Type.String({ minLength: 1, maxLength: LABEL_MAX }), { maxItems: LABELS_MAX }),
    read: labels,
    shown: Type.Array(ownText),
    help: 'All labels; replaces the old list',
  }),
  metadata: field({
    sent: own(anyObject),
    read: metadata,
    shown: own(anyObject),
    help: 'Your own data, an object; replaces the old one',
  }),
}

type Table = typeof TASK_FIELDS
export type TaskField = keyof Table
export type TaskFields = { [K in TaskField]: ReturnType<Table[K]['read']> }

export const TASK_FIELD_NAMES = Object.keys(TASK_FIELDS) as TaskField[]

/** One part of every field, under the field's name. */
export const partOf = <P extends 'sent' | 'shown' | 'read' | 'help'>(part: P) =>
  Object.fromEntries(TASK_FIELD_NAMES.map((name) => [name, TASK_FIELDS[name][part]])) as { [K in TaskField]: Table[K][P] }

/** The JSON type of a field, apart from null. */
export const jsonTypeOf = (name: TaskField): string => typesOf(name)[0]!

/** Null clears it. */
export const isNullable = (name: TaskField): boolean => typesOf(name).includes('null')

const typesOf = (name: TaskField): string[] => {
  const { type = 'string' } = TASK_FIELDS[name].sent as { type?: string | string[] }
  return [type].flat()
}
