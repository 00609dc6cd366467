import { type TSchema, Type } from 'typebox'
import { invalidAssignee, invalidEventType, invalidParameter, invalidType, unknownParameter } from './errors.ts'
import { EVENT_TYPES, type EventType, FEED_EVENT_TYPES } from './events.ts'
import * as readers from './field-readers.ts'
import { HANDLE, ID_MAX, IMPORT_DAYS_MAX, INTEGER_MAX } from './limits.ts'
import { readTime } from './time.ts'

/** A query parameter: how it is parsed and described. */
export interface Param<T> {
  schema: TSchema
  read(name: string, raw: string): T
  fallback?: T
  /** Its closed set of values. */
  values?: readonly string[]
  /** May be repeated, or sent as `name[]`; the values are joined by commas. */
  list?: true
}

/** Parameter names as sent (`state`, `state[]`, `state[x]`), in order, decoded. */
export type RawQuery = readonly (readonly [name: string, value: string])[]

export const DEFAULT_LIMIT = 20
export const MAX_LIMIT = 50

export const oneOf = <const V extends string>(values: readonly V[]): Param<V> => ({
  schema: Type.Enum([...values]),
  read: readers.oneOf(values),
  values,
})

export const manyOf = <const V extends string>(values: readonly V[]): Param<V[]> => ({
  schema: Type.String({ description: `One or more, a comma-separated list of: ${values.join(', ')}` }),
  read: (name, raw) => raw.split(',').map((token) => readers.oneOf(values)(name, token)),
  values,
})

/** Free-form: filters as given. PostgreSQL cannot store NUL, so a value with one matches nothing. */
export const text: Param<string> = {
  schema: Type.String(),
  read: (_, raw) => raw.replaceAll('\0', '\uFFFD').toWellFormed(),
}

const positive = (name: string, raw: string): number => {
  if (!/^\d+$/.test(raw) || /^0+$/.test(raw)) throw invalidParameter(name, 'must be a positive integer')
  return Number(raw)
}

/** Matches a part of the name. */
export const partOfName: Param<string> = { ...text, schema: Type.String({ description: 'Text in the name' }) }

/** Clamped to the maximum page size. */
export const limit: Param<number> = {
  schema: Type.Integer({
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: `Page size; larger values count as ${MAX_LIMIT}`,
  }),
  read: (name, raw) => Math.min(positive(name, raw), MAX_LIMIT),
  fallback: DEFAULT_LIMIT,
}

/** Opaque here: the list decodes it. */
export const cursor: Param<string> = {
  schema: Type.String({ description: 'next_cursor of the previous page' }),
  read: (_, raw) => raw,
}

/** The paging parameters of a list. */
export const paging = { limit, cursor }

/** The same with another description. */
export const described = <T>(param: Param<T>, description: string): Param<T> => ({
  ...param,
  schema: { ...param.schema, description } as TSchema,
})

/** Search words: every one must match; one with fewer than three characters must start a word. Case and accents are ignored. */
export const words = (description: string): Param<string> => ({
  schema: Type.String({ minLength: 1, description }),
  read(name, raw) {
    if (raw.trim() === '') throw invalidParameter(name, 'must not be empty')
    return text.read(name, raw)
  },
})

export const flag: Param<boolean> = {
  schema: Type.Enum(['true', 'false', '1', '0']),
  read(name, raw) {
    const word = raw.toLowerCase()
    if (word === 'true' || word === '1') return true
    if (word === 'false' || word === '0') return false
    throw invalidParameter(name, 'must be true, false, 1 or 0')
  },
}

/** A timestamp, or a date for the start of that UTC day; without an offset it is UTC. */
export const instant: Param<string> = {
  schema: Type.String({ description: 'ISO 8601 time or date; a date means 00:00 UTC' }),
  read(name, raw) {
    const time = readTime(raw)
    if (!time) throw invalidParameter(name, 'must be an ISO 8601 timestamp or date')
    return new Date(time.ms).toISOString()
  },
}

/** A record's id as a filter: one that cannot exist matches nothing. */
export const reference: Param<number> = { schema: Type.String(), read: (_, raw) => readId(raw) ?? 0 }
/** The same for 32-bit ids. */
export const shortReference: Param<number> = { schema: Type.String(), read: (_, raw) => readShortId(raw) ?? 0 }

const ASSIGNEE_FORMAT = 'handle:<agent-handle> or user:<numeric user id>'

type Assignee = { handle: string } | { user_id: number }

export const assignee: Param<Assignee> = {
  schema: Type.String({ description: ASSIGNEE_FORMAT }),
  read(_, raw) {
    const handle = raw.startsWith('handle:') ? raw.slice(7) : undefined
    if (handle !== undefined && HANDLE.test(handle)) return { handle }
    const user = raw.startsWith('user:') ? raw.slice(5) : ''
    if (/^\d+$/.test(user)) return { user_id: Number(user) > INTEGER_MAX ? 0 : Number(user) }
    throw invalidAssignee('assignee must be an agent handle or a user id.', ASSIGNEE_FORMAT)
  },
}

