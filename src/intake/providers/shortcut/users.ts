import { at, objects, text } from '../../reading.ts'
import type { UserList } from '../user-list.ts'

/** People of the workspace, all at once. Some of them are integrations. */
export const users: UserList = {
  headers: ({ api_token }) => ({ 'shortcut-token': text(api_token) ?? '' }),
  first: () => ({ path: '/api/v3/members' }),
  read({ body }) {
    const people = objects(body).flatMap(({ id, disabled, profile }) => {
      const uid = text(id)
      if (uid === undefined || disabled === true || at(profile, 'deactivated') === true || at(profile, 'is_agent') === true)
        return []
      return [{ uid, name: text(at(profile, 'name')) ?? '', email: text(at(profile, 'email_address')) ?? '' }]
    })
    return { people }
  },
}
