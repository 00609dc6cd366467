import type { Post, Vendor } from '../vendor.ts'
import { failureOf, jsonOf } from './replies.ts'
import { apart, backslashed, markdownLink } from './text.ts'
import { webhookPost } from './webhook-post.ts'
import { type Syntax, word } from './wording.ts'

/** A card interprets the tag <at>, and {{…}} as a function. */
const escaped = apart(/<\/?at\b|\{\{/iy, backslashed('\\*_~`[]'))

const MARKDOWN: Syntax = {
  escape: escaped,
  backslash: true,
  // Another font, but still Markdown.
  escapeCode: escaped,
  link: markdownLink,
  mention: (id, name) => (/^[\w.+-]{1,64}(?:@[\w.-]{1,64})?$/.test(id) ? `<at>${name}</at>` : undefined),
  here: '',
}

const COLORS = { bad: 'Attention', warn: 'Warning', good: 'Good', neutral: 'Default' }

const textBlock = (text: string, look: object = {}) => ({ type: 'TextBlock', text, wrap: true, ...look })

function card(post: Post, plain: boolean) {
  const said = word(post, MARKDOWN)
  const heading = { weight: 'Bolder', size: 'Medium', style: 'heading', color: COLORS[post.announcement.tone] }
  const facts = [
    ...said.facts.map(({ label, value }) => ({ title: label, value })),
    ...(said.suspect ? [{ title: 'Suspect', value: said.suspect }] : []),
  ]
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: {
      width: 'Full',
      entities: said.pinged.map(({ id, mention, name }) => ({ type: 'mention', text: mention, mentioned: { id, name } })),
    },
    body: plain
      ? [textBlock(said.summary)]
      : [
          textBlock(said.heading, heading),
          ...(said.evidence ? [textBlock(said.evidence, { fontType: 'Monospace' })] : []),
          ...(facts.length > 0 ? [{ type: 'FactSet', facts }] : []),
          ...(said.ping ? [textBlock(said.ping)] : []),
        ],
    actions: plain ? [] : said.links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
  }
}

const RENEW = 'Create a new workflow "Post to a channel when a webhook request is received" in Teams and enter its URL here.'

export const teams: Vendor = {
  post: (to, post, plain) =>
    webhookPost(to, {
      type: 'message',
      summary: word(post, MARKDOWN).title,
      attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card(post, plain) }],
    }),
  read(reply) {
    // Reported with 200 and as text.
    const relayed = /endpoint returned HTTP error (\d{3})/.exec(reply.body)?.[1]
    const failure = failureOf(relayed ? { ...reply, status: Number(relayed) } : reply, RENEW)
    if (failure === undefined) return { kind: 'sent', reference: '' }
    const { code } = (jsonOf(reply)?.error ?? {}) as { code?: string }
    if (code === 'WorkflowTriggerIsNotEnabled')
      return {
        kind: 'gone',
        of: 'secret',
        why: 'The workflow is turned off. Turn it on in Teams, then resume this channel.',
      }
    return failure
  },
}
