import type { ChannelKind } from '../../../src/contract/channels.ts'
import { judgeMattermost, judgeRocketChat } from './attachment-rules.ts'
import { judgeDiscord } from './discord-rules.ts'
import type { ChatReply, ChatRequest, Handled } from './request.ts'
import type { Rooms } from './rooms.ts'
import { judgeSlack } from './slack-rules.ts'
import { judgeTeams } from './teams-rules.ts'
import type { Judge } from './verdict.ts'

interface Webhook {
  judge: Judge
  taken: ChatReply
  refused(violations: string[]): ChatReply
  gone: ChatReply
  /** For vendors that distinguish a wrong secret from a deleted webhook. */
  forbidden?: ChatReply
}

type WebhookKind = Exclude<ChannelKind, 'slack'>

const discordError = (status: number, code: number, message: string): ChatReply => ({ status, body: { message, code } })

const WEBHOOKS: Record<WebhookKind, Webhook> = {
  slack_webhook: {
    judge: judgeSlack,
    taken: { status: 200, body: 'ok' },
    refused: () => ({ status: 400, body: 'invalid_payload' }),
    gone: { status: 404, body: 'no_service' },
    forbidden: { status: 403, body: 'invalid_token' },
  },
  discord: {
    judge: judgeDiscord,
    taken: { status: 204, body: '' },
    refused: (violations) => ({
      status: 400,
      body: { code: 50035, message: 'Invalid Form Body', errors: { _errors: violations } },
    }),
    gone: discordError(404, 10015, 'Unknown Webhook'),
    forbidden: discordError(401, 50027, 'Invalid Webhook Token'),
  },
  teams: {
    judge: judgeTeams,
    taken: { status: 202, body: '' },
    refused: () => ({ status: 400, body: { error: { code: 'InvalidRequestContent' } } }),
    gone: { status: 404, body: { error: { code: 'WorkflowNotFound' } } },
    forbidden: { status: 401, body: { error: { code: 'DirectApiAuthorizationRequired' } } },
  },
  mattermost: {
    judge: judgeMattermost,
    taken: { status: 200, body: 'ok' },
    refused: () => ({
      status: 400,
      body: { id: 'web.incoming_webhook.text.app_error', message: 'No text specified', status_code: 400 },
    }),
    gone: { status: 400, body: { id: 'web.incoming_webhook.invalid.app_error', message: 'Invalid webhook', status_code: 400 } },
  },
  rocketchat: {
    judge: judgeRocketChat,
    taken: { status: 200, body: { success: true } },
    refused: () => ({ status: 400, body: { success: false, error: 'error-message-size-exceeded' } }),
    gone: { status: 404, body: { success: false, error: 'Invalid integration id or token provided.' } },
  },
}

/** A webhook: its URL belongs to one room. Discord's can also edit messages. */
export function webhook(
  kind: WebhookKind,
  request: ChatRequest,
  rooms: Rooms,
  { secret, violations }: { secret: string; violations: string[] },
): Handled {
  const { judge, taken, refused, gone, forbidden = gone } = WEBHOOKS[kind]
  const { method, body, bytes, query } = request
  const [room = '', given, segment, id = ''] = request.rest
  const answer = (): ChatReply => {
    if (given !== secret) return forbidden
    if (rooms.isGone(kind, room)) return gone
    const verdict = judge(body ?? {}, bytes)
    if (verdict.violations.length > 0) {
      violations.push(...verdict.violations.map((violation) => `${kind} ${room}: ${violation}`))
      return refused(verdict.violations)
    }
    if (kind === 'discord' && method === 'PATCH' && segment === 'messages') {
      const message = rooms.find(kind, room, id)
      if (!message) return discordError(404, 10008, 'Unknown Message')
      rooms.change(message, body, verdict)
      return { status: 200, body: { id, channel_id: room } }
    }
    if (method !== 'POST' || segment !== undefined) return { status: 405, body: '' }
    const message = rooms.add(kind, room, body, verdict)
    return kind === 'discord' && query.get('wait') === 'true'
      ? { status: 200, body: { id: message.id, channel_id: room } }
      : taken
  }
  return { kind, room, answer }
}
