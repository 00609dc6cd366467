/** Takes no room, and yet is something. */
export const ZERO_WIDTH = '\u200b'

/** Marks that reorder what follows them, or that nobody sees. Joiners stay: emoji are made of them. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g
const BLANK = /[\s\u0000-\u001f\u007f-\u009f]+/g

/** A text as one line that shows everything it holds. */
export const oneLine = (text: string): string => text.toWellFormed().replace(INVISIBLE, '').replace(BLANK, ' ').trim()

/** What stands for a character where the text goes, by what stands before and after it. */
export type Escape = (character: string, before: string, after: string) => string

/** Begins a list, a heading, a quote or a ruler where a line begins with it. */
const LINE_START = /^(?:>|-#|[-+*=_#]+(?: |$)|\d+[.)] )/

/** A text for where it goes, cut by code points with an ellipsis: escaped, it is no longer than `max` in any way of counting. */
export function truncate(text: string, max: number, escaping: Escape): string {
  const line = oneLine(text)
  // One more than can be shown tells that it has to be cut.
  const characters = [...line.slice(0, max + 1)]
  let whole = LINE_START.test(line) ? ZERO_WIDTH : ''
  let fitting = ''
  for (const [index, character] of characters.entries()) {
    whole += escaping(character, characters[index - 1] ?? '', characters[index + 1] ?? '')
    if (whole.length > max) return `${fitting}…`
    if (whole.length < max) fitting = whole
  }
  return whole
}

/** Looks like a mark and is none, for vendors that know no way to escape one. */
const LOOKALIKES: Record<string, string> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ˋ' }

const isWord = (character: string) => /[\p{L}\p{N}]/u.test(character)

/** No vendor takes an underscore inside of a word for a mark: names can be copied as they are. */
const isMark = (character: string, before: string, after: string) => character !== '_' || !isWord(before) || !isWord(after)

export const lookalike: Escape = (character, before, after) =>
  isMark(character, before, after) ? (LOOKALIKES[character] ?? character) : character

/** Nothing has a meaning in code but what ends it. */
export const inCode: Escape = (character) => (character === '`' ? LOOKALIKES['`']! : character)

/** Markdown: a backslash takes the meaning from these marks. */
export const backslashed =
  (marks: string): Escape =>
  (character, before, after) =>
    marks.includes(character) && isMark(character, before, after) ? `\\${character}` : character

/** What opens a mention, a tag or a link opens nothing once something stands between it and what follows. */
export const apart =
  (opening: string, otherwise: Escape): Escape =>
  (character, before, after) =>
    opening.includes(character) ? `${character}${ZERO_WIDTH}` : otherwise(character, before, after)

export const markdownLink = (text: string, url: string): string => `[${text}](${url})`
