import type { Post } from '../vendor.ts'
import { inCode } from './text.ts'
import { linkLine, type Syntax, TONE_COLORS, word } from './wording.ts'

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const mention = (id: string) => (/^[UW][A-Z0-9]{2,30}$/.test(id) ? `<@${id}>` : undefined)

/** For notifications, and if blocks are rejected. Its marks cannot be escaped and keep their meaning. */
const MRKDWN: Syntax = {
  escape: (character, before, after) => ENTITIES[character] ?? inCode(character, before, after),
  // A bar ends the URL, and a second one the text.
  link: (text, url) => {
    const address = url.replaceAll('&', '&amp;')
    return text.includes('|') ? `${text} <${address}|Open>` : `<${address}|${text}>`
  },
  mention,
  here: '<!here>',
}

/** Characters that texts never contain; they mark links and people, which become elements. */
const [LINK, PERSON, MIDDLE, END] = ['\u0001', '\u0002', '\u0003', '\u0004']
const TOKEN = /([\u0001\u0002])([^\u0003\u0004]*)(?:\u0003([^\u0004]*))?\u0004/g

/** Rich text shows every character literally, so that names can be copied and searched. */
const RICH: Syntax = {
  escape: (character) => character,
  escapeCode: (character) => character,
  link: (text, url) => `${LINK}${url}${MIDDLE}${text}${END}`,
  mention: (id) => mention(id) && `${PERSON}${id}${END}`,
  here: '',
}

type Style = { style?: { bold: true } }
const BOLD: Style = { style: { bold: true } }

function elementsOf(text: string, style: Style = {}) {
  const elements: object[] = []
  const plain = (part: string) => {
    if (part !== '') elements.push({ type: 'text', text: part, ...style })
  }
  let read = 0
  for (const token of text.matchAll(TOKEN)) {
    plain(text.slice(read, token.index))
    const [whole, kind, first, second] = token
    elements.push(
      kind === LINK ? { type: 'link', url: first, text: second, ...style } : { type: 'user', user_id: first, ...style },
    )
    read = token.index + whole.length
  }
  plain(text.slice(read))
  return elements
}

/** Blocks of more than 13,000 characters are rejected. */
const LINKS_MAX = 1700

const section = (elements: object[]) => ({ type: 'rich_text_section', elements })
const rich = (...elements: object[]) => ({ type: 'rich_text', elements })

/** Mentions are outside of the colored attachment, because mentions in attachments notify nobody. */
export function slackMessage(post: Post, plain: boolean) {
  const { summary, ping } = word(post, MRKDWN)
  const message = { text: summary, unfurl_links: false, unfurl_media: false }
  if (plain) return message
  const said = word(post, RICH)
  const labeled = (label: string, value: string, last: boolean) =>
    section([...elementsOf(`${label}: `, BOLD), ...elementsOf(`${value}${last ? '' : '\n'}`)])
  const facts = [...said.facts, ...(said.suspect ? [{ label: 'Suspect', value: said.suspect }] : [])]
  // Links, not buttons: Slack shows a warning on buttons of an app that does not listen to them.
  const links = linkLine(said, RICH, LINKS_MAX)
  const details = [
    ...(said.evidence ? [{ type: 'rich_text_preformatted', elements: elementsOf(said.evidence) }] : []),
    ...facts.map(({ label, value }, index) => labeled(label, value, index === facts.length - 1 && links === '')),
    ...(links ? [section(elementsOf(links))] : []),
  ]
  return {
    ...message,
    blocks: [
      ...(ping ? [{ type: 'section', text: { type: 'mrkdwn', text: ping, verbatim: true } }] : []),
      rich(section(elementsOf(said.heading, BOLD))),
    ],
    ...(details.length > 0 && { attachments: [{ color: TONE_COLORS[post.announcement.tone], blocks: [rich(...details)] }] }),
  }
}
