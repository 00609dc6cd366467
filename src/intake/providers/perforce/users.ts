import { text } from '../../reading.ts'
import { records } from './streams.ts'

/** Parses `p4 -Mj -ztag users`. */
export const parseUsers = (output: string) =>
  records(output).flatMap(({ User, Email, FullName }) => {
    const uid = text(User)
    return uid === undefined ? [] : [{ uid, name: text(FullName) ?? '', email: text(Email) ?? '' }]
  })
