import fastJson from 'fast-json-stringify'

const compiled = new WeakMap<object, (value: unknown) => string>()

/** Compiled when the first answer of its shape is given: for all of them at once it was a third of a start, twice for each way in. */
export const serializerOf =
  (shape: object) =>
  (value: unknown): string => {
    let serialize = compiled.get(shape)
    if (serialize === undefined) {
      serialize = fastJson(shape)
      compiled.set(shape, serialize)
    }
    return serialize(value)
  }
