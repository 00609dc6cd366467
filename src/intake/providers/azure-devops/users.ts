import { at, objects, text } from '../../reading.ts'
import type { UserList } from '../user-list.ts'
import { headers } from './history.ts'
import { hostOf } from './hosts.ts'

/** Without service accounts and identities that were imported from an old server. */
const page = (server: string, token?: string) => ({
  server,
  path: `/_apis/graph/users?${new URLSearchParams({
    subjectTypes: 'aad,msa',
    'api-version': '7.1-preview.1',
    ...(token !== undefined && { continuationToken: token }),
  })}`,
})

/** People of the organization, by the name that work items call them. Their addresses come from the directory or the Microsoft account. */
export const users: UserList = {
  headers,
  // The server in the settings is a project.
  first: ({ server }) => page(hostOf((text(server) ?? '').replace(/\/+$/, ''), 'vssps').replace(/\/[^/]+$/, '')),
  read({ headers, body }, { server }) {
    const people = objects(at(body, 'value')).flatMap(({ principalName, displayName, mailAddress }) => {
      const uid = text(principalName)
      return uid === undefined ? [] : [{ uid, name: text(displayName) ?? '', email: text(mailAddress) ?? '' }]
    })
    const token = text(headers['x-ms-continuationtoken'])
    return { people, next: token === undefined ? [] : [page(server!, token)] }
  },
}
