import { openLocalServer } from './local-server.ts'

const LOGIN = `Basic ${Buffer.from('gold:ticket').toString('base64')}`

/** A test run with its secret. */
const RUN = '/api/v10/testruns/706/4f5e6a7b-secret'

/** P4 Code Review as its documentation describes it: a login with a ticket, reviews by change, votes for a version, comments, test runs without a login. */
export async function openSwarm() {
  const swarm = {
    isPermitted: true,
    /** Answers HTML, as a site behind a login does. */
    isHtml: false,
    reviews: [{ id: 77, changes: [1250], versions: [{ change: 1250, time: Math.floor(Date.now() / 1000) - 600 }] }],
    comments: [] as { id: number; user: string; body: string; topic: string }[],
    votes: [] as { vote: string; version: number }[],
    writes: [] as string[],
    losesNextReply: false,
    /** Results of the test run 706, whose address has its secret. */
    runs: [] as { status: string; messages: string[]; url: string }[],
    isRunOver: false,
  }
  const server = await openLocalServer((request, reply) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const url = new URL(request.url!, 'http://swarm')
      const body = text === '' ? {} : JSON.parse(text)
      const send = (status: number, answer: object) =>
        reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      if (swarm.isHtml) return reply.end('<html>Log in</html>')
      if (url.pathname === RUN && request.method === 'POST') {
        const isValid =
          ['running', 'pass', 'fail'].includes(body.status) && Array.isArray(body.messages) && body.messages.length <= 10
        if (!isValid || swarm.isRunOver || request.headers.authorization !== undefined) return send(400, { error: 'Bad Request' })
        swarm.runs.push(body)
        return send(200, { isValid: true })
      }
      if (request.headers.authorization !== LOGIN || !swarm.isPermitted) return send(401, { error: 'Unauthorized' })
      if (request.method !== 'GET') swarm.writes.push(`${request.method} ${url.pathname}`)
      const write = (answer: object) => {
        if (!swarm.losesNextReply) return send(200, answer)
        swarm.losesNextReply = false
        reply.destroy()
      }
      const [, of, what] = /^\/api\/v11\/reviews\/(\d+)\/(vote|comments)$/.exec(url.pathname) ?? []
      const review = swarm.reviews.find(({ id }) => String(id) === of)
      if (url.pathname === '/api/v9/reviews') {
        const change = Number(url.searchParams.get('change[]'))
        return send(200, { reviews: swarm.reviews.filter(({ changes }) => change === 0 || changes.includes(change)) })
      }
      if (url.pathname === '/api/v9/comments')
        return send(200, { comments: swarm.comments.filter(({ topic }) => topic === url.searchParams.get('topic')) })
      const comment = swarm.comments.find(({ id }) => url.pathname === `/api/v9/comments/${id}`)
      if (comment && request.method === 'PATCH') {
        comment.body = body.body
        return write({ comment })
      }
      if (!review) return send(404, { error: 'Not Found' })
      if (what === 'vote') {
        if (body.version > review.versions.length) return send(400, { error: 'No such version' })
        swarm.votes.push(body)
        return write({ error: null, messages: [], data: {} })
      }
      const made = { id: swarm.comments.length + 1, user: 'gold', body: body.body, topic: `reviews/${of}` }
      swarm.comments.push(made)
      return write({ error: null, messages: [], data: { comments: [made] } })
    })
  })
  return Object.assign(swarm, { url: server.url, run: `${server.url}${RUN}`, close: () => server.close() })
}
