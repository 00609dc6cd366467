import { at, objects, text } from '../../reading.ts'
import type { UserList } from '../user-list.ts'
import { headers } from './history.ts'

const PAGE = 200
const cloud = (from: number) => ({ path: `/rest/api/3/users/search?maxResults=${PAGE}&startAt=${from}` })
/** Data Center finds users by a part of their name or address. */
const dataCenter = (from: number) => ({ path: `/rest/api/2/user/search?username=.&maxResults=${PAGE}&startAt=${from}` })

/** People of the site. Cloud shows an address only if its owner or organization allows it. */
export const users: UserList = {
  headers,
  first: () => ({ path: '/rest/api/2/serverInfo' }),
  read({ body }, { path }) {
    if (path.endsWith('/serverInfo')) return { next: [at(body, 'deploymentType') === 'Cloud' ? cloud(0) : dataCenter(0)] }
    const page = objects(body)
    const people = page.flatMap((user) => {
      const uid = text(user.accountId) ?? text(user.name)
      if (uid === undefined || user.active === false || (text(user.accountType) ?? 'atlassian') !== 'atlassian') return []
      return [{ uid, name: text(user.displayName) ?? '', email: text(user.emailAddress) ?? '' }]
    })
    const from = Number(/startAt=(\d+)$/.exec(path)![1]) + page.length
    // A page may be short although there are more.
    return { people, next: page.length === 0 ? [] : [path.includes('/3/') ? cloud(from) : dataCenter(from)] }
  },
}