export const DAYS_MAX = 90

/** Clamped on both sides; only a non-number is refused. */
export const daysBack: Param<number> = {
  schema: Type.Integer({ minimum: 1, maximum: DAYS_MAX, default: 7, description: 'Days to look back; ignored with since' }),
  read(name, raw) {
    if (!/^-?\d+$/.test(raw)) throw invalidParameter(name, 'must be an integer')
    return Math.min(Math.max(Number(raw), 1), DAYS_MAX)
  },
  fallback: 7,
}

export const importDays: Param<number> = {
  schema: Type.Integer({ minimum: 1, maximum: IMPORT_DAYS_MAX, default: 90, description: 'Days to look back' }),
  read(name, raw) {
    if (!/^-?\d+$/.test(raw)) throw invalidParameter(name, 'must be an integer')
    return Math.min(Math.max(Number(raw), 1), IMPORT_DAYS_MAX)
  },
  fallback: 90,
}

/** A moment, or the local time of the account's zone if no offset was given. */
export type Since = { instant: string } | { wall: string }

export const since: Param<Since> = {
  schema: Type.String({ description: 'ISO 8601 time; without an offset, in the time zone of the account' }),
  read(name, raw) {
    const time = readTime(raw)
    if (!time?.hasTime) throw invalidParameter(name, 'must be an ISO 8601 timestamp with a time (write + as %2B)')
    const text = new Date(time.ms).toISOString()
    return time.hasOffset ? { instant: text } : { wall: text.slice(0, -1) }
  },
}

/** Event types, some by a wildcard such as `approval.*`. */
const eventTypesOf = <T extends EventType>(known: readonly T[]): Param<T[]> => ({
  schema: Type.String({
    description: `Event types, comma-separated or repeated, wildcards allowed: ${known.join(', ')}`,
  }),
  read: (_, raw) => [...new Set(raw.split(',').flatMap((word) => typesNamed(known, word)))],
  list: true,
})

const typesNamed = <T extends EventType>(known: readonly T[], word: string): readonly T[] => {
  const found = word.endsWith('.*')
    ? known.filter((type) => type.startsWith(word.slice(0, -1)))
    : known.filter((type) => type === word)
  if (found.length === 0 || word === '.*') throw invalidEventType(known)
  return found
}

export const eventTypes = eventTypesOf(FEED_EVENT_TYPES)
/** Including types that are not in the feed. */
export const everyEventType = eventTypesOf(EVENT_TYPES)

/** How many lines from the end. */
export const lines: Param<number> = {
  schema: Type.Integer({ minimum: 1, description: 'Number of lines from the end' }),
  read: (name, raw) => Math.min(positive(name, raw), INTEGER_MAX),
}

export type Params = Record<string, Param<unknown>>
export type Query<P extends Params> = {
  [K in keyof P]: P[K] extends Param<infer T> ? (K extends 'limit' | 'days_back' ? T : T | undefined) : never
}

/** All names first, then all types, then all values: the first violated rule decides the error. */
export const readQuery = <P extends Params>(params: P, raw: RawQuery): Query<P> => readValues(params, readNames(params, raw))

/** The sent parameters, each once unless it may be a list. */
export function readNames(params: Params, raw: RawQuery): Map<string, string> {
  const values = new Map<string, string>()
  const wrong = new Set<string>()
  for (const [name, value] of raw) {
    const bracket = name.indexOf('[')
    const known = bracket === -1 ? name : name.slice(0, bracket)
    if (!Object.hasOwn(params, known)) throw unknownParameter(known || name, Object.keys(params))
    const repeated = values.has(known)
    const plain = bracket === -1 || name.slice(bracket) === '[]'
    if (params[known]!.list ? !plain : repeated || bracket !== -1) wrong.add(known)
    values.set(known, repeated ? `${values.get(known)},${value}` : value)
  }
  for (const name of wrong) throw invalidType(name)
  return values
}

export const readValues = <P extends Params>(params: P, given: ReadonlyMap<string, string>): Query<P> =>
  Object.fromEntries(
    Object.entries(params).map(([name, param]) => {
      const value = given.get(name)
      return [name, value === undefined ? param.fallback : param.read(name, value)]
    }),
  ) as Query<P>

const idUpTo =
  (max: number) =>
  (raw: string): number | undefined => {
    if (!/^[1-9]\d{0,15}$/.test(raw)) return undefined
    const id = Number(raw)
    return id <= max ? id : undefined
  }

/** Record ids are plain positive integers; anything else matches nothing. */
export const readId = idUpTo(ID_MAX)
/** Ids of accounts, projects, people and other small tables are 32-bit columns, which reject larger values. */
export const readShortId = idUpTo(INTEGER_MAX)

export const isUuid = (raw: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(raw)
