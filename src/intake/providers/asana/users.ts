import { at, objects, text } from '../../reading.ts'
import type { UserList } from '../user-list.ts'
import { API, headers } from './history.ts'

const page = (workspace: string, offset?: string) => ({
  path: `${API}/users?${new URLSearchParams({ workspace, opt_fields: 'name,email', limit: '100', ...(offset && { offset }) })}`,
})

/** People of the project's workspace. */
export const users: UserList = {
  headers,
  first: () => ({ path: '?opt_fields=workspace' }),
  read({ body }, { path }) {
    const workspace = text(at(body, 'data', 'workspace', 'gid'))
    if (workspace !== undefined) return { next: [page(workspace)] }
    const offset = text(at(body, 'next_page', 'offset'))
    const people = objects(at(body, 'data')).flatMap(({ gid, name, email }) => {
      const uid = text(gid)
      return uid === undefined ? [] : [{ uid, name: text(name) ?? '', email: text(email) ?? '' }]
    })
    return { people, next: offset === undefined ? [] : [page(new URLSearchParams(path.split('?')[1]).get('workspace')!, offset)] }
  },
}
