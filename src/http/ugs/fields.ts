import type { FastifyRequest } from 'fastify'
import { invalidParameter, notOneOf } from '../../contract/errors.ts'
import {
  type Field,
  filled,
  integer,
  isObject,
  object,
  optional,
  type Reader,
  required,
  text,
  type Values,
} from '../../contract/field-readers.ts'
import { IDENTIFIER_MAX, INTEGER_MAX, NAME_MAX, URL_MAX } from '../../contract/limits.ts'
import { UGS_BADGE_STATES } from '../../contract/sets.ts'
import { depotPath } from '../../domain/ugs/paths.ts'
import { jsonOf } from '../routes/request-body.ts'

type Fields = Record<string, Field<unknown>>

/** Clients do not encode the query, so a plus is not a space. */
export const queryOf = <F extends Fields>({ url }: FastifyRequest, fields: F): Values<F> =>
  tolerant(fields)('query', Object.fromEntries(new URLSearchParams((url.split('?', 2)[1] ?? '').replaceAll('+', '%2B'))))

export const bodyOf = <F extends Fields>(request: FastifyRequest, fields: F): Values<F> =>
  tolerant(fields)('body', jsonOf(request))

/** An object whose senders spell names in any case, add unknown fields, and write null for absent. */
export const tolerant = <F extends Fields>(fields: F): Reader<Values<F>> => {
  const names = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]))
  const read = object(fields, { nullIsAbsent: true })
  return (what, value) => {
    if (!isObject(value)) throw invalidParameter(what, 'must be an object')
    const known = Object.entries(value).flatMap(([name, given]) => {
      const spelled = names.get(name.toLowerCase())
      return spelled === undefined ? [] : [[spelled, given] as const]
    })
    return read('', Object.fromEntries(known))
  }
}

/** In a query, or as a string in a body: `"42"`. */
export const number =
  (min: number, max: number): Reader<number> =>
  (name, value) =>
    integer(min, max)(name, typeof value === 'string' && /^\d{1,19}$/.test(value) ? Number(value) : value)

/** A changelist number; clients store it in 32 bits. */
export const change = number(1, INTEGER_MAX)

/** By its name in any case, or by its index in the list. */
export const member =
  <V extends string>(values: readonly V[]): Reader<V> =>
  (name, value) => {
    const word = typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : undefined
    const found = values.find((one, at) => one.toLowerCase() === word || String(at) === word)
    if (found === undefined) throw notOneOf(name, values)
    return found
  }

/** A depot folder: a stream, or a project in it. */
export const folder: Reader<string> = (name, value) => {
  const path = depotPath(text(IDENTIFIER_MAX)(name, value))
  if (path === undefined) throw invalidParameter(name, 'must be a path such as //depot/stream/project')
  return path
}

/** Paths as clients split them, with the name of the first part. */
export const folderIn = (name: string, stream: string, project = '') =>
  folder(name, project === '' ? stream : `${stream}/${project}`)

export const user: Reader<string> = (name, value) => filled(NAME_MAX)(name, value).trim()

/** The link of a badge: clients open any URL, so it must be a web page. */
const link: Reader<string> = (name, value) => {
  const url = text(URL_MAX)(name, value).trim()
  if (url !== '' && !/^https?:\/\//i.test(url)) throw invalidParameter(name, 'must begin with http:// or https://')
  return url
}

const BADGE_NAME_MAX = 200

/** The fields of a badge, which the calls name differently. */
export const badge = {
  name: required(filled(BADGE_NAME_MAX)),
  state: required(member(UGS_BADGE_STATES)),
  url: optional(link),
}
