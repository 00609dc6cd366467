import type { IncomingMessage, ServerResponse } from 'node:http'
import { openLocalServer } from './local-server.ts'

interface Comment {
  id: string
  issue: string
  body: string
  author: string
}

const fresh = () => ({
  token: 'secret',
  /** State of each issue by its key. */
  issues: new Map([['GAME-12', 'To do']]),
  comments: [] as Comment[],
  permits: { comment: true, move: true },
  /** Requests that changed something. */
  writes: [] as string[],
  /** Carries out the next write and then closes the connection without a reply. */
  losesNextReply: false,
  /** Refuses everything until then. */
  limitedSeconds: 0,
})

type Reply = [status: number, body: unknown, headers?: Record<string, string>]
type Tracker = ReturnType<typeof fresh>

const STATES = [
  { id: '11', name: 'To do', key: 'new', type: 'unstarted' },
  { id: '31', name: 'Done', key: 'done', type: 'completed' },
  { id: '41', name: "Won't fix", key: 'done', type: 'canceled' },
]

/** Who we are, and somebody else. */
export const [OWN, OTHER] = ['5b10:own', '5b10:other']

async function open<T extends Tracker>(tracker: T, answer: (request: IncomingMessage, body: Record<string, never>) => Reply) {
  const serve = (request: IncomingMessage, reply: ServerResponse) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const before = tracker.writes.length
      const [status, body, headers = {}] = answer(request, text === '' ? {} : JSON.parse(text))
      if (tracker.losesNextReply && tracker.writes.length > before) {
        tracker.losesNextReply = false
        return reply.destroy()
      }
      reply.writeHead(status, { 'content-type': 'application/json', ...headers })
      reply.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
  return Object.assign(tracker, await openLocalServer(serve))
}

const write = (tracker: Tracker, what: string, issue: string, body: string, id?: string): Comment | undefined => {
  const known = tracker.comments.find((comment) => comment.id === id)
  if (id !== undefined && !known) return undefined
  tracker.writes.push(what)
  const comment = known ?? { id: String(tracker.writes.length + 9000), issue, body, author: OWN }
  comment.body = body
  if (!known) tracker.comments.push(comment)
  return comment
}

/** A Jira with the project GAME, as its REST API version 2 is documented: logins, permissions, pages and error replies. */
export const openJira = () => {
  const jira = fresh()
  const missing: Reply = [404, { errorMessages: ['Issue does not exist or you do not have permission to see it.'], errors: {} }]
  const forbidden: Reply = [403, { errorMessages: ['You do not have the permission.'], errors: {} }]
  const statusOf = (name: string) => {
    const { id, key } = STATES.find((state) => state.name === name)!
    return { id, name, statusCategory: { key } }
  }
  return open(jira, (request, body) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://jira')
    if (request.headers.authorization !== `Basic ${Buffer.from(`bot@example.com:${jira.token}`).toString('base64')}`)
      return [401, { errorMessages: ['Client must be authenticated to access this resource.'] }]
    if (jira.limitedSeconds > 0) return [429, undefined, { 'retry-after': String(jira.limitedSeconds) }]
    const path = pathname.replace('/rest/api/2', '')
    if (path === '/myself') return [200, { accountId: OWN }]
    if (path === '/status') return [200, STATES.map(({ name }) => statusOf(name))]
    if (path === '/mypermissions') {
      const asked = searchParams.get('permissions')?.split(',') ?? []
      const has = (name: string) => (name === 'TRANSITION_ISSUES' ? jira.permits.move : jira.permits.comment)
      return [200, { permissions: Object.fromEntries(asked.map((name) => [name, { key: name, havePermission: has(name) }])) }]
    }
    const [, key = '', rest = ''] = /^\/issue\/([^/]+)(\/.*)?$/.exec(path) ?? []
    const state = jira.issues.get(key)
    if (state === undefined) return missing
    if (rest === '') return [200, { key, fields: { status: statusOf(state) } }]
    if (rest === '/transitions' && request.method === 'GET')
      return [200, { transitions: STATES.map(({ id, name }) => ({ id: `1${id}`, name: `To ${name}`, to: statusOf(name) })) }]
    if (rest === '/transitions') {
      const to = STATES.find(({ id }) => `1${id}` === (body as unknown as { transition: { id: string } }).transition.id)
      if (!jira.permits.move) return forbidden
      if (!to)
        return [400, { errorMessages: ['It seems that you have tried to perform an illegal workflow operation.'], errors: {} }]
      jira.issues.set(key, to.name)
      jira.writes.push(`move ${key} ${to.name}`)
      return [204, undefined]
    }
    if (rest === '/comment' && request.method === 'GET') {
      const [start, size] = [Number(searchParams.get('startAt') ?? 0), Number(searchParams.get('maxResults') ?? 50)]
      const all = jira.comments.filter(({ issue }) => issue === key).map((one) => ({ ...one, author: { accountId: one.author } }))
      return [200, { startAt: start, maxResults: size, total: all.length, comments: all.slice(start, start + size) }]
    }
    if (!jira.permits.comment) return forbidden
    const id = /^\/comment\/(\d+)$/.exec(rest)?.[1]
    const comment = write(jira, `${request.method} comment ${key}`, key, body.body ?? '', id)
    return comment ? [id === undefined ? 201 : 200, comment] : missing
  })
}

