/** External text may contain anything; control and reordering characters are removed for a terminal. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g
const CONTROLS_BUT_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g

export const clean = (text: string): string => text.replace(CONTROLS, ' ').trim()

/** The same for text of several lines. */
export const cleanLines = (text: string): string => text.replaceAll('\r\n', '\n').replace(CONTROLS_BUT_LINES, ' ')

const MARK = /\p{M}|\p{Cf}/u
const WIDE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1faff],
  [0x20000, 0x3fffd],
]

const widthOf = (character: string): number => {
  const code = character.codePointAt(0)!
  if (code < 0x300) return 1
  if (MARK.test(character)) return 0
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1
}

/** The width of a text in terminal columns. */
export function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let columns = 0
  for (const character of text) columns += widthOf(character)
  return columns
}

/** Cuts a text to this many columns, with an ellipsis. */
export function cut(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const character of text) {
    used += widthOf(character)
    if (used > columns - 1) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}

/** The same, but keeps the end as well as the beginning. */
export function cutMiddle(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text
  const characters = [...text]
  let [head, tail] = ['', '']
  for (let left = columns - 1; characters.length > 0; ) {
    const fromEnd = columnsOf(tail) <= columnsOf(head)
    const next = fromEnd ? characters.pop()! : characters.shift()!
    left -= widthOf(next)
    if (left < 0) break
    if (fromEnd) tail = next + tail
    else head += next
  }
  return `${head.trimEnd()}…${tail.trimStart()}`
}

/** Lines of at most this many columns, broken between words, inside a path after its separators, and elsewhere only if necessary. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const piece of text.match(/[^\s/\\]*[/\\]|\S+|\s+/g) ?? ['']) {
    let rest = piece
    if (columnsOf(line + rest.trimEnd()) > columns && line !== '') {
      lines.push(line.trimEnd())
      line = ''
      rest = rest.trimStart()
    }
    while (columnsOf(rest) > columns) {
      const part = cut(rest, columns + 1).slice(0, -1)
      if (part === '') break
      lines.push(part)
      rest = rest.slice(part.length)
    }
    line += rest
  }
  return [...lines, line.trimEnd()]
}

export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - columnsOf(text)))
