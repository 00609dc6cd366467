import type { FetchedReply } from '../../../net/safe-fetch.ts'
import { at, type Json, number, objects, text, word } from '../../reading.ts'
import type { Status, WriteBack } from '../../write-back/server.ts'
import { Refused } from '../ci-replies.ts'
import { projectOf } from './places.ts'
import { jsonOf, projectAt, serverAt } from './server.ts'
import { server } from './server-settings.ts'

const NEEDS = `Results can't be written back without: ${server.writeBackNeeds}.`

const STATES: Record<Status['state'], string> = { passed: 'success', failed: 'failed', canceled: 'canceled' }

/** The longest that GitLab takes. */
const TEXT_MAX = 255

const bodyOf = ({ state, name, description, url }: Status) => ({
  name: name.slice(0, TEXT_MAX),
  description: description.slice(0, TEXT_MAX),
  target_url: url,
  state: STATES[state],
})

const DEVELOPER = 30

const PAGES_MAX = 10

export const writeBack: WriteBack = {
  repositoryOf: (config, page) => projectOf(page, config),
  open(config, project, allowed, signal) {
    const { json, post, put } = projectAt(config, project, allowed, signal)
    /** The external pipeline of a commit, where our statuses are. */
    const pipelinesOf = async (commit: string) => {
      const found = objects(await json(`/pipelines?sha=${commit}&per_page=100`))
      return {
        own: word(found.find(({ source }) => source === 'external')?.id),
        isBuilt: found.some(({ source }) => source !== 'external'),
      }
    }
    return {
      async setStatus(commit, status) {
        const { own, isBuilt } = await pipelinesOf(commit)
        // GitLab would add it to its own pipeline, and a failure would fail the pipeline, also after a retry that passes.
        if (own === undefined && isBuilt) return
        const body = { ...bodyOf(status), ...(own !== undefined && { pipeline_id: Number(own) }) }
        await post(`/statuses/${commit}`, body).catch((error: unknown) => {
          // The project is there: the commit is not, or is on no branch.
          throw error instanceof Refused && error.status === 404 ? new Refused(error.message, 422) : error
        })
      },
      async hasStatus(commit, status) {
        const { state, ...asked } = bodyOf(status)
        const newest = objects(
          await json(`/repository/commits/${commit}/statuses?name=${encodeURIComponent(asked.name)}&per_page=100`),
        ).reduce<Json | undefined>((last, one) => ((number(one.id) ?? 0) > (number(last?.id) ?? 0) ? one : last), undefined)
        return newest?.status === state && Object.entries(asked).every(([key, value]) => newest[key] === value)
      },
      async findComment(pull, mark) {
        const own = word(at(await serverAt(config, allowed, signal).json('/user'), 'id'))
        for (let page = 1; page <= PAGES_MAX; page++) {
          const listed = objects(await json(`/merge_requests/${pull}/notes?sort=asc&per_page=100&page=${page}`))
          const found = listed.find(({ body, author }) => text(body)?.startsWith(mark) && word(at(author, 'id')) === own)
          if (found) return word(found.id)
          if (listed.length < 100) break
        }
        return undefined
      },
      createComment: async (pull, body) => idOf(await post(`/merge_requests/${pull}/notes`, { body })),
      editComment: async (pull, id, body) => idOf(await put(`/merge_requests/${pull}/notes/${id}`, { body })),
    }
  },
  async check(config, allowed, repositories) {
    const gitlab = serverAt(config, allowed)
    const { scopes } = (await gitlab.json('/personal_access_tokens/self')) as Json
    if (!Array.isArray(scopes) || !scopes.includes('api')) throw new Refused('The access token lacks the scope api.')
    if (repositories.length === 0) {
      const writable = objects(await gitlab.json(`/projects?membership=true&min_access_level=${DEVELOPER}&per_page=1`))
      if (writable.length === 0) throw new Refused(`The access token has the role Developer in no project. ${NEEDS}`)
    }
    for (const path of repositories) await checkProject(projectAt(config, path, allowed), path)
  },
}

async function checkProject({ json }: ReturnType<typeof projectAt>, path: string) {
  const project = await json('')
  const levels = ['project_access', 'group_access'].map((kind) => number(at(project, 'permissions', kind, 'access_level')) ?? 0)
  if (Math.max(...levels) < DEVELOPER) throw new Refused(`The access token lacks the role Developer in ${path}. ${NEEDS}`)
  const branch = text(at(project, 'default_branch'))
  if (branch === undefined) return
  const {
    protected: isProtected,
    can_push,
    developers_can_merge,
  } = (await json(`/repository/branches/${encodeURIComponent(branch)}`)) as Json
  if (isProtected === true && can_push !== true && developers_can_merge !== true)
    throw new Refused(
      `The branch ${branch} of ${path} is protected, and the access token may not push to it. GitLab refuses statuses of its commits. Use a token with the role Maintainer, or allow Developers to merge.`,
    )
}

function idOf(written: FetchedReply): string {
  const id = word(at(jsonOf(written), 'id'))
  if (id === undefined) throw new Refused('GitLab answers without the id of the comment.')
  return id
}
