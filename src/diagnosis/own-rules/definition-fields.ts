import { invalidParameter } from '../../contract/errors.ts'

/** Reads one value of a definition, or refuses it in one line that begins with its place. */
export type Read<T> = (where: string, value: unknown) => T

export const text =
  (min: number, max: number): Read<string> =>
  (where, value) => {
    if (typeof value !== 'string') throw invalidParameter(where, 'must be a text')
    if (value.length < min || value.length > max) throw invalidParameter(where, `must have ${min} to ${max} characters`)
    // PostgreSQL holds neither.
    if (value.includes('\0') || !value.isWellFormed()) throw invalidParameter(where, 'must not hold NUL or broken characters')
    return value
  }

export const whole =
  (min: number, max: number): Read<number> =>
  (where, value) => {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max)
      throw invalidParameter(where, `must be a whole number from ${min} to ${max}`)
    return value as number
  }

export const oneOf =
  <V extends string | boolean>(values: readonly V[]): Read<V> =>
  (where, value) => {
    if (!values.includes(value as V)) throw invalidParameter(where, `must be one of: ${values.join(', ')}`)
    return value as V
  }

export const list =
  <T>(read: Read<T>, min: number, max: number): Read<T[]> =>
  (where, value) => {
    if (!Array.isArray(value)) throw invalidParameter(where, 'must be a list')
    if (value.length < min || value.length > max) throw invalidParameter(where, `must have ${min} to ${max} entries`)
    return value.map((each, index) => read(`${where}[${index}]`, each))
  }

/** Fields in the order of the table; what is not in it is refused. */
export const fields =
  <T extends object>(readers: { [K in keyof T]-?: Read<NonNullable<T[K]>> }, required: readonly (keyof T & string)[]): Read<T> =>
  (where, value) => {
    const given = record(where || 'The rule', value)
    const at = (name: string) => (where === '' ? name : `${where}.${name}`)
    for (const name of Object.keys(given))
      if (!Object.hasOwn(readers, name))
        throw invalidParameter(at(shortened(name)), `is not known here; known: ${Object.keys(readers).join(', ')}`)
    for (const name of required) if (!Object.hasOwn(given, name)) throw invalidParameter(at(name), 'is missing')
    const names = (Object.keys(readers) as (keyof T & string)[]).filter((name) => Object.hasOwn(given, name))
    return Object.fromEntries(names.map((name) => [name, readers[name](at(name), given[name])])) as T
  }

const record = (where: string, value: unknown): Record<string, unknown> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidParameter(where, 'must be an object')
  return value as Record<string, unknown>
}

const shortened = (name: string) => (name.length > 60 ? `${name.slice(0, 60)}…` : name).replace(/\s+/g, ' ').toWellFormed()
