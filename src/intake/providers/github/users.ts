import { linkedPage } from '../../history/history.ts'
import { at, objects, text } from '../../reading.ts'
import type { UserList } from '../user-list.ts'
import { history } from './history.ts'

const page = (number: number) => ({ path: `/collaborators?per_page=100&page=${number}` })

/** From `/repos/owner/name` to the API itself. */
const API = '/../../..'

/** People of the repository. Only their profiles have an address: a public one, which GitHub has verified. */
export const users: UserList = {
  headers: history.headers,
  first: () => page(1),
  read({ headers, body }, { path }) {
    if (path.startsWith(API)) {
      const uid = text(at(body, 'login'))
      if (uid === undefined || at(body, 'type') === 'Bot') return {}
      return { people: [{ uid, name: text(at(body, 'name')) ?? '', email: text(at(body, 'email')) ?? '' }] }
    }
    const next = linkedPage(headers, 'next')
    const profiles = objects(body).flatMap(({ login }) =>
      text(login) === undefined ? [] : [{ path: `${API}/users/${encodeURIComponent(String(login))}` }],
    )
    return { next: [...profiles, ...(next ? [page(next)] : [])] }
  },
}
