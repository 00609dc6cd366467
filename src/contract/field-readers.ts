import { invalidParameter, notOneOf, unknownParameter } from './errors.ts'
import { EMAIL, INTEGER_MAX } from './limits.ts'
import { readTime } from './time.ts'

/**
 * Reads a value from a request, a file or a command line: converts it for the domain, or refuses it by name. `Context` is what a reader
 * needs besides the value.
 */
export type Reader<T, Context extends unknown[] = []> = (name: string, value: unknown, ...context: Context) => T

export interface Field<T, Context extends unknown[] = [], Required extends boolean = boolean> {
  read: Reader<T, Context>
  required: Required
  /** Null is a value, not the same as absent. */
  nullable?: true
}
export const required = <T, C extends unknown[]>(read: Reader<T, C>): Field<T, C, true> => ({ read, required: true })
export const optional = <T, C extends unknown[]>(read: Reader<T, C>): Field<T, C, false> => ({ read, required: false })

// biome-ignore lint/suspicious/noExplicitAny: a table of fields may contain readers of any type and context.
type Fields = Record<string, Field<any, any>>
export type Values<F extends Fields> = {
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  [K in keyof F]: F[K] extends Field<infer T, any, true> ? T : F[K] extends Field<infer T, any, false> ? T | undefined : never
}

interface ObjectManner {
  unknown?(path: string, known: readonly string[]): Error
  missing?(path: string): Error
  /** Null means absent, so that an export can write all its columns. */
  nullIsAbsent?: true
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Unknown names first, then values in the order in which they were written, then missing ones. */
export const object = <F extends Fields, C extends unknown[] = []>(
  fields: F,
  { unknown = unknownParameter, missing = isRequired, nullIsAbsent }: ObjectManner = {},
): Reader<Values<F>, C> => {
  const known = Object.keys(fields)
  const needed = known.filter((name) => fields[name]!.required)
  return (path, value, ...context) => {
    if (!isObject(value)) throw invalidParameter(path, 'must be an object')
    const inner = path === '' ? '' : `${path}.`
    const names = Object.keys(value)
    for (const name of names) if (!Object.hasOwn(fields, name)) throw unknown(inner + name, known)
    const read: Record<string, unknown> = {}
    for (const name of names) {
      const [field, given] = [fields[name]!, value[name]]
      if (given === undefined || (given === null && nullIsAbsent && !field.nullable)) continue
      read[name] = given === null && field.nullable ? null : field.read(inner + name, given, ...context)
    }
    for (const name of needed) if (read[name] === undefined) throw missing(inner + name)
    return read as Values<F>
  }
}

const isRequired = (path: string) => invalidParameter(path, 'is required')

export const list =
  <T, C extends unknown[]>(read: Reader<T, C>, min = 0, max = Number.POSITIVE_INFINITY): Reader<T[], C> =>
  (path, value, ...context) => {
    if (!Array.isArray(value)) throw invalidParameter(path, 'must be a list')
    if (value.length < min || value.length > max) throw invalidParameter(path, `must have ${min} to ${max} entries`)
    return value.map((item, index) => read(`${path}[${index}]`, item, ...context))
  }

/** The same reader with another error message. */
export const saying =
  <T, C extends unknown[]>(why: string, read: Reader<T, C>): Reader<T, C> =>
  (name, ...rest) => {
    try {
      return read(name, ...rest)
    } catch {
      throw invalidParameter(name, why)
    }
  }

/** PostgreSQL stores neither NUL nor lone surrogates. */
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** At most `max` bytes. NUL is refused, a lone surrogate replaced. */
export const text =
  (max = Number.POSITIVE_INFINITY, min = 0): Reader<string> =>
  (name, value) => {
    if (typeof value !== 'string') throw invalidParameter(name, 'must be a string')
    if (value.includes('\0')) throw invalidParameter(name, 'must not contain a NUL character')
    const clean = value.isWellFormed() ? value : value.toWellFormed()
    if (clean.length < min) throw invalidParameter(name, 'must not be empty')
    // A UTF-16 unit has at most three bytes: most texts are short and need no counting.
    if (clean.length * 3 > max && bytesOf(clean) > max) throw invalidParameter(name, `must be at most ${max} bytes`)
    return clean
  }

export const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** Non-blank text. */
export const filled =
  (max?: number): Reader<string> =>
  (name, value) => {
    const read = text(max, 1)(name, value)
    if (read.trim() === '') throw invalidParameter(name, 'must not be empty')
    return read
  }

/** Characters as people count them. */
export const isWithin = (text: string, min: number, max: number) => {
  // Counting takes an array; twice as many units are too many characters in any case.
  if (text.length < min || text.length > max * 2) return false
  const length = [...text].length
  return length >= min && length <= max
}

export const characters =
  (min: number, max: number): Reader<string> =>
  (name, value) => {
    const read = text()(name, value)
    if (!isWithin(read, min, max)) throw invalidParameter(name, `must have ${min} to ${max} characters`)
    return read
  }

/** For tools that send either: `42` and `"42"`. */
export const numberOr =
  (read: Reader<string>): Reader<string> =>
  (name, value) =>
    read(name, Number.isSafeInteger(value) ? String(value) : value)

export const oneOf =
  <const V extends string>(values: readonly V[]): Reader<V> =>
  (name, value) => {
    const found = values.find((one) => one === value)
    if (found === undefined) throw notOneOf(name, values)
    return found
  }

export const integer =
  (min: number, max = INTEGER_MAX): Reader<number> =>
  (name, value) => {
    if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max)
      throw invalidParameter(name, `must be an integer from ${min} to ${max}`)
    return value as number
  }

