import type { TSchema } from 'typebox'
import { Pagination, ShortPagination } from '../fields.ts'
import * as health from '../health-shapes.ts'
import * as shapes from '../shapes.ts'
import { exampleOf } from './examples.ts'

/** Resources by name; a schema is recognized by identity. */
export const NAMED_SCHEMAS: [name: string, schema: TSchema][] = Object.entries({
  Pagination,
  ShortPagination,
  ...shapes,
  ...health,
})
const NAMES = new Map<unknown, string>(NAMED_SCHEMAS.map(([name, schema]) => [schema, name]))

export const nameOf = (schema: unknown): string | undefined => NAMES.get(schema)

/** Replaces every named resource in the schema with a reference. */
export const referring = (schema: unknown): unknown => {
  const name = nameOf(schema)
  return name === undefined ? inner(schema) : { $ref: `#/components/schemas/${name}` }
}

/** All of them, each with an example. */
export const namedSchemas = (): Record<string, object> =>
  Object.fromEntries(
    NAMED_SCHEMAS.map(([name, schema]) => [name, { ...(inner(schema) as object), examples: [exampleOf(schema)] }]),
  )

const inner = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(referring)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, referring(part)]))
}
