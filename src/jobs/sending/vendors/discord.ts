import type { Outcome, Post, Room, Vendor, VendorRequest } from '../vendor.ts'
import { failureOf, jsonOf, waitOf } from './replies.ts'
import { backslashed, markdownLink, ZERO_WIDTH } from './text.ts'
import { linkLine, type Syntax, TONE_COLORS, word } from './wording.ts'

const MARKDOWN: Syntax = {
  escape: backslashed('\\*_~`|<>[]#'),
  backslash: true,
  link: markdownLink,
  mention: (id) => (/^\d{1,20}$/.test(id) ? `<@${id}>` : undefined),
  here: '@here',
}

const FIELD_MAX = 1024
/** No link previews in a plain text. */
const SUPPRESS_EMBEDS = 4

/** All parts are always sent: what an edit omits stays unchanged, and the allowed mentions would default to everybody named. */
function message(post: Post, plain: boolean) {
  const said = word(post, MARKDOWN)
  const { announcement } = post
  const users = said.pinged.map(({ id }) => id)
  // A title may contain @everyone, and escaping does not prevent the mention.
  if (plain) return { content: said.summary, embeds: [], flags: SUPPRESS_EMBEDS, allowed_mentions: { parse: [], users } }
  const allowed_mentions = { parse: announcement.here ? ['everyone'] : [], users }
  const links = linkLine(said, MARKDOWN, FIELD_MAX)
  const embed = {
    title: said.title,
    url: said.url,
    color: Number.parseInt(TONE_COLORS[announcement.tone].slice(1), 16),
    ...(said.evidence && { description: `\`\`\`\n${said.evidence}\n\`\`\`` }),
    fields: [
      ...said.facts.map(({ label, value }) => ({ name: label, value, inline: true })),
      ...(said.suspect ? [{ name: 'Suspect', value: said.suspect }] : []),
      ...(links ? [{ name: ZERO_WIDTH, value: links }] : []),
    ],
  }
  // Mentions in an embed notify nobody.
  return { content: said.ping, embeds: [embed], flags: 0, allowed_mentions }
}

const request = (method: 'POST' | 'PATCH', url: URL, post: Post, plain: boolean): VendorRequest => ({
  method,
  url: url.href,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(message(post, plain)),
})

const webhook = ({ secret }: Room, rest = ''): URL => {
  const url = new URL(secret)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${rest}`
  return url
}

const RENEW = 'Create a new webhook in the Discord channel settings and enter its URL here.'

const CODES: Record<number, (wait: number) => Outcome> = {
  10003: () => ({ kind: 'gone', of: 'room', why: `The channel was deleted. ${RENEW}` }),
  10008: () => ({ kind: 'lost', why: 'The message was deleted.' }),
  10015: () => ({ kind: 'gone', of: 'secret', why: `The webhook was deleted. ${RENEW}` }),
  30046: (seconds) => ({ kind: 'later', seconds, why: 'Too many edits of messages older than an hour.' }),
  50013: () => ({ kind: 'gone', of: 'room', why: `The webhook isn’t allowed to post there. ${RENEW}` }),
  50027: () => ({ kind: 'gone', of: 'secret', why: `The webhook is no longer valid. ${RENEW}` }),
}

/** The rejected parts: the names on the path to each `_errors`. */
const refusedParts = (errors: unknown, path: string[] = []): string[] =>
  typeof errors !== 'object' || errors === null
    ? []
    : Object.entries(errors).flatMap(([key, inner]) =>
        key === '_errors' ? [path.join('.')] : refusedParts(inner, [...path, key]),
      )

export const discord: Vendor = {
  post: (to, post, plain) => {
    const url = webhook(to)
    // Without it the reply shows neither whether the message was stored nor its id.
    url.searchParams.set('wait', 'true')
    return request('POST', url, post, plain)
  },
  edit: (to, post, reference, plain) => request('PATCH', webhook(to, `/messages/${reference}`), post, plain),
  read(reply) {
    const answer = jsonOf(reply)
    const failure = failureOf(reply, RENEW)
    if (failure === undefined) return { kind: 'sent', reference: typeof answer?.id === 'string' ? answer.id : '' }
    // The header is the body's number of seconds, rounded up; a reply without it still has the body.
    const wait = (failure.kind === 'later' && failure.seconds) || waitOf(answer?.retry_after)
    const meant = CODES[Number(answer?.code)]?.(wait)
    if (meant) return meant
    if (failure.kind === 'later') return { ...failure, seconds: wait }
    if (failure.kind !== 'refused') return failure
    const where = refusedParts(answer?.errors).filter((path) => /^[\w.]{1,100}$/.test(path))
    return {
      kind: 'refused',
      why: `Discord answered ${Number(answer?.code) || reply.status}${where.map((path) => `, ${path}`).join('')}.`,
    }
  },
}
