import { notFound } from '../../contract/errors.ts'
import { readId } from '../../contract/params.ts'

/** The id in a path; what could not be one names nothing. */
export function idOf(raw: string, what: string): number {
  const id = readId(raw)
  if (id === undefined) throw notFound(what)
  return id
}
