import { at, objects, text, word } from '../../reading.ts'
import type { UserList } from '../user-list.ts'

/** People of all workspaces that the token may see, guests included. Workspaces are listed with their members, all at once. */
export const users: UserList = {
  headers: ({ api_token }) => ({ authorization: text(api_token) ?? '' }),
  first: () => ({ path: '/api/v2/team' }),
  read({ body }) {
    const members = objects(at(body, 'teams')).flatMap(({ members }) => objects(members))
    const people = members.flatMap(({ user }) => {
      const uid = word(at(user, 'id'))
      return uid === undefined ? [] : [{ uid, name: text(at(user, 'username')) ?? '', email: text(at(user, 'email')) ?? '' }]
    })
    return { people }
  },
}
