import { linkedPage } from '../../history/history.ts'
import { at, objects, text, word } from '../../reading.ts'
import type { UserList } from '../user-list.ts'

const PROJECTS = '/api/v4/projects?membership=true&simple=true&per_page=100'

/** The members of a project, or of everybody in the group above it. */
const members = (place: string) => {
  const [kind, name] = place.endsWith('/*') ? ['groups', place.slice(0, -2)] : ['projects', place]
  return { path: `/api/v4/${kind}/${encodeURIComponent(name)}/members/all?per_page=100&page=1` }
}

/** Members of the projects that the integration may use, or of all of the access token. Only a profile has an address: a public one, which GitLab has verified. */
export const users: UserList = {
  headers: (config) => ({ 'private-token': text(config.api_token) ?? '' }),
  first: () => ({ path: `${PROJECTS}&page=1` }),
  within: (places) => places.map(members),
  read({ headers, body }, { path }) {
    const profile = text(at(body, 'username'))
    if (profile !== undefined)
      return at(body, 'bot') === true || at(body, 'state') !== 'active'
        ? {}
        : { people: [{ uid: profile, name: text(at(body, 'name')) ?? '', email: text(at(body, 'public_email')) ?? '' }] }
    const page = linkedPage(headers, 'next')
    const ids = objects(body).flatMap(({ id }) => (/^\d{1,18}$/.test(word(id) ?? '') ? [word(id)!] : []))
    return {
      next: [
        ...ids.map((id) => ({
          path: path.startsWith(PROJECTS) ? `/api/v4/projects/${id}/members/all?per_page=100&page=1` : `/api/v4/users/${id}`,
        })),
        ...(page ? [{ path: path.replace(/(?<=[?&]page=)\d+$/, String(page)) }] : []),
      ],
    }
  },
}
