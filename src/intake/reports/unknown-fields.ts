import { object } from '../reading.ts'

/** How many unknown fields are named. */
const NAMED_MAX = 20

/** A plausible name of a field. Anything else could be a secret that was sent as a key. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/
const SECRET_LIKE = /[0-9a-f]{16}|(?=\S*\d)(?=\S*[A-Z])(?=\S*[a-z])\S{24}/i

/** A warning for each unknown field of a report in our own format. Names only, never values. */
export function unknownFields(body: unknown, known: ReadonlySet<string>): string[] {
  const unknown = Object.keys(object(body) ?? {}).filter((name) => !known.has(name))
  const more = unknown.length - NAMED_MAX
  return [
    ...unknown.slice(0, NAMED_MAX).map((name) => `Unknown field ${shown(name)} was ignored.`),
    ...(more > 0 ? [`${more} more unknown fields were ignored.`] : []),
  ]
}

const shown = (name: string) => (PLAIN_NAME.test(name) && !SECRET_LIKE.test(name) ? `"${name}"` : '(name not shown)')
