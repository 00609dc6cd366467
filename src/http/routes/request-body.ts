import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { bodyReader } from '../../contract/bodies.ts'
import { invalidJson, invalidParameter, unknownParameter, unstorableText, unsupportedType } from '../../contract/errors.ts'

/** Invalid UTF-8 is refused: a repaired text would not be what was sent. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

export function jsonOf(request: FastifyRequest): unknown {
  const raw = request.body as Buffer | undefined
  if (raw === undefined || raw.length === 0) return undefined
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) throw unsupportedType()
  try {
    return JSON.parse(utf8.decode(raw))
  } catch {
    throw invalidJson()
  }
}

/** NUL and lone surrogates as JSON escapes; after an even number of backslashes, otherwise it is literal text. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** The body according to its schema, or the first error. */
export function readBody(schema: TSchema, body: unknown): unknown {
  const read = bodyReader(schema)
  if (read) return read(body)
  const wrong = Value.Errors(schema, body)
  const extra = wrong.find(({ keyword }) => keyword === 'additionalProperties')
  if (extra)
    throw unknownParameter(String((extra.params as { additionalProperties: string[] }).additionalProperties[0]), fieldsOf(schema))
  const [first] = wrong
  if (first?.keyword === 'required')
    throw invalidParameter((first.params as { requiredProperties: string[] }).requiredProperties[0]!, 'is required')
  if (first) throw invalidParameter(first.instancePath.slice(1).replaceAll('/', '.') || 'body', first.message)
  if (UNSTORABLE.test(JSON.stringify(body) ?? '')) throw unstorableText()
  return body
}

const fieldsOf = (schema: TSchema) => Object.keys((schema as { properties?: object }).properties ?? {})
