import { text } from 'node:stream/consumers'
import { createParser } from 'eventsource-parser'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { errorOfResponse, tooManySubscriptions } from '../contract/errors.ts'
import { readShortId } from '../contract/params.ts'
import { eventStream } from '../contract/routes.ts'
import type { Event } from '../contract/shapes.ts'
import * as access from '../domain/access/access.ts'
import type { Follow } from '../mcp/subscriptions/watch.ts'
import { tokenScheme } from './auth/auth-scheme.ts'
import { inner } from './inner-request.ts'
import type { Service } from './service.ts'

/** Projects that one token can follow at once on this node. */
const FOLLOWED_MAX = 50

async function streamed(app: FastifyInstance, url: string, { headers, ip }: FastifyRequest) {
  const asked = { url, headers: { authorization: headers.authorization! }, remoteAddress: ip, payloadAsStream: true }
  const answer = await inner(() => app.inject(asked))
  if (answer.statusCode === 200) return answer
  throw errorOfResponse(answer.statusCode, await text(answer.stream()), 'There is no event stream.')
}

/** The event stream for assistants, opened internally: it checks scope, plan and membership, at the start and from then on. */
export function openEvents(app: FastifyInstance, { db, tokenStreams }: Service) {
  const followed = new Map<number, number>()
  const count = (token: number, change: 1 | -1) => {
    const left = (followed.get(token) ?? 0) + change
    if (left > FOLLOWED_MAX) throw tooManySubscriptions(`${FOLLOWED_MAX} projects that a token follows`)
    if (left === 0) followed.delete(token)
    else followed.set(token, left)
  }

  return (request: FastifyRequest): Follow => {
    // An assistant gets one stream, however many projects it follows.
    let follows = 0
    let close = () => {}
    const begin = (token: number) => {
      if (follows === 0) close = tokenStreams.open(token)
      try {
        count(token, 1)
      } catch (error) {
        if (follows === 0) close()
        throw error
      }
      follows++
    }
    const end = (token: number) => {
      count(token, -1)
      if (--follows === 0) close()
    }

    return async (projectId, { event, ended }) => {
      const project = readShortId(projectId) ?? null
      const caller = await access.admit(db, {
        who: tokenScheme.who(request),
        scope: eventStream.scope,
        role: 'viewer',
        project,
      })
      const token = caller.token_id!
      begin(token)
      const query = new URLSearchParams({ account_id: String(caller.account_id), project_id: projectId, include: 'all' })
      const answer = await streamed(app, `/api${eventStream.path}?${query}`, request).catch((error: unknown) => {
        end(token)
        throw error
      })
      const { res } = answer.raw
      res.once('close', () => end(token))
      const parser = createParser({
        onEvent: (told) => event(told.event === 'reset' ? undefined : (JSON.parse(told.data) as Event).url),
      })
      const stream = answer.stream().setEncoding('utf8')
      stream.on('data', (part: string) => parser.feed(part))
      stream.on('error', () => {}).once('close', ended)
      return () => {
        stream.destroy()
        // The stream's other end would continue to write.
        res.destroy()
      }
    }
  }
}
