import type { Announcement, Person } from '../../../domain/channels/announcement.ts'
import type { Post } from '../vendor.ts'
import { type Escape, inCode, truncate } from './text.ts'

/** A vendor's syntax. */
export interface Syntax {
  escape: Escape
  /** Whether the vendor supports escaping with a backslash. */
  backslash?: true
  /** Inside of code, if the vendor needs escaping there too. */
  escapeCode?: Escape
  /** Both are escaped already. */
  link(text: string, url: string): string
  /** A mention, unless the id is invalid there. `name` is escaped already. */
  mention(id: string, name: string): string | undefined
  /** Mentions everybody present; empty if not supported. */
  here: string
}

/** An announcement in a vendor's syntax: every text escaped and limited. */
interface Wording {
  title: string
  /** The title's URL, if it can be a link. */
  url: string | undefined
  /** The title as a link. */
  heading: string
  facts: { label: string; value: string }[]
  /** Empty if there is none. */
  evidence: string
  suspect: string
  links: { label: string; url: string }[]
  /** The mentions; empty if there are none. */
  ping: string
  pinged: { id: string; mention: string; name: string }[]
  /** All of it in one line: for notifications, and for vendors that reject the rest. */
  summary: string
}

export const TONE_COLORS: Record<Announcement['tone'], string> = {
  bad: '#d1242f',
  warn: '#bf8700',
  good: '#1a7f37',
  neutral: '#57606a',
}

/**
 * Limits of the parts of one message. Together they stay below the tightest totals: 6,000 characters of a Discord embed, 10,000 of Slack's
 * blocks, 28 KB of a card for Teams with three bytes a character.
 */
const MAX = {
  title: 200,
  facts: 10,
  label: 50,
  value: 200,
  evidence: 800,
  change: 100,
  reason: 300,
  name: 60,
  links: 4,
  mentions: 10,
}
const URL_MAX = 800
/** A URL inside of a text counts as text. */
const LINK_MAX = 400

/** Vendors reject empty texts in most places. */
const NOTHING = '–'

/** A URL that is valid in any link, or undefined: a truncated one would not work. */
function linkable(address: string, max: number): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password) return
  // URLs may contain these characters, and links and mentions consist of them.
  const safe = url.href.replace(/[|()\\`'@]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  return safe.length <= max ? safe : undefined
}

export function word({ announcement, chatIdOf, reader }: Post, syntax: Syntax): Wording {
  const { title, url, facts, evidence, suspect, links, here } = announcement
  const text = (given: string, max: number) => truncate(given, max, syntax.escape, syntax.backslash) || NOTHING
  const linked = (label: string, address: string, max: number) => {
    const safe = linkable(address, max)
    return safe === undefined ? label : syntax.link(label, safe)
  }

  const people = announcement.mentions.slice(0, MAX.mentions).map((person) => {
    const name = text(person.name, MAX.name)
    const id = chatIdOf(person) ?? ''
    return { person, id, name, mention: syntax.mention(id, name) }
  })
  // Two accounts may be one person there.
  const pinged = people.flatMap(({ id, name, mention }, index) =>
    mention === undefined || people.findIndex((one) => one.id === id) < index ? [] : [{ id, name, mention }],
  )
  const mentionOf = (person: Person) => {
    const one = people.find(({ person: { user_id } }) => user_id === person.user_id)
    return pinged.find(({ id }) => id === one?.id)?.mention
  }
  const isReader = (person: Person | undefined) => person !== undefined && person.user_id === reader
  /** A person who is not mentioned is written by name. */
  const written = (person: Person) => mentionOf(person) ?? text(person.name, MAX.name)
  const ping = [here ? syntax.here : '', ...pinged.map(({ mention }) => mention)].filter(Boolean).join(' ')

  const shown = text(title, MAX.title)
  const heading = linked(shown, url, URL_MAX)
  return {
    title: shown,
    url: linkable(url, URL_MAX),
    heading,
    facts: facts.slice(0, MAX.facts).map(({ label, value, person }) => ({
      label: text(label, MAX.label),
      value: (person && mentionOf(person)) ?? text(value || (person?.name ?? ''), MAX.value),
    })),
    evidence: truncate(evidence ?? '', MAX.evidence, syntax.escapeCode ?? inCode),
    suspect: suspect
      ? [
          isReader(suspect.person) && 'your change ',
          linked(text(suspect.change, MAX.change), suspect.url, LINK_MAX),
          suspect.person && !isReader(suspect.person) && ` by ${written(suspect.person)}`,
          !suspect.person && suspect.author && ` by ${text(suspect.author, MAX.name)}`,
          suspect.integrator && `, integrated by ${text(suspect.integrator, MAX.name)}`,
          suspect.reason && `: ${text(suspect.reason, MAX.reason)}`,
        ]
          .filter(Boolean)
          .join('')
      : '',
    links: links.slice(0, MAX.links).flatMap((link) => {
      const safe = linkable(link.url, URL_MAX)
      return safe === undefined ? [] : [{ label: text(link.label, MAX.label), url: safe }]
    }),
    ping,
    pinged,
    summary: ping === '' ? heading : `${ping} ${heading}`,
  }
}

/** The links as one line, as many as fit. */
export function linkLine({ links }: Wording, { link }: Syntax, max: number): string {
  let line = ''
  for (const { label, url } of links) {
    const longer = [line, link(label, url)].filter(Boolean).join(' · ')
    if (longer.length <= max) line = longer
  }
  return line
}
