import { notFound } from '../../contract/errors.ts'
import { readId, readShortId } from '../../contract/params.ts'

const readBy = (read: typeof readId) => (raw: string, what: string) => {
  const id = read(raw)
  if (id === undefined) throw notFound(what)
  return id
}

/** The id in a path; what could not be one names nothing. */
export const idOf = readBy(readId)
/** Of something that counts with 32 bits. */
export const shortIdOf = readBy(readShortId)
