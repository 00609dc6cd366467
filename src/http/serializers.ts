import fastJson from 'fast-json-stringify'

const compiled = new WeakMap<object, (value: unknown) => string>()

/** Compiled with the first response of its shape: compiling all of them took a third of the start, twice for each scheme. */
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
