/**
 * Sequences that color text or move the cursor: as printed, as JSON, shells and source code spell them, or without the character that a
 * tool removed.
 */
const SEQUENCE =
  /(?:\x1b|\\{1,2}(?:u001b|x1b|033|e)|\u2190)(?:\[[0-9;:?]{0,40}[@-~]|\([0-9A-Z])|\x9b[0-9;:?]{0,40}[@-~]|\[(?:[0-24]|[349]\d|10\d|[01];\d{1,3}|[34]8;[0-9;]{3,20})m/gi

/** A hyperlink begins or ends, or a title is set. Its text may contain a credential, and it may be all that separates one from its name. */
const LINK =
  /(?:\x1b|\\{1,2}(?:u001b|x1b|033|e)|\u2190)\]\d{1,4};[^\x1b\x07\\\n\u2190]{0,2000}(?:\x07|\\{1,2}(?:u0007|x07|007|a)|(?:\x1b|\\{1,2}(?:u001b|x1b|033|e)|\u2190)\\{1,4})/gi

const ANY = new RegExp(SEQUENCE.source, 'i')
const ANY_LINK = new RegExp(LINK.source, 'i')

export const hasColors = (text: string): boolean => ANY.test(text)
export const hasLinks = (text: string): boolean => ANY_LINK.test(text)

/** Reads a text as a person sees it. The same text if there are no sequences in it. */
export const withoutColors = (text: string): string => text.replace(SEQUENCE, '')
export const withoutLinks = (text: string): string => text.replace(LINK, '')

/**
 * Rewrites a text as if it had no sequences, which may be within a name or a value. Lines that did not change keep theirs, unless lines were
 * joined or removed.
 */
export const rewriteUncolored = (text: string, rewrite: (plain: string) => string): string =>
  rewritten(text, withoutColors(text), rewrite)

/** The same for hyperlinks. */
export const rewriteUnlinked = (text: string, rewrite: (plain: string) => string): string =>
  rewritten(text, withoutLinks(text), rewrite)

function rewritten(text: string, plain: string, rewrite: (plain: string) => string): string {
  const shown = rewrite(plain)
  if (shown === plain) return text
  const [colored, before, after] = [text, plain, shown].map((each) => each.split('\n')) as [string[], string[], string[]]
  if (after.length !== before.length) return shown
  return after.map((line, at) => (line === before[at] ? colored[at] : line)).join('\n')
}
