import { at, objects, text } from '../../reading.ts'
import { dataOf } from '../graphql.ts'
import type { UserList } from '../user-list.ts'
import { headers } from './history.ts'

const QUERY = `query ($after: String) {
  users(first: 100, after: $after) { nodes { id name email active } pageInfo { hasNextPage endCursor } }
}`
const page = (after: string | null) => ({ path: '', body: { query: QUERY, variables: { after } } })

/** People of the workspace; apps have made-up addresses. */
export const users: UserList = {
  headers,
  first: () => page(null),
  read(reply) {
    const found = at(dataOf(reply, 'Linear'), 'users')
    const people = objects(at(found, 'nodes')).flatMap(({ id, name, email, active }) => {
      const uid = text(id)
      return uid === undefined || active === false ? [] : [{ uid, name: text(name) ?? '', email: text(email) ?? '' }]
    })
    const after = at(found, 'pageInfo', 'hasNextPage') === true ? text(at(found, 'pageInfo', 'endCursor')) : undefined
    return { people, next: after === undefined ? [] : [page(after)] }
  },
}
