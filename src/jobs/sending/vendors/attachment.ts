import type { Post } from '../vendor.ts'
import { linkLine, type Syntax, TONE_COLORS, word } from './wording.ts'

/** One server splits longer texts into two messages, the other refuses them. */
const TEXT_MAX = 4000

/**
 * A message in Slack's format before blocks, which similar servers accept. A linked title is not Markdown, so the heading is in the text.
 */
export function attachmentMessage(post: Post, syntax: Syntax, plain: boolean) {
  const said = word(post, syntax)
  if (plain) return { text: said.summary }
  const text = [
    `**${said.heading}**`,
    said.evidence && `\`\`\`\n${said.evidence}\n\`\`\``,
    said.suspect && `**Suspect:** ${said.suspect}`,
  ]
    .filter(Boolean)
    .join('\n')
  const links = linkLine(said, syntax, TEXT_MAX - text.length - 1)
  return {
    text: said.ping,
    attachments: [
      {
        fallback: said.title,
        color: TONE_COLORS[post.announcement.tone],
        text: [text, links].filter(Boolean).join('\n'),
        fields: said.facts.map(({ label, value }) => ({ title: label, value, short: true })),
      },
    ],
  }
}
