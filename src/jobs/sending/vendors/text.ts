/** Invisible, but not empty. */
export const ZERO_WIDTH = '\u200b'

/** Characters that reorder the text after them, or are invisible. Joiners stay: emoji use them. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
const BLANK = /[\s\u0000-\u001f\u007f-\u009f]+/g

/** A text as one line without hidden characters. */
export const oneLine = (text: string): string => text.toWellFormed().replace(INVISIBLE, '').replace(BLANK, ' ').trim()

/** How a character is escaped, given the character before it and the next few after it. */
export type Escape = (character: string, before: string, after: string) => string

const LOOK_AHEAD = 8

/** A mark that starts a list, heading, quote or rule at the beginning of a line; for a numbered list the mark after the number. */
const LINE_START = /^(?:\d+(?=[.)] )|(?=>|-#|[-+*=_#]+(?: |$)))/

/**
 * A text escaped for its vendor and cut by code points with an ellipsis: after escaping it is no longer than `max` in bytes, UTF-16 units
 * or code points. Marks of lists and headings get a backslash if the vendor supports that.
 */
export function truncate(text: string, max: number, escaping: Escape, backslash = false): string {
  const line = oneLine(text)
  // One more than fits shows that it has to be cut.
  const characters = [...line.slice(0, max + 1)]
  const begins = backslash ? (LINE_START.exec(line)?.[0].length ?? -1) : -1
  let whole = ''
  let fitting = ''
  for (const [index, character] of characters.entries()) {
    const after = characters.slice(index + 1, index + 1 + LOOK_AHEAD).join('')
    const escaped = escaping(character, characters[index - 1] ?? '', after)
    whole += index === begins && escaped === character ? `\\${character}` : escaped
    if (whole.length > max) return `${fitting}…`
    if (whole.length < max) fitting = whole
  }
  return whole
}

const isWord = (text: string) => /^[\p{L}\p{N}]/u.test(text)

/** No vendor treats an underscore inside of a word as a mark: names can be copied unchanged. */
const isMark = (character: string, before: string, after: string) => character !== '_' || !isWord(before) || !isWord(after)

/** In code only a row of backticks has a meaning: it ends the code. */
export const inCode: Escape = (character, _, after) =>
  character === '`' && after.startsWith('`') ? `\`${ZERO_WIDTH}` : character

/** Markdown: a backslash disables these marks. */
export const backslashed =
  (marks: string): Escape =>
  (character, before, after) =>
    marks.includes(character) && isMark(character, before, after) ? `\\${character}` : character

/**
 * Breaks up mentions, tags and links by inserting a character after their opening mark. Other text stays unchanged, so that `TArray<int>`
 * can be searched and copied. The pattern is sticky.
 */
export const apart =
  (opening: RegExp, otherwise: Escape = (character) => character): Escape =>
  (character, before, after) =>
    isAt(opening, before + character + after, before.length) ? `${character}${ZERO_WIDTH}` : otherwise(character, before, after)

/** Tests a sticky pattern at an offset, so that its lookbehind sees the text before. */
const isAt = (pattern: RegExp, text: string, index: number) => {
  pattern.lastIndex = index
  return pattern.test(text)
}

export const markdownLink = (text: string, url: string): string => `[${text}](${url})`
