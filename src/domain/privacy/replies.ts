import type { TSchema } from 'typebox'
import { isOwn } from '../../contract/fields.ts'
import { scrub, scrubAll, scrubAuthor } from './scrub.ts'

type Scrub = (value: never) => unknown
interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  pattern?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
}

/**
 * Scrubs output by its shape: every text except fields marked as own, and those that can only be an id, a time or a value of a closed set.
 * Undefined if there is nothing to scrub. A new field of a shape is scrubbed by default, and one called `author` as the name of a person.
 */
export function scrubberOf(shape: TSchema, ofText = scrub): Scrub | undefined {
  const schema = shape as Schema
  if (isOwn(shape)) return undefined
  if (schema.anyOf)
    return orNull(schema.anyOf.map((option) => scrubberOf(option as TSchema, ofText)).find((one) => one !== undefined))
  const types = [schema.type ?? []].flat()
  if (schema.enum || 'const' in schema || schema.format || schema.pattern) return undefined
  if (schema.properties) return orNull(fieldsScrubber(schema.properties))
  if (schema.items) return orNull(itemsScrubber(schema.items))
  if (types.includes('string')) return (value: unknown) => (typeof value === 'string' ? ofText(value) : value)
  return types.length === 0 || types.includes('object') ? scrubAll : undefined
}

const orNull = (inner: Scrub | undefined): Scrub | undefined => inner && ((value) => (value == null ? value : inner(value)))

function itemsScrubber(items: Schema): Scrub | undefined {
  const one = scrubberOf(items as TSchema)
  return one && ((values: never[]) => values.map(one))
}

/** Returns the object itself if nothing had to be removed, which is nearly always. */
function fieldsScrubber(properties: Record<string, Schema>): Scrub | undefined {
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const one = scrubberOf(schema as TSchema, name === 'author' ? scrubAuthor : scrub)
    return one ? [[name, one] as const] : []
  })
  if (fields.length === 0) return undefined
  return (value: Record<string, never>) => {
    let shown: Record<string, unknown> = value
    for (const [name, one] of fields) {
      if (value[name] === undefined) continue
      const next = one(value[name])
      if (next === value[name]) continue
      if (shown === value) shown = { ...value }
      shown[name] = next
    }
    return shown
  }
}
