import type { Outcome, Vendor } from '../vendor.ts'
import { failureOf, jsonOf } from './replies.ts'
import { slackMessage } from './slack-message.ts'
import { webhookPost } from './webhook-post.ts'

const RENEW = 'Create a new incoming webhook in Slack and enter its URL here.'

/** The body of an error is a single word. */
const WORDS: Record<string, Outcome> = {
  invalid_payload: { kind: 'refused', why: 'Slack answered invalid_payload.' },
  no_text: { kind: 'refused', why: 'Slack answered no_text.' },
  user_not_found: { kind: 'gone', of: 'room', why: `The person it posts to was deleted. ${RENEW}` },
  channel_not_found: { kind: 'gone', of: 'room', why: `The channel was deleted. ${RENEW}` },
  channel_is_archived: {
    kind: 'gone',
    of: 'room',
    why: 'The channel is archived. Unarchive it, or create a new incoming webhook.',
  },
  action_prohibited: {
    kind: 'gone',
    of: 'room',
    why: 'The workspace doesn’t allow this webhook to post. Ask its admin.',
  },
  invalid_token: { kind: 'gone', of: 'secret', why: `The webhook is no longer valid. ${RENEW}` },
  no_service: { kind: 'gone', of: 'secret', why: `The webhook was disabled or removed. ${RENEW}` },
  no_team: { kind: 'gone', of: 'secret', why: `The workspace was deleted. ${RENEW}` },
}

export const slackWebhook: Vendor = {
  post: (to, post, plain) => webhookPost(to, slackMessage(post, plain)),
  read(reply) {
    const answer = jsonOf(reply)
    const said = reply.status < 500 && (WORDS[reply.body.trim()] ?? (answer?.ok === false && WORDS[String(answer.error)]))
    if (said) return said
    const failure = failureOf(reply, RENEW)
    if (failure) return failure
    // Compatible servers reply with JSON. A 2xx with any other text was accepted too, and must not be sent again.
    return answer?.ok === false ? { kind: 'refused', why: 'Slack did not answer ok.' } : { kind: 'sent', reference: '' }
  },
}
