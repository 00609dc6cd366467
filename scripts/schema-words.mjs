// What the contract needs of TypeBox for declarations: plain JSON Schema, without the code that checks values. The bundled client only
// reads the table, and starts faster without the rest. A test compares both forms.
const optional = new WeakSet()

const object = (properties, options = {}) => {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name]))
  return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options }
}

const Optional = (schema) => {
  const marked = { ...schema }
  optional.add(marked)
  return marked
}

export const Type = {
  String: (options) => ({ type: 'string', ...options }),
  Integer: (options) => ({ type: 'integer', ...options }),
  Number: (options) => ({ type: 'number', ...options }),
  Boolean: (options) => ({ type: 'boolean', ...options }),
  Unknown: (options) => ({ ...options }),
  Array: (items, options) => ({ type: 'array', items, ...options }),
  Object: object,
  Record: (_key, value, options) => ({ type: 'object', patternProperties: { '^.*$': value }, ...options }),
  Enum: (values, options) => ({ enum: values, ...options }),
  Unsafe: (schema) => ({ ...schema }),
  Optional,
  Partial: ({ properties }, options) => ({
    type: 'object',
    properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Optional(schema)])),
    ...options,
  }),
}
