import type { ChatReply, ChatRequest, Handled } from './request.ts'
import type { Rooms, StoredMessage } from './rooms.ts'
import { judgeSlack } from './slack-rules.ts'

interface SlackSettings {
  token: string
  /** People by email address. */
  people: Record<string, string>
  violations: string[]
}

const ok = (answer: object): ChatReply => ({ status: 200, body: { ok: true, ...answer } })
const no = (error: string, more: object = {}): ChatReply => ({ status: 200, body: { ok: false, error, ...more } })

/** A direct message goes to a room of the two. */
const idOf = (channel: string) => channel.replace(/^[UW]/, 'D')

const shown = ({ id, text, marker, thread }: StoredMessage, metadata: boolean) => ({
  type: 'message',
  ts: id,
  text,
  ...(thread && { thread_ts: thread }),
  ...(metadata && marker && { metadata: { event_type: 'goldmaster_message', event_payload: { id: marker } } }),
})

function pageOf(messages: StoredMessage[], query: URLSearchParams): ChatReply {
  const limit = Number(query.get('limit') ?? 100)
  if (!(limit >= 1 && limit < 1000)) return no('invalid_limit')
  const since = messages.filter(({ id }) => Number(id) >= Number(query.get('oldest') ?? 0))
  const withMetadata = query.get('include_all_metadata') === 'true'
  return ok({ messages: since.slice(0, limit).map((message) => shown(message, withMetadata)), has_more: since.length > limit })
}

/** Slack's Web API, as far as we use it: it always returns 200. */
export function slackApi(
  { method, rest: [call], query, token, body }: ChatRequest,
  rooms: Rooms,
  settings: SlackSettings,
): Handled {
  const reads = call !== 'chat.postMessage' && call !== 'chat.update'
  const channel = String(reads ? query.get('channel') : body?.channel)
  const room = idOf(channel)
  const inRoom = () => rooms.messages.filter((message) => message.kind === 'slack' && message.room === room)

  const refusal = (): ChatReply | undefined => {
    if (token !== settings.token) return no('invalid_auth')
    if (method !== (reads ? 'GET' : 'POST')) return no('invalid_post_type')
    if (call === 'users.lookupByEmail') return
    // Only a new message can be addressed to a person's own id.
    const known = call === 'chat.postMessage' ? /^[CDGUW][A-Z0-9]{2,}$/ : /^[CDG][A-Z0-9]{2,}$/
    if (!known.test(channel) || rooms.isGone('slack', room)) return no('channel_not_found')
    if (reads) return
    const { violations } = judgeSlack(body, 0)
    if (violations.length === 0) return
    settings.violations.push(...violations.map((violation) => `slack ${room}: ${violation}`))
    return no('invalid_blocks', { errors: violations })
  }

  const calls: Record<string, () => ChatReply> = {
    'chat.postMessage': () => {
      if (body.thread_ts !== undefined && !rooms.find('slack', room, body.thread_ts)) return no('thread_not_found')
      const marker = body.metadata?.event_payload?.id
      const { id } = rooms.add('slack', room, body, judgeSlack(body, 0), { marker, thread: body.thread_ts })
      return ok({ channel: room, ts: id })
    },
    'chat.update': () => {
      const message = rooms.find('slack', room, body.ts)
      if (!message) return no('message_not_found')
      // Missing fields stay unchanged.
      const { blocks, attachments } = message.body
      const changed = { blocks, attachments, ...body }
      rooms.change(message, changed, judgeSlack(changed, 0))
      return ok({ channel: room, ts: body.ts })
    },
    'conversations.history': () =>
      pageOf(
        inRoom()
          .filter(({ thread }) => !thread)
          .reverse(),
        query,
      ),
    'conversations.replies': () => {
      const ts = query.get('ts')!
      return rooms.find('slack', room, ts)
        ? pageOf(
            inRoom().filter(({ id, thread }) => id === ts || thread === ts),
            query,
          )
        : no('thread_not_found')
    },
    'users.lookupByEmail': () => {
      const id = settings.people[String(query.get('email'))]
      return id ? ok({ user: { id, deleted: false } }) : no('users_not_found')
    },
  }
  return { kind: 'slack', room, reads, answer: () => refusal() ?? calls[call!]?.() ?? no('unknown_method') }
}
