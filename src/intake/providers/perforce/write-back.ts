import type { AllowedHosts } from '../../../net/addresses.ts'
import { replyJson } from '../../../net/reply-json.ts'
import { type FetchOptions, safeFetch } from '../../../net/safe-fetch.ts'
import { at, type Json, number, objects, text, word } from '../../reading.ts'
import type { ReviewWriteBack } from '../../write-back/server.ts'
import { failureOf, Refused } from '../ci-replies.ts'

const NEEDS =
  'Enter the URL of P4 Code Review, and a user with a ticket (p4 login -p) as the password: servers with security level 3 refuse passwords.'

/** A large review has hundreds of comments. */
const COMMENTS_MAX = 500

/** P4 Code Review (Swarm) with the user and ticket of the Perforce server. */
function swarmAt(config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal) {
  const base = (text(config.swarm) ?? '').replace(/\/+$/, '')
  if (!/^https?:\/\//.test(base)) throw new Refused(NEEDS)
  const login = Buffer.from(`${text(config.user) ?? ''}:${text(config.password) ?? ''}`).toString('base64')
  return async (method: NonNullable<FetchOptions['method']>, path: string, body?: object): Promise<unknown> => {
    const reply = await safeFetch(`${base}/api${path}`, (host, ip, port) => allowed(host, ip, port, 'perforce'), {
      method,
      headers: { accept: 'application/json', authorization: `Basic ${login}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
    if (reply.status >= 300) throw failureOf(reply, { ci: 'P4 Code Review', request: path.split('?', 1)[0]!, needs: NEEDS })
    const json = replyJson(reply.body)
    // A login page.
    if (json === undefined) throw new Refused(`P4 Code Review answers with no JSON. ${NEEDS}`)
    return json
  }
}

const isoOf = (seconds: unknown) => new Date((number(seconds) ?? 0) * 1000).toISOString()

export const writeBack: ReviewWriteBack = {
  repositoryOf: () => undefined,
  open(config, allowed, signal) {
    const swarm = swarmAt(config, allowed, signal)
    return {
      async find(shelf) {
        const found = objects(at(await swarm('GET', `/v9/reviews?change[]=${encodeURIComponent(shelf)}&max=2`), 'reviews'))
        const [id, versions] = [word(found[0]?.id), objects(found[0]?.versions)]
        return found.length === 1 && id !== undefined ? { id, versions: versions.map(({ time }) => isoOf(time)) } : undefined
      },
      vote: (review, vote, version) => swarm('POST', `/v11/reviews/${review}/vote`, { vote, version }),
      async findComment(review, text_) {
        const listed = objects(at(await swarm('GET', `/v9/comments?topic=reviews/${review}&max=${COMMENTS_MAX}`), 'comments'))
        return word(listed.find(({ user, body }) => user === config.user && text(body)?.includes(text_))?.id)
      },
      async createComment(review, body) {
        const written = await swarm('POST', `/v11/reviews/${review}/comments?notify=delayed`, { body })
        const id = word(at(written, 'data', 'comments', 0, 'id') ?? at(written, 'comment', 'id') ?? at(written, 'data', 'id'))
        if (id === undefined) throw new Refused('P4 Code Review answers without the id of the comment.')
        return id
      },
      editComment: (id, body) => swarm('PATCH', `/v9/comments/${id}`, { body }),
      async report(address, result) {
        const isThere = URL.canParse(address) && new URL(address).origin === new URL(text(config.swarm)!).origin
        if (!isThere) return
        const reply = await safeFetch(address, (host, ip, port) => allowed(host, ip, port, 'perforce'), {
          method: 'POST',
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body: JSON.stringify(result),
          ...(signal && { signal }),
        })
        if (reply.status >= 300) throw failureOf(reply, { ci: 'P4 Code Review', request: 'the test run', needs: NEEDS })
      },
    }
  },
  async check(config, allowed) {
    await swarmAt(config, allowed)('GET', '/v9/reviews?max=1')
  },
}
