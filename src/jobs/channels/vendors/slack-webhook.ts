import type { Outcome, Vendor } from '../vendor.ts'
import { failureOf, jsonOf } from './replies.ts'
import { slackMessage } from './slack-message.ts'
import { webhookPost } from './webhook-post.ts'

const RENEW = 'Make a new incoming webhook in Slack and put its address here.'

/** The body of a refusal is a bare word. */
const WORDS: Record<string, Outcome> = {
  invalid_payload: { kind: 'refused', why: 'Slack says invalid_payload.' },
  no_text: { kind: 'refused', why: 'Slack says no_text.' },
  user_not_found: { kind: 'gone', of: 'room', why: `The person it writes to is gone. ${RENEW}` },
  channel_not_found: { kind: 'gone', of: 'room', why: `The room is gone. ${RENEW}` },
  channel_is_archived: { kind: 'gone', of: 'room', why: 'The room is archived: open it again, or make a new incoming webhook.' },
  action_prohibited: {
    kind: 'gone',
    of: 'room',
    why: 'The rules of the workspace keep this webhook from writing: ask its admin.',
  },
  invalid_token: { kind: 'gone', of: 'secret', why: `The webhook does not count any more. ${RENEW}` },
  no_service: { kind: 'gone', of: 'secret', why: `The webhook was switched off or removed. ${RENEW}` },
  no_team: { kind: 'gone', of: 'secret', why: `The workspace is gone. ${RENEW}` },
}

export const slackWebhook: Vendor = {
  post: (to, post, plain) => webhookPost(to, slackMessage(post, plain)),
  read(reply) {
    const answer = jsonOf(reply)
    const said = reply.status < 500 && (WORDS[reply.body.trim()] ?? (answer?.ok === false && WORDS[String(answer.error)]))
    if (said) return said
    const failure = failureOf(reply, RENEW)
    if (failure) return failure
    // Compatible servers answer in JSON. A 2xx with any other words has been taken too, and must not be sent again.
    return answer?.ok === false ? { kind: 'refused', why: 'The answer was not ok.' } : { kind: 'sent', reference: '' }
  },
}
