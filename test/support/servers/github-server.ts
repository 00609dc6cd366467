import type { IncomingMessage, ServerResponse } from 'node:http'
import { openLocalServer } from './local-server.ts'

interface Comment {
  id: number
  pull: string
  body: string
  user: object
}

/** A GitHub with one repository, `owl/star`, as its REST API is documented: who may do what, paths, limits and error replies. */
export async function openGitHub() {
  const github = {
    token: 'secret',
    /** Of a fine-grained token. */
    permits: { statuses: true, pulls: true },
    /** Of a classic token. */
    scopes: undefined as string | undefined,
    isVisible: true,
    commits: new Set<string>(),
    pulls: new Set<string>(),
    /** Oldest first. */
    statuses: [] as { id: number; sha: string; context: string; state: string; description: string; target_url: string }[],
    comments: [] as Comment[],
    /** The webhooks that GitHub sends about what was written: event and body. */
    hooks: [] as [string, object][],
    /** Requests that change something. */
    writes: [] as string[],
    /** Answers the next write and then closes the connection without a reply. */
    losesNextReply: false,
    limitedSeconds: 0,
    /** Called with each request; the reply waits for it. */
    beforeReply: async (_request: string): Promise<unknown> => undefined,
    url: '',
    close: () => {},
  }
  const repository = { id: 9, full_name: 'owl/star', html_url: 'https://github.com/owl/star' }
  const sender = { login: 'goldmaster-bot', id: 77 }
  let nextId = 1000

  const answer = (method: string, path: string, query: URLSearchParams, body: Record<string, string>): [number, unknown] => {
    const rest = /^\/repos\/owl\/star(\/.*)?$/.exec(path)?.[1] ?? (path === '/repos/owl/star' ? '' : undefined)
    if (path === '/user') return [200, sender]
    if (rest === undefined || !github.isVisible) return [404, { message: 'Not Found' }]
    if (rest === '') return [200, repository]
    const forbidden: [number, unknown] = [403, { message: 'Resource not accessible by personal access token' }]
    const [, sha] = /^\/statuses\/([^/]+)$/.exec(rest) ?? []
    if (sha && method === 'POST') {
      if (!github.permits.statuses) return forbidden
      if (!github.commits.has(sha)) return [422, { message: `No commit found for SHA: ${sha}` }]
      const { context = 'default', state = '', description = '', target_url = '' } = body
      if (!['error', 'failure', 'pending', 'success'].includes(state) || [...description].length > 140 || context.length > 255)
        return [422, { message: 'Validation Failed' }]
      const status = { id: nextId++, sha, context, state, description, target_url }
      github.statuses.push(status)
      github.hooks.push(['status', { ...status, name: repository.full_name, repository, sender, branches: [{ name: 'main' }] }])
      return [201, status]
    }
    const [, listed] = /^\/commits\/([^/]+)\/statuses$/.exec(rest) ?? []
    if (listed) return [200, github.statuses.filter((status) => status.sha === listed).toReversed()]
    const [, pull] = /^\/issues\/(\d+)\/comments$/.exec(rest) ?? []
    if (pull && method === 'GET') {
      const [size, page] = [Number(query.get('per_page') ?? 30), Number(query.get('page') ?? 1)]
      if (!github.pulls.has(pull)) return [404, { message: 'Not Found' }]
      return [200, github.comments.filter((comment) => comment.pull === pull).slice(size * (page - 1), size * page)]
    }
    const told = (action: string, comment: Comment) =>
      github.hooks.push([
        'issue_comment',
        { action, comment, issue: { number: Number(comment.pull), pull_request: {} }, repository, sender },
      ])
    if (pull && method === 'POST') {
      if (!github.permits.pulls) return forbidden
      if (!github.pulls.has(pull)) return [404, { message: 'Not Found' }]
      if (!body.body) return [422, { message: 'Validation Failed' }]
      const comment = { id: nextId++, pull, body: body.body, user: sender }
      github.comments.push(comment)
      told('created', comment)
      return [201, comment]
    }
    const [, id] = /^\/issues\/comments\/(\d+)$/.exec(rest) ?? []
    if (id && method === 'PATCH') {
      if (!github.permits.pulls) return forbidden
      const comment = github.comments.find((one) => one.id === Number(id))
      if (!comment) return [404, { message: 'Not Found' }]
      comment.body = body.body ?? ''
      told('edited', comment)
      return [200, comment]
    }
    return [404, { message: 'Not Found' }]
  }

  const serve = (request: IncomingMessage, reply: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://github')
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', async () => {
      const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
        reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
      const method = request.method!
      await github.beforeReply(`${method} ${pathname}`)
      if (method !== 'GET') github.writes.push(`${method} ${pathname}`)
      if (request.headers.authorization !== `Bearer ${github.token}`) return send(401, { message: 'Bad credentials' })
      if (github.limitedSeconds > 0)
        return send(403, { message: 'secondary rate limit' }, { 'retry-after': String(github.limitedSeconds) })
      const [status, body] = answer(method, pathname, searchParams, text === '' ? {} : JSON.parse(text))
      if (method !== 'GET' && github.losesNextReply) {
        github.losesNextReply = false
        return reply.destroy()
      }
      send(status, body, github.scopes === undefined ? {} : { 'x-oauth-scopes': github.scopes })
    })
  }
  return Object.assign(github, await openLocalServer(serve))
}
