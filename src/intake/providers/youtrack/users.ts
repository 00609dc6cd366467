import { objects, text } from '../../reading.ts'
import type { UserList } from '../user-list.ts'

const PAGE = 100
const page = (skip: number) => ({ path: `/api/users?fields=login,fullName,email,banned,guest&$skip=${skip}&$top=${PAGE}` })

/** People of the server. An address is only told to those who may read it. */
export const users: UserList = {
  headers: ({ api_token }) => ({ accept: 'application/json', authorization: `Bearer ${text(api_token) ?? ''}` }),
  first: () => page(0),
  read({ body }, { path }) {
    const listed = objects(body)
    const people = listed.flatMap(({ login, fullName, email, banned, guest }) => {
      const uid = text(login)
      return uid === undefined || banned === true || guest === true
        ? []
        : [{ uid, name: text(fullName) ?? '', email: text(email) ?? '' }]
    })
    const skip = Number(/\$skip=(\d+)/.exec(path)![1])
    // The server may list fewer than it is asked for.
    return { people, next: listed.length === 0 ? [] : [page(skip + listed.length)] }
  },
}
