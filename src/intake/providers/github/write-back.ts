import type { FetchedReply } from '../../../net/safe-fetch.ts'
import { OWN_PREFIX } from '../../build-origin.ts'
import { at, type Json, objects, text, word } from '../../reading.ts'
import type { Status, WriteBack } from '../../write-back/server.ts'
import { Refused } from '../ci-replies.ts'
import { jsonOf, repositoryAt } from './server.ts'
import { server } from './server-settings.ts'

const NEEDS = `The access token needs the permissions ${server.writeBackNeeds}.`

const STATES: Record<Status['state'], string> = { passed: 'success', failed: 'failure', canceled: 'error' }

/** The longest that GitHub takes. */
const NAME_MAX = 255
const DESCRIPTION_MAX = 140

const bodyOf = ({ state, name, description, url }: Status) => ({
  state: STATES[state],
  context: name.slice(0, NAME_MAX),
  description: description.slice(0, DESCRIPTION_MAX),
  target_url: url,
})

/** `owl/star` of `https://api.github.com/repos/owl/star`. */
const nameIn = (config: Readonly<Json>) => /\/repos\/([^/]+\/[^/]+?)\/?$/.exec(text(config.server) ?? '')?.[1]?.toLowerCase()

const PAGES_MAX = 10

export const writeBack: WriteBack = {
  repositoryOf(config, page) {
    const name = nameIn(config)
    const path = URL.canParse(page) ? new URL(page).pathname.toLowerCase() : ''
    return name !== undefined && path.startsWith(`/${name}/`) ? name : undefined
  },
  open(config, _repository, allowed, signal) {
    const { json, send, post, user } = repositoryAt(config, allowed, signal, NEEDS)
    return {
      setStatus: async (commit, status) => idOf(await post(`/statuses/${commit}`, bodyOf(status))),
      async hasStatus(commit, status) {
        const asked = bodyOf(status)
        const newest = objects(await json(`/commits/${commit}/statuses?per_page=100`)).find(
          ({ context }) => context === asked.context,
        )
        return Object.entries(asked).every(([key, value]) => newest?.[key] === value)
      },
      async findComment(pull, mark) {
        const own = await user()
        for (let page = 1; page <= PAGES_MAX; page++) {
          const listed = objects(await json(`/issues/${pull}/comments?per_page=100&page=${page}`))
          const found = listed.find(({ body, user }) => text(body)?.startsWith(mark) && word(at(user, 'id')) === own)
          if (found) return word(found.id)
          if (listed.length < 100) break
        }
        return undefined
      },
      createComment: async (pull, body) => idOf(await post(`/issues/${pull}/comments`, { body })),
      editComment: async (_pull, id, body) => idOf(await send(`/issues/comments/${id}`, { method: 'PATCH', body: { body } })),
    }
  },
  async check(config, allowed) {
    if (nameIn(config) === undefined)
      throw new Refused('The API URL in the integration settings must end in /repos/your-organization/your-repository.')
    const { send } = repositoryAt(config, allowed, undefined, NEEDS)
    const { headers } = await send('')
    // Classic tokens tell their scopes. Fine-grained ones don't: requests that can't change anything show what they may do.
    const scopes = text(headers['x-oauth-scopes'])?.split(/,\s*/)
    if (scopes && !scopes.includes('repo') && !scopes.includes('public_repo'))
      throw new Refused('The access token lacks the scope repo. It is needed for commit statuses and comments.')
    if (scopes) return
    const isPermitted = async (path: string, body: object) => {
      const refused = await send(path, { body }).catch((error: unknown) => error)
      if (refused instanceof Refused) return refused.status === 422 || (refused.status === 404 && path.startsWith('/issues/'))
      throw refused instanceof Error ? refused : new Refused('GitHub accepts a status of a commit that does not exist.')
    }
    const missing = [
      !(await isPermitted(NO_COMMIT, { state: 'success', context: `${OWN_PREFIX}check` })) && 'Commit statuses: read and write',
      !(await isPermitted(NO_PULL_REQUEST, { body: '' })) && 'Pull requests: read and write',
    ].filter((permission) => permission !== false)
    if (missing.length > 0) throw new Refused(`The access token lacks the permission ${missing.join(' and ')}.`)
  },
}

/** GitHub answers 422 and 404 to those, or 403 if the token may not write. */
const NO_COMMIT = `/statuses/${'0'.repeat(40)}`
const NO_PULL_REQUEST = '/issues/0/comments'

/** A renamed repository redirects, and a redirected request is not repeated. */
function idOf(reply: FetchedReply): string {
  const id = reply.status < 300 ? word(at(jsonOf(reply), 'id')) : undefined
  if (id === undefined)
    throw new Refused(`GitHub answers ${reply.status}. If the repository was renamed, change the API URL.`, 404)
  return id
}
