import type { IncomingMessage, ServerResponse } from 'node:http'
import { openLocalServer } from './local-server.ts'

interface Pipeline {
  id: number
  project: string
  sha: string
  source: string
  /** Of its own jobs. */
  status: string
}

interface Status {
  id: number
  pipeline_id: number
  project: string
  sha: string
  name: string
  status: string
  description: string
  target_url: string
}

interface Note {
  id: number
  project: string
  iid: string
  body: string
  author: { id: number }
}

type Answer = [status: number, body: unknown]

const NOT_FOUND: Answer = [404, { message: '404 Project Not Found' }]
const STATES = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped']

/** A GitLab as its REST API is documented: tokens with scopes and roles, pages, limits, error replies, and where it puts external statuses. */
export async function openGitLab() {
  const gitlab = {
    token: 'secret',
    scopes: ['api'],
    /** Of the token: 20 Reporter, 30 Developer, 40 Maintainer. */
    level: 30,
    /** Of the token in projects where it is another one. */
    levels: new Map<string, number>(),
    /** Whether only Maintainers push and merge to the branch main, which is protected. */
    isStrict: false,
    /** Commits and merge requests by project. */
    projects: new Map([
      ['owl/star', { id: 9, commits: new Set<string>(), pulls: new Set<string>() }],
      ['eve/star', { id: 10, commits: new Set<string>(), pulls: new Set<string>() }],
    ]),
    pipelines: [] as Pipeline[],
    /** Oldest first. */
    statuses: [] as Status[],
    notes: [] as Note[],
    /** Bodies of the webhooks that GitLab sends about what was written. */
    hooks: [] as object[],
    /** The paths of all requests. */
    asked: [] as string[],
    /** Requests that change something. */
    writes: [] as string[],
    /** Answers the next write and then closes the connection without a reply. */
    losesNextReply: false,
    /** Unix time until which requests are refused. */
    limitedUntil: 0,
    url: '',
    close: () => {},
  }
  const user = { id: 77, username: 'project_9_bot' }
  let nextId = 1000

  const projectOf = (path: string) => ({
    id: gitlab.projects.get(path)!.id,
    path_with_namespace: path,
    web_url: `${gitlab.url}/${path}`,
  })

  const setStatus = (path: string, sha: string, asked: Record<string, unknown>): Answer => {
    if ((gitlab.levels.get(path) ?? gitlab.level) < 30) return [403, { message: '403 Forbidden' }]
    if (!gitlab.projects.get(path)!.commits.has(sha)) return [404, { message: '404 Commit Not Found' }]
    const { state, name = 'default', description = '', target_url = '', pipeline_id } = asked as Record<string, string>
    if (!STATES.includes(state!)) return [400, { error: 'state does not have a valid value' }]
    if (name.length > 255 || description.length > 255)
      return [400, { message: { description: ['is too long (maximum is 255 characters)'] } }]
    const matching = gitlab.pipelines
      .filter((one) => one.project === path && one.sha === sha && (pipeline_id === undefined || one.id === Number(pipeline_id)))
      .at(-1)
    if (pipeline_id !== undefined && !matching) return [404, { message: '404 Pipeline for pipeline_id, sha and ref Not Found' }]
    if (gitlab.isStrict && gitlab.level < 40) return [403, { message: '403 Forbidden' }]
    const pipeline = matching ?? { id: nextId++, project: path, sha, source: 'external', status: 'success' }
    if (!matching) gitlab.pipelines.push(pipeline)
    const status = { id: nextId++, pipeline_id: pipeline.id, project: path, sha, name, status: state!, description, target_url }
    gitlab.statuses.push(status)
    const newest = new Map(gitlab.statuses.filter((one) => one.pipeline_id === pipeline.id).map((one) => [one.name, one.status]))
    const whole = [pipeline.status, ...newest.values()].includes('failed') ? 'failed' : 'success'
    const about = { project: projectOf(path), user }
    const { id, source } = pipeline
    gitlab.hooks.push(
      {
        object_kind: 'pipeline',
        object_attributes: { id, iid: id, sha, ref: 'main', source, status: whole },
        builds: [],
        ...about,
      },
      { object_kind: 'build', pipeline_id: id, build_name: name, build_stage: 'external', build_status: state, sha, ...about },
    )
    return [201, { ...status, ref: 'main', author: user }]
  }

  const writeNote = (path: string, iid: string, id: string | undefined, body: unknown): Answer => {
    if (gitlab.level < 20) return [403, { message: '403 Forbidden' }]
    if (typeof body !== 'string' || body === '') return [400, { error: 'body is missing' }]
    const known = gitlab.notes.find((note) => note.project === path && note.iid === iid && String(note.id) === id)
    if (id !== undefined && !known) return [404, { message: '404 Not found' }]
    if (known && known.author.id !== user.id) return [403, { message: '403 Forbidden' }]
    const note = known ?? { id: nextId++, project: path, iid, body, author: user }
    note.body = body
    if (!known) gitlab.notes.push(note)
    gitlab.hooks.push({
      object_kind: 'note',
      event_type: 'note',
      user,
      project: projectOf(path),
      object_attributes: { id: note.id, note: body, noteable_type: 'MergeRequest', action: known ? 'update' : 'create' },
      merge_request: { iid: Number(iid), state: 'opened' },
    })
    return [known ? 200 : 201, { id: note.id, body, author: user }]
  }

  const answer = (method: string, url: URL, body: Record<string, unknown>): Answer => {
    const path = url.pathname.replace(/^\/api\/v4/, '')
    const page = <T>(list: readonly T[]): Answer => {
      const [size, number] = [Number(url.searchParams.get('per_page') ?? 20), Number(url.searchParams.get('page') ?? 1)]
      return [200, list.slice(size * (number - 1), size * number)]
    }
    if (path === '/user') return [200, user]
    if (path === '/personal_access_tokens/self') return [200, { id: 3, active: true, scopes: gitlab.scopes, user_id: user.id }]
    if (path === '/projects')
      return page(
        gitlab.level >= Number(url.searchParams.get('min_access_level') ?? 0) ? [...gitlab.projects.keys()].map(projectOf) : [],
      )
    const [, encoded, rest = ''] = /^\/projects\/([^/]+)(\/.*)?$/.exec(path) ?? []
    const name = decodeURIComponent(encoded ?? '')
    const project = gitlab.projects.get(name)
    if (!project) return NOT_FOUND
    if (method !== 'GET' && !gitlab.scopes.includes('api')) return [403, { error: 'insufficient_scope', scope: 'api' }]
    if (rest === '')
      return [
        200,
        {
          ...projectOf(name),
          default_branch: 'main',
          permissions: { project_access: { access_level: gitlab.levels.get(name) ?? gitlab.level }, group_access: null },
        },
      ]
    if (rest === '/repository/branches/main')
      return [200, { name: 'main', protected: true, can_push: gitlab.level >= 40, developers_can_merge: !gitlab.isStrict }]
    if (rest === '/pipelines')
      return page(gitlab.pipelines.filter((one) => one.project === name && one.sha === url.searchParams.get('sha')).toReversed())
    const [, sha] = /^\/statuses\/([^/]+)$/.exec(rest) ?? []
    if (sha && method === 'POST') return setStatus(name, sha, body)
    const [, listed] = /^\/repository\/commits\/([^/]+)\/statuses$/.exec(rest) ?? []
    const latest = gitlab.statuses.filter(
      (one) => one.project === name && one.sha === listed && one.name === url.searchParams.get('name'),
    )
    if (listed) return page(latest.slice(-1))
    const [, iid, note] = /^\/merge_requests\/(\d+)\/notes(?:\/(\d+))?$/.exec(rest) ?? []
    if (!iid || !project.pulls.has(iid)) return [404, { message: '404 Not found' }]
    if (method === 'GET') return page(gitlab.notes.filter((one) => one.project === name && one.iid === iid))
    return writeNote(name, iid, note, body.body)
  }

  const serve = (request: IncomingMessage, reply: ServerResponse) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
        reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
      const [method, url] = [request.method!, new URL(request.url!, 'http://gitlab')]
      gitlab.asked.push(url.pathname)
      if (request.headers['private-token'] !== gitlab.token) return send(401, { message: '401 Unauthorized' })
      if (gitlab.limitedUntil > 0) {
        const headers = { 'ratelimit-remaining': '0', 'ratelimit-reset': String(gitlab.limitedUntil) }
        return send(429, { message: 'Retry later' }, headers)
      }
      if (method !== 'GET') gitlab.writes.push(`${method} ${url.pathname}`)
      const [status, body] = answer(method, url, text === '' ? {} : JSON.parse(text))
      if (method !== 'GET' && gitlab.losesNextReply) {
        gitlab.losesNextReply = false
        return reply.destroy()
      }
      send(status, body)
    })
  }
  return Object.assign(gitlab, await openLocalServer(serve))
}
