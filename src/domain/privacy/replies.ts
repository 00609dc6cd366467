import type { TSchema } from 'typebox'
import { isOwn } from '../../contract/fields.ts'
import { scrub, scrubAll } from './scrub.ts'

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
 * Scrubs values of a shape where they leave: every text but what the shape calls own, and what can only be an id, a time or a word of
 * a closed set. Undefined where there is nothing to scrub. A field that is added to a shape is scrubbed until somebody says otherwise.
 */
export function scrubberOf(shape: TSchema): Scrub | undefined {
  const schema = shape as Schema
  if (isOwn(shape)) return undefined
  if (schema.anyOf) return orNull(schema.anyOf.map((option) => scrubberOf(option as TSchema)).find((one) => one !== undefined))
  const types = [schema.type ?? []].flat()
  if (schema.enum || 'const' in schema || schema.format || schema.pattern) return undefined
  if (schema.properties) return orNull(fieldsScrubber(schema.properties))
  if (schema.items) return orNull(itemsScrubber(schema.items))
  if (types.includes('string')) return (value: unknown) => (typeof value === 'string' ? scrub(value) : value)
  return types.length === 0 || types.includes('object') ? scrubAll : undefined
}

const orNull = (inner: Scrub | undefined): Scrub | undefined => inner && ((value) => (value == null ? value : inner(value)))

function itemsScrubber(items: Schema): Scrub | undefined {
  const one = scrubberOf(items as TSchema)
  return one && ((values: never[]) => values.map(one))
}

/** The object itself where nothing had to be taken out of it, which is nearly always. */
function fieldsScrubber(properties: Record<string, Schema>): Scrub | undefined {
  const fields = Object.entries(properties).flatMap(([name, schema]) => {
    const one = scrubberOf(schema as TSchema)
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
