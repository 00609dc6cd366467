import type { Vendor } from '../vendor.ts'
import { attachmentMessage } from './attachment.ts'
import { failureOf, jsonOf } from './replies.ts'
import { apart, backslashed, inCode, markdownLink } from './text.ts'
import { webhookPost } from './webhook-post.ts'
import type { Syntax } from './wording.ts'

const BROADCASTS = ['all', 'channel', 'here']

const MARKDOWN: Syntax = {
  escape: apart(/(?<![\p{L}\p{N}])@\w|<[!@]/uy, backslashed('\\*_~`|[]#')),
  backslash: true,
  // <!channel> is a mention everywhere, even in code.
  escapeCode: apart(/<[!@]/y, inCode),
  link: markdownLink,
  mention: (id) => (/^[a-z0-9._-]{1,64}$/.test(id) && !BROADCASTS.includes(id) ? `@${id}` : undefined),
  here: '@here',
}

const RENEW = 'Create a new incoming webhook in Mattermost and enter its URL here.'

const GONE: Record<string, string> = {
  'web.incoming_webhook.invalid.app_error': `The webhook was deleted. ${RENEW}`,
  'web.incoming_webhook.disabled.app_error':
    'Incoming webhooks are disabled on this Mattermost server. Ask its admin to enable them.',
  'web.incoming_webhook.user.app_error': `The user who created the webhook was deleted. ${RENEW}`,
}

export const mattermost: Vendor = {
  post: (to, post, plain) => webhookPost(to, attachmentMessage(post, MARKDOWN, plain)),
  read(reply) {
    const failure = failureOf(reply, RENEW)
    if (failure === undefined) return { kind: 'sent', reference: '' }
    const id = String(jsonOf(reply)?.id)
    if (GONE[id]) return { kind: 'gone', of: 'secret', why: GONE[id] }
    return failure.kind === 'refused' && /^[a-z0-9_.]{1,100}$/.test(id)
      ? { kind: 'refused', why: `Mattermost answered ${id}.` }
      : failure
  },
}