/** A Linear with the team GAME in the workspace owl, as its GraphQL API is documented: errors are in a reply of 200 or 400. */
export const openLinear = () => {
  const linear = fresh()
  const error = (code: string, message: string, status = 200): Reply => [
    status,
    { errors: [{ message, extensions: { code } }], data: null },
  ]
  const issueOf = (key: string) => ({
    id: `id-${key}`,
    url: `https://linear.app/owl/issue/${key}/the-door`,
    state: STATES.find(({ name }) => name === linear.issues.get(key)),
    team: { states: { nodes: STATES } },
  })
  return open(linear, (request, sent) => {
    const { query, variables } = sent as unknown as { query: string; variables: Record<string, never> }
    if (request.headers.authorization !== linear.token) return error('AUTHENTICATION_ERROR', 'Authentication required', 401)
    if (linear.limitedSeconds > 0) {
      const [status, body] = error('RATELIMITED', 'Rate limit exceeded', 400)
      return [status, body, { 'x-ratelimit-requests-reset': String(Date.now() + linear.limitedSeconds * 1000) }]
    }
    if (query.includes('viewer')) return [200, { data: { viewer: { id: OWN } } }]
    if (query.includes('workflowStates'))
      return [200, { data: { workflowStates: { nodes: STATES.filter(({ type }) => type === 'completed') } } }]
    const { id = '', input = {} } = variables as { id?: string; input?: { issueId?: string; body?: string; stateId?: string } }
    const key = (input.issueId ?? id).replace(/^id-/, '')
    if (query.startsWith('mutation') && !(query.includes('comment') ? linear.permits.comment : linear.permits.move))
      return error('FORBIDDEN', 'You do not have the permission')
    if (query.includes('commentUpdate')) {
      const comment = write(linear, 'PUT comment', '', input.body ?? '', id)
      return comment ? [200, { data: { commentUpdate: { success: true } } }] : error('INPUT_ERROR', 'Entity not found: Comment')
    }
    if (!linear.issues.has(key)) return error('INPUT_ERROR', 'Entity not found: Issue')
    if (query.includes('commentCreate')) {
      const comment = write(linear, `POST comment ${key}`, key, input.body ?? '')
      return [200, { data: { commentCreate: { comment } } }]
    }
    if (query.includes('issueUpdate')) {
      const to = STATES.find((state) => state.id === input.stateId)!
      linear.issues.set(key, to.name)
      linear.writes.push(`move ${key} ${to.name}`)
      return [200, { data: { issueUpdate: { success: true } } }]
    }
    const { mark } = variables as { mark?: string }
    const own = linear.comments.filter(
      ({ issue, author, body }) => issue === key && author === OWN && mark !== undefined && body.includes(mark),
    )
    return [200, { data: { issue: { ...issueOf(key), comments: { nodes: own.slice(0, 1) } } } }]
  })
}
