import { ID_MAX } from '../contract/params.ts'
import { readTime } from '../contract/time.ts'

/** A place of the file that names something else: a key of the file, or the id of what exists already. */
export interface Reference {
  path: string
  list: Referable
  raw: string | number
  found?: Found
}
export type Referable = 'accounts' | 'users' | 'projects' | 'integrations' | 'changes' | 'build_runs' | 'deployments'

/** What there is to know of a row that others refer to. */
export interface Found {
  id: number | string
  account_id?: number
  project_id?: number
  /** A project's. */
  engine?: string
  /** A user's. */
  account_ids?: number[]
}

/** What reading a row brings up beside its values. */
export interface Reading {
  references: Reference[]
  /** Keys given to entries within the row. */
  keys: { list: 'approvals'; key: string }[]
}

export type Read<T> = (path: string, value: unknown, reading: Reading) => T

export interface Field<T, Required extends boolean = boolean> {
  read: Read<T>
  required: Required
  /** Null is a value of its own, not the same as absent. */
  nullable?: true
}
export const required = <T>(read: Read<T>): Field<T, true> => ({ read, required: true })
export const optional = <T>(read: Read<T>): Field<T, false> => ({ read, required: false })
export const orNull = <T>(read: Read<T>): Field<T | null, false> => ({ read, required: false, nullable: true })

export type Fields = Record<string, Field<unknown>>
export type Values<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<infer T, true> ? T : F[K] extends Field<infer T, false> ? T | undefined : never
}

export const refuse = (path: string, why: string) => new Error(`${path} ${why}`)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Null stands for absent, so that an export may write all its columns, except where it is a value of its own. */
export const object = <F extends Fields>(fields: F): Read<Values<F>> => {
  const declared = Object.entries(fields)
  return (path, value, reading) => {
    if (!isObject(value)) throw refuse(path, 'must be an object')
    const inner = path === '' ? '' : `${path}.`
    for (const name of Object.keys(value))
      if (!Object.hasOwn(fields, name)) throw new Error(`unknown field ${JSON.stringify(inner + name)}`)
    const read: Record<string, unknown> = {}
    for (const [name, field] of declared) {
      const given = value[name]
      if (given != null) read[name] = field.read(inner + name, given, reading)
      else if (given === null && field.nullable) read[name] = null
      else if (field.required) throw refuse(inner + name, 'is required')
    }
    return read as Values<F>
  }
}

export const listOf =
  <T>(read: Read<T>): Read<T[]> =>
  (path, value, reading) => {
    if (!Array.isArray(value)) throw refuse(path, 'must be a list')
    return value.map((item, index) => read(`${path}[${index}]`, item, reading))
  }

/** PostgreSQL holds neither NUL nor half a surrogate pair: the first is refused, the second mended. */
export const text =
  (max = Number.POSITIVE_INFINITY, min = 0): Read<string> =>
  (path, value) => {
    if (typeof value !== 'string') throw refuse(path, 'must be a string')
    if (value.includes('\0')) throw refuse(path, 'must not contain a NUL character')
    if (value.length < min || (min > 0 && value.trim() === '')) throw refuse(path, 'must not be empty')
    if (value.length * 3 > max && Buffer.byteLength(value) > max) throw refuse(path, `must be at most ${max} bytes`)
    return value.isWellFormed() ? value : value.toWellFormed()
  }

/** What tools write either way: `42` and `"42"`. */
export const textOrNumber =
  (max: number, min = 0): Read<string> =>
  (path, value, reading) =>
    text(max, min)(path, Number.isSafeInteger(value) ? String(value) : value, reading)

export const oneOf =
  <const V extends string>(values: readonly V[]): Read<V> =>
  (path, value) => {
    const found = values.find((one) => one === value)
    if (found === undefined) throw refuse(path, `must be one of: ${values.join(', ')}`)
    return found
  }

export const integer =
  (min: number, max = ID_MAX): Read<number> =>
  (path, value) => {
    if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max)
      throw refuse(path, `must be an integer from ${min} to ${max}`)
    return value as number
  }

export const flag: Read<boolean> = (path, value) => {
  if (typeof value !== 'boolean') throw refuse(path, 'must be true or false')
  return value
}

export const instant: Read<string> = (path, value) => {
  if (typeof value === 'string' && isPlain(value)) return value
  const time = typeof value === 'string' ? readTime(value) : undefined
  const iso = time === undefined ? '' : new Date(time.ms).toISOString()
  // An offset may push a time out of the years 1 to 9999.
  if (iso.length !== 24 || iso.startsWith('0000')) throw refuse(path, 'must be an ISO 8601 timestamp')
  return iso
}

/** Already as it is stored: most are, and reading the rest takes ten times as long. */
const isPlain = (value: string) => {
  const ms = value.length === 24 && value >= '0001' ? Date.parse(value) : Number.NaN
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value
}

/** Any object, kept as it is. */
export const json: Read<Record<string, unknown>> = (path, value, reading) => {
  if (!isObject(value)) throw refuse(path, 'must be an object')
  return storable(path, value, reading) as Record<string, unknown>
}

const storable: Read<unknown> = (path, value, reading) => {
  if (typeof value === 'string') return text()(path, value, reading)
  if (Array.isArray(value)) return value.map((item, index) => storable(`${path}[${index}]`, item, reading))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [text()(path, name, reading), storable(`${path}.${name}`, item, reading)]),
  )
}

export const reference =
  (list: Referable): Read<Reference> =>
  (path, value, reading) => {
    if (!(typeof value === 'string' && value !== '') && !Number.isSafeInteger(value)) throw refuse(path, 'must be a key or an id')
    const made = { path, list, raw: value as string | number }
    reading.references.push(made)
    return made
  }

/** `{"<reference>": "<role>"}` */
export const rolesOf =
  <const V extends string>(list: Referable, roles: readonly V[]): Read<{ who: Reference; role: V }[]> =>
  (path, value, reading) => {
    if (!isObject(value)) throw refuse(path, 'must be an object of keys and roles')
    return Object.entries(value).map(([name, role]) => ({
      who: reference(list)(`${path}.${name}`, name, reading),
      role: oneOf(roles)(`${path}.${name}`, role, reading),
    }))
  }
