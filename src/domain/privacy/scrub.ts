import { Literals } from '../../diagnosis/stages/literals.ts'
import { NEAR_AT, reduceAddresses } from './addresses.ts'
import { reduceAuthor } from './authors.ts'
import { redactArguments } from './command-lines.ts'
import { hasBareToken } from './scannable-tokens.ts'
import { NEAR_ARGUMENTS } from './secret-arguments.ts'
import { NAMELESS, NEAR, redactShapes } from './secret-shapes.ts'
import { NEAR_NAMES, redactValues } from './secret-values.ts'
import { hasColors, hasLinks, rewriteUncolored, rewriteUnlinked, withoutColors, withoutLinks } from './terminal-colors.ts'

/**
 * Output with text by people and external tools goes through here: no address, no credential. Most texts contain neither, so one pass over
 * the characters decides whether there is anything to do.
 */
const NEAR_ANY = new Literals([...NEAR_AT, ...NEAR_NAMES, ...NEAR_ARGUMENTS, ...NEAR], { ignoreCase: true })

const isNearPrivate = (text: string): boolean =>
  NEAR_ANY.anyIn(text) || NAMELESS.some((shape) => shape.test(text)) || hasBareToken(text)

/** Whether a text, or JSON that contains it, may have something for `scrub` to remove. Colors and hyperlinks may be within a name. */
export const mayHoldPrivate = (text: string): boolean =>
  isNearPrivate(text) ||
  (hasColors(text) && isNearPrivate(withoutColors(text))) ||
  (hasLinks(text) && mayHoldPrivate(withoutLinks(text)))

/** A removal may join two parts into a new match (`a@b.com@c.org`); this many rounds are enough for any text. */
const ROUNDS = 4

const redact = (text: string): string => redactValues(redactShapes(redactArguments(text)))

/** A text as it may be shown: addresses reduced to their local part, credentials removed. */
export function scrub(text: string): string {
  if (!mayHoldPrivate(text)) return text
  // Before the address of a link is taken for what follows a name.
  const seen = hasLinks(text) ? rewriteUnlinked(text, scrub) : text
  // Then as it is: a color can be all that separates a token from the word before it.
  return hasColors(seen) ? redactShapes(rewriteUncolored(seen, scrubPlain)) : scrubPlain(seen)
}

function scrubPlain(text: string): string {
  let shown = text
  for (let round = 0; round < ROUNDS; round++) {
    const next = reduceAddresses(redact(shown))
    if (next === shown) break
    shown = next
  }
  return shown
}

/** An exact search term. Null, which equals nothing, if no reply would ever show it: a search must not confirm it either. */
export const asShown = (text: string): string | null => (scrub(text) === text ? text : null)

/** No real name is longer; a little more is read, so that nothing is cut in half before it is recognized. */
const AUTHOR_MAX = 1_000
const AUTHOR_READ = 4_000

/** An author as shown: their name, or the local part of their address; never an at-sign. */
export function scrubAuthor(author: string): string {
  if (!mayHoldPrivate(author)) return author
  const shown = reduceAuthor(scrub(reduceAuthor(redact(author.slice(0, AUTHOR_READ)))))
  return shown.slice(0, AUTHOR_MAX).toWellFormed()
}

/** Every text in a value, at any depth. */
export function scrubAll<T>(value: T): T {
  if (typeof value === 'string') return scrub(value) as T
  if (Array.isArray(value)) return value.map(scrubAll) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [scrub(key), scrubAll(inner)])) as T
}
