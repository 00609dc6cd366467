import type { Vendor } from '../vendor.ts'
import { attachmentMessage } from './attachment.ts'
import { failureOf, jsonOf, waitOf } from './replies.ts'
import { apart, inCode, markdownLink } from './text.ts'
import { webhookPost } from './webhook-post.ts'
import type { Syntax } from './wording.ts'

const BROADCASTS = ['all', 'here']

const MARKDOWN: Syntax = {
  // Rocket.Chat has no escaping: mentions and links are broken up, other marks keep their meaning.
  escape: apart(/(?<![\p{L}\p{N}])@[\w.-]|<(?:http|[!@])|\]\(|``/uy),
  escapeCode: apart(/(?<![\p{L}\p{N}])@[\w.-]/uy, inCode),
  link: markdownLink,
  mention: (id) => (/^[\w.-]{1,64}$/.test(id) && !BROADCASTS.includes(id.toLowerCase()) ? `@${id}` : undefined),
  here: '@here',
}

const RENEW = 'Create a new incoming integration in Rocket.Chat and enter its URL here.'

export const rocketchat: Vendor = {
  post: (to, post, plain) => webhookPost(to, attachmentMessage(post, MARKDOWN, plain)),
  read(reply) {
    const answer = jsonOf(reply)
    const error = String(answer?.error)
    // Its status differs between versions.
    if (error.startsWith('Invalid integration id or token'))
      return { kind: 'gone', of: 'secret', why: `The integration was deleted. ${RENEW}` }
    if (error === 'invalid-channel') return { kind: 'gone', of: 'room', why: `The room was deleted. ${RENEW}` }
    const failure = failureOf(reply, RENEW)
    // Ten a minute by default; the waiting time is only in the text.
    if (failure?.kind === 'later' && failure.seconds === 0)
      return { ...failure, seconds: waitOf(/must wait (\d+) seconds/.exec(error)?.[1]) }
    if (failure) return failure
    return answer?.success === false
      ? { kind: 'refused', why: 'Rocket.Chat refused the message.' }
      : { kind: 'sent', reference: '' }
  },
}
