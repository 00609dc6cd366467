import type { Outcome, Room, Vendor, VendorReply, VendorRequest } from '../vendor.ts'
import { failureOf, jsonOf, retryAfter } from './replies.ts'
import { slackMessage } from './slack-message.ts'

const API = 'https://slack.com/api'
const EVENT_TYPE = 'goldmaster_message'

/** Slack's clock and ours need not agree to the second. */
const CLOCK_SKEW_MS = 60_000
/** Slack's recommended maximum; with more messages since then, it is uncertain whether ours is among them. */
const HISTORY_LIMIT = 200

const request = ({ api = API, secret }: Room, method: string, query?: Record<string, string>): VendorRequest => ({
  method: 'GET',
  url: `${api}/${method}${query ? `?${new URLSearchParams(query)}` : ''}`,
  headers: { authorization: `Bearer ${secret}` },
})

const send = (to: Room, method: string, body: object): VendorRequest => {
  const { headers, ...rest } = request(to, method)
  return {
    ...rest,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
    // Updates would otherwise be parsed for names and channels.
    body: JSON.stringify({ ...body, parse: 'none' }),
  }
}

/** `channel ts`; only the ts for a message found in the searched room. */
const parts = (reference: string, { room }: Room): { channel: string; ts: string } => {
  const [ts, channel = room] = reference.split(' ').reverse()
  return { channel, ts: ts! }
}

const metadata = (id: string) => ({ event_type: EVENT_TYPE, event_payload: { id } })

const RECONNECT = 'Connect Slack again: create a new bot token for the app and enter it here.'
const INVITE = 'Invite the bot to the channel with /invite, or select another channel.'

const GONE: Record<string, { of: 'room' | 'secret'; advice: string }> = {
  ...Object.fromEntries(
    [
      'invalid_auth',
      'not_authed',
      'token_revoked',
      'token_expired',
      'account_inactive',
      'team_disabled',
      'org_login_required',
    ].map((error) => [error, { of: 'secret', advice: RECONNECT }]),
  ),
  channel_not_found: { of: 'room', advice: INVITE },
  not_in_channel: { of: 'room', advice: INVITE },
  is_archived: { of: 'room', advice: 'The channel is archived. Unarchive it or select another channel.' },
  restricted_action: {
    of: 'room',
    advice: 'The workspace doesn’t allow the bot to post there. Allow it or select another channel.',
  },
}
const LOST = ['message_not_found', 'cant_update_message', 'edit_window_closed']
const LATER = ['ratelimited', 'rate_limited', 'service_unavailable', 'request_timeout']
/** According to Slack, part of it may have been done. */
const UNKNOWN = ['fatal_error', 'internal_error']

function failed(answer: Record<string, unknown>, reply: VendorReply): Outcome {
  const error = /^[a-z_]{1,60}$/.exec(String(answer.error))?.[0] ?? 'an error'
  const why = `Slack answered ${error}.`
  if (LATER.includes(error)) return { kind: 'later', seconds: retryAfter(reply), why }
  if (UNKNOWN.includes(error)) return { kind: 'unknown', why }
  if (LOST.includes(error)) return { kind: 'lost', why }
  if (error === 'missing_scope') {
    const needed = /^[a-z:._, ]{1,200}$/.exec(String(answer.needed))?.[0] ?? 'chat:write'
    return { kind: 'gone', of: 'secret', why: `Give the app the scope ${needed} and install it again.` }
  }
  const gone = GONE[error]
  return gone ? { kind: 'gone', of: gone.of, why: `${why} ${gone.advice}` } : { kind: 'refused', why }
}

/** The reply to a query; throws if it failed. */
function answerOf(reply: VendorReply): Record<string, unknown> {
  const answer = jsonOf(reply)
  if (answer?.ok !== true) throw new Error(`Slack answered ${answer?.error ?? `HTTP ${reply.status}`}`)
  return answer
}

interface HistoryMessage {
  ts: string
  metadata?: { event_type?: string; event_payload?: { id?: string } }
}

export const slack: Vendor = {
  post: (to, post, plain) => {
    const { channel, ts } = post.thread === undefined ? { channel: to.room } : parts(post.thread, to)
    return send(to, 'chat.postMessage', { ...slackMessage(post, plain), channel, thread_ts: ts, metadata: metadata(post.id) })
  },
  edit: (to, post, reference, plain) =>
    send(to, 'chat.update', {
      // Omitted fields would stay unchanged.
      blocks: [],
      attachments: [],
      ...slackMessage(post, plain),
      ...parts(reference, to),
      metadata: metadata(post.id),
    }),
  read(reply) {
    const answer = jsonOf(reply)
    if (answer?.ok === false && reply.status < 500) return failed(answer, reply)
    const failure = failureOf(reply, RECONNECT)
    if (failure) return failure
    if (answer?.ok === true && typeof answer.channel === 'string' && typeof answer.ts === 'string')
      return { kind: 'sent', reference: `${answer.channel} ${answer.ts}` }
    return { kind: 'unknown', why: 'The response can’t be read.' }
  },
  find: {
    ask(to, since, thread) {
      const range = {
        oldest: String((since.getTime() - CLOCK_SKEW_MS) / 1000),
        inclusive: 'true',
        include_all_metadata: 'true',
        limit: String(HISTORY_LIMIT),
      }
      return thread === undefined
        ? request(to, 'conversations.history', { channel: to.room, ...range })
        : request(to, 'conversations.replies', { ...parts(thread, to), ...range })
    },
    read(reply, id) {
      const { messages, has_more } = answerOf(reply) as { messages?: HistoryMessage[]; has_more?: boolean }
      const found = messages?.find(({ metadata }) => metadata?.event_type === EVENT_TYPE && metadata.event_payload?.id === id)
      if (found === undefined && has_more) throw new Error('Too many newer messages in the channel to search')
      return found?.ts
    },
  },
  findPerson: {
    ask: (to, email) => request(to, 'users.lookupByEmail', { email }),
    read(reply) {
      if (jsonOf(reply)?.error === 'users_not_found') return
      const { user } = answerOf(reply) as { user?: { id?: string; deleted?: boolean } }
      return user?.deleted ? undefined : user?.id
    },
  },
  direct: (chatId) => chatId,
}
