import { invalidParameter } from '../contract/errors.ts'
import * as readers from '../contract/field-readers.ts'

/** A reference in the file: a key of the file, or the id of an existing record. */
export interface Reference {
  path: string
  list: Referable
  raw: string | number
  found?: Found
}
export type Referable =
  | 'accounts'
  | 'users'
  | 'projects'
  | 'integrations'
  | 'changes'
  | 'build_runs'
  | 'assets'
  | 'deployments'
  | 'breakages'
  | 'tasks'

/** The known fields of a referenced row. */
export interface Found {
  id: number | string
  account_id?: number
  project_id?: number
  /** For a project. */
  engine?: string
  /** For a user. */
  account_ids?: number[]
}

/** By-products of reading a row. */
export interface Reading {
  references: Reference[]
  /** Keys given to entries within the row. */
  keys: { list: 'approvals'; key: string }[]
}

/** Reads a value of the file. */
export type Read<T> = readers.Reader<T, [Reading]>

export const orNull = <T>(read: Read<T>): readers.Field<T | null, [Reading], false> => ({ read, required: false, nullable: true })

export const object = <F extends Record<string, readers.Field<unknown, [Reading]>>>(fields: F) =>
  readers.object<F, [Reading]>(fields, {
    unknown: (path) => new Error(`unknown field ${JSON.stringify(path)}`),
    nullIsAbsent: true,
  })

/** Any object, unchanged. */
export const json: Read<Record<string, unknown>> = (path, value) => {
  if (!readers.isObject(value)) throw invalidParameter(path, 'must be an object')
  return storable(path, value) as Record<string, unknown>
}

const storable: readers.Reader<unknown> = (path, value) => {
  if (typeof value === 'string') return readers.text()(path, value)
  if (Array.isArray(value)) return value.map((item, index) => storable(`${path}[${index}]`, item))
  if (!readers.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [readers.text()(path, name), storable(`${path}.${name}`, item)]),
  )
}

/** A file, in base64. */
export const bytes =
  (max: number): Read<Buffer> =>
  (path, value) => {
    const text = readers.filled(Math.ceil(max / 3) * 4)(path, value)
    const read = Buffer.from(text, 'base64')
    if (read.toString('base64').replace(/=+$/, '') !== text.replace(/=+$/, ''))
      throw invalidParameter(path, 'must be a file in base64')
    return read
  }

export const reference =
  (list: Referable): Read<Reference> =>
  (path, value, reading) => {
    if (!(typeof value === 'string' && value !== '') && !Number.isSafeInteger(value))
      throw invalidParameter(path, 'must be a key or an id')
    const made = { path, list, raw: value as string | number }
    reading.references.push(made)
    return made
  }

/** `{"<reference>": "<role>"}` */
export const rolesOf =
  <const V extends string>(list: Referable, roles: readonly V[]): Read<{ who: Reference; role: V }[]> =>
  (path, value, reading) => {
    if (!readers.isObject(value)) throw invalidParameter(path, 'must be an object of keys and roles')
    return Object.entries(value).map(([name, role]) => ({
      who: reference(list)(`${path}.${name}`, name, reading),
      role: readers.oneOf(roles)(`${path}.${name}`, role),
    }))
  }

export const idOf = (reference: Reference) => reference.found!.id as number

export function memberOf({ account_id }: { account_id: number }, user: Reference): number {
  if (!user.found!.account_ids!.includes(account_id)) throw invalidParameter('user', 'must be a member of the account')
  return idOf(user)
}