/** To four digits: a point that was sent back is the same point. */
const share: Reader<number> = (name, value) => {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) throw invalidParameter(name, 'must be a number from 0 to 1')
  return Math.round(value * 10_000) / 10_000
}

/** A point of a picture, as shares of its width and height. */
export const point: Reader<{ x: number; y: number }> = object({ x: required(share), y: required(share) })

export const flag: Reader<boolean> = (name, value) => {
  if (typeof value !== 'boolean') throw invalidParameter(name, 'must be true or false')
  return value
}

/** A time in the stored form: UTC, milliseconds, in the years 1 to 9999, which an offset may exceed. */
export const instant: Reader<string> = (name, value) => {
  if (typeof value === 'string' && isPlain(value)) return value
  const time = typeof value === 'string' ? readTime(value) : undefined
  const iso = time === undefined ? '' : new Date(time.ms).toISOString()
  if (iso.length !== 24 || iso.startsWith('0000')) throw invalidParameter(name, 'must be an ISO 8601 timestamp')
  return iso
}

/** Already in the stored form: most are, and parsing the rest takes ten times as long. */
const isPlain = (value: string) => {
  const ms = value.length === 24 && value >= '0001' ? Date.parse(value) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value
}

/** In lower case, as sign-in looks it up. */
export const email: Reader<string> = (name, value) => {
  const address = text(EMAIL.maxLength)(name, value).trim().toLowerCase()
  if (!EMAIL.pattern.test(address)) throw invalidParameter(name, 'must be an email address')
  return address
}

/** Names that Node has from Java: PostgreSQL does not know them, or knows them as something else. */
const JAVA_ZONES =
  /^(?:ACT|AET|AGT|ART|AST|BET|BST|CAT|CNT|CST|CTT|EAT|ECT|IET|IST|JST|MIT|NET|NST|PLT|PNT|PRT|PST|SST|VST|US\/Pacific-New)$/i

export const timezone: Reader<string> = (name, value) => {
  try {
    if (typeof value === 'string' && !JAVA_ZONES.test(value) && new Intl.DateTimeFormat('en', { timeZone: value })) return value
  } catch {}
  throw invalidParameter(name, 'must be a time zone such as America/New_York')
}
