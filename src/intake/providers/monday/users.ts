import { at, objects, text, word } from '../../reading.ts'
import { dataOf } from '../graphql.ts'
import type { UserList } from '../user-list.ts'
import { headers } from './history.ts'

const PAGE = 200
const QUERY =
  'query ($page: Int!, $limit: Int!) { users(page: $page, limit: $limit, kind: non_guests) { id name email enabled } }'
const page = (number: number) => ({ path: '', body: { query: QUERY, variables: { page: number, limit: PAGE } } })

/** People of the account. */
export const users: UserList = {
  headers,
  first: () => page(1),
  read(reply, { body }) {
    const found = objects(at(dataOf(reply, 'monday.com'), 'users'))
    const people = found.flatMap(({ id, name, email, enabled }) => {
      const uid = word(id)
      return uid === undefined || enabled === false ? [] : [{ uid, name: text(name) ?? '', email: text(email) ?? '' }]
    })
    return { people, next: found.length < PAGE ? [] : [page(Number(at(body, 'variables', 'page')) + 1)] }
  },
}
