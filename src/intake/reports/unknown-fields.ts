import { object } from '../reading.ts'

/** As many as are worth reading. */
const NAMED_MAX = 20

/** What a person would call a field. Anything else could be a secret that landed on the wrong side of a colon. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/
const SECRET_LIKE = /[0-9a-f]{16}|(?=\S*\d)(?=\S*[A-Z])(?=\S*[a-z])\S{24}/i

/** Of a report in a format of our own: a warning for each field that nobody reads. Names only, never values. */
export function unknownFields(body: unknown, known: ReadonlySet<string>): string[] {
  const unknown = Object.keys(object(body) ?? {}).filter((name) => !known.has(name))
  const more = unknown.length - NAMED_MAX
  return [
    ...unknown.slice(0, NAMED_MAX).map((name) => `Unknown field ${shown(name)} was ignored.`),
    ...(more > 0 ? [`${more} more unknown fields were ignored.`] : []),
  ]
}

const shown = (name: string) => (PLAIN_NAME.test(name) && !SECRET_LIKE.test(name) ? `"${name}"` : '(name not shown)')
