export interface Schema {
  type?: string | readonly string[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value

const allows = (types: readonly string[], type: string) =>
  types.includes(type) || (type === 'integer' && types.includes('number'))

/**
 * Where a value differs from its schema, or undefined. Additional fields and values of a newer service are accepted; a missing field or
 * another type is not.
 */
export function misfit(schema: Schema, value: unknown, path = 'the response'): string | undefined {
  if (schema.anyOf) {
    const wrong = schema.anyOf.map((option) => misfit(option, value, path))
    return wrong.includes(undefined) ? undefined : wrong[0]
  }
  const types = schema.type === undefined ? [] : [schema.type].flat()
  const type = typeOf(value)
  if (types.length > 0 && !allows(types, type)) return `${path} is ${type}`
  if (type === 'array' && schema.items) {
    for (const [index, item] of (value as unknown[]).entries()) {
      const wrong = misfit(schema.items, item, `${path}[${index}]`)
      if (wrong) return wrong
    }
  }
  if (type !== 'object') return undefined
  const fields = value as Record<string, unknown>
  for (const name of schema.required ?? []) if (!Object.hasOwn(fields, name)) return `${path} has no ${name}`
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const wrong = Object.hasOwn(fields, name) ? misfit(inner, fields[name], name) : undefined
    if (wrong) return wrong
  }
  return undefined
}
