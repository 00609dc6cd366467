import { type Static, type TSchema, Type } from 'typebox'
import { EMAIL, ID_MAX, INTEGER_MAX, NAME_MAX } from './limits.ts'

/** The field types of bodies and replies, and the frames of lists. */

export const object = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

/** Every field is optional, and unknown ones are refused: `Type.Partial` alone would allow any. */
export const partial = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Partial(Type.Object(properties), { additionalProperties: false })

type Nullable<S extends TSchema> = Static<S> | null
export const nullable = <S extends TSchema>(schema: S) => {
  const { type } = schema as { type?: string }
  return type === undefined || type === 'object'
    ? Type.Unsafe<Nullable<S>>({ anyOf: [schema, { type: 'null' }] })
    : Type.Unsafe<Nullable<S>>({ ...schema, type: [type, 'null'] })
}

/** Text from a tool or anybody outside: scrubbed on output (`domain/privacy/`). */
export const text = Type.String()
const OWN = Symbol('own')
/** Marks text that is sent unchanged: written by us, or by the account's own people for themselves. */
export const own = <S extends TSchema>(schema: S): S => ({ ...schema, [OWN]: true })
export const isOwn = (schema: object): boolean => OWN in schema
export const ownText = own(Type.String())
export const integer = Type.Integer()
/** A record's id in a request. */
export const recordId = Type.Integer({ minimum: 1, maximum: ID_MAX })
/** The id of an account, a project, a person or anything else with few rows. */
export const shortId = Type.Integer({ minimum: 1, maximum: INTEGER_MAX })
/** A name that people give: not blank. */
export const name = Type.String({ minLength: 1, maxLength: NAME_MAX, pattern: '\\S' })
export const email = Type.String({ minLength: 3, maxLength: EMAIL.maxLength, pattern: EMAIL.pattern.source })
export const flag = Type.Boolean()
export const uuid = Type.String({ format: 'uuid' })
export const instant = Type.String({ format: 'date-time', description: 'UTC time with milliseconds, ending in Z' })
export const idText = Type.String({ pattern: '^[0-9]+$' })
export const oneOf = <const V extends string>(values: readonly V[]) => Type.Enum([...values])

export const Pagination = object({ limit: integer, has_more: flag, next_cursor: nullable(ownText) })
/** Build runs and assets return only a first page. */
export const ShortPagination = object({ limit: integer, has_more: flag })

/** Any keys: a record's pattern, `^.*$`, would exclude keys with line breaks. */
export const anyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

export const page = <K extends string, S extends TSchema>(key: K, item: S, pagination: TSchema = Pagination) =>
  Type.Object({ [key]: Type.Array(item), pagination } as { [P in K]: Type.TArray<S> } & { pagination: typeof Pagination }, {
    additionalProperties: false,
  })

/** A list without pages. */
export const list = <K extends string, S extends TSchema>(key: K, item: S) =>
  Type.Object({ [key]: Type.Array(item) } as { [P in K]: Type.TArray<S> }, { additionalProperties: false })
