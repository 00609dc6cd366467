import type { Post } from '../vendor.ts'
import { lookalike } from './text.ts'
import { linkLine, type Syntax, TONE_COLOURS, word } from './wording.ts'

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const MRKDWN: Syntax = {
  escape: (character, before, after) => ENTITIES[character] ?? lookalike(character, before, after),
  escapeCode: (character, before, after) =>
    ENTITIES[character] ?? (character === '`' ? lookalike(character, before, after) : character),
  // A bar ends the address, and a second one the text.
  link: (text, url) => `<${url.replaceAll('&', '&amp;')}|${text.replaceAll('|', '∣')}>`,
  mention: (id) => (/^[UW][A-Z0-9]{2,30}$/.test(id) ? `<@${id}>` : undefined),
  here: '<!here>',
}

/** Longer texts of one block are refused. */
const SECTION_MAX = 3000

/** Verbatim: only what is written as a mention or a link is one. */
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text, verbatim: true })
const section = (text: string) => ({ type: 'section', text: mrkdwn(text) })

/** Who is pinged stands outside of the coloured part: mentions in attachments ping nobody. */
export function slackMessage(post: Post, plain: boolean) {
  const said = word(post, MRKDWN)
  const message = { text: said.summary, unfurl_links: false, unfurl_media: false }
  if (plain) return message
  const links = linkLine(said, MRKDWN, SECTION_MAX)
  const details = [
    ...(said.evidence ? [section(`\`\`\`${said.evidence}\`\`\``)] : []),
    ...(said.facts.length > 0
      ? [{ type: 'section', fields: said.facts.map(({ label, value }) => mrkdwn(`*${label}*\n${value}`)) }]
      : []),
    ...(said.suspect ? [section(`*Suspect*\n${said.suspect}`)] : []),
    // Links, not buttons: Slack shows a warning on buttons of an app that does not listen to them.
    ...(links ? [section(links)] : []),
  ]
  return {
    ...message,
    blocks: [section([said.ping, `*${said.heading}*`].filter(Boolean).join(' '))],
    ...(details.length > 0 && { attachments: [{ color: TONE_COLOURS[post.announcement.tone], blocks: details }] }),
  }
}
