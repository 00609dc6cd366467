import { notFound } from '../../contract/errors.ts'
import { readId, readShortId } from '../../contract/params.ts'

const readBy = (read: typeof readId) => (raw: string, what: string) => {
  const id = read(raw)
  if (id === undefined) throw notFound(what)
  return id
}

/** The id in a path; an invalid one matches nothing. */
export const idOf = readBy(readId)
/** For 32-bit ids. */
export const shortIdOf = readBy(readShortId)
