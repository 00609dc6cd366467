import { PLAIN, type Style, styleAfter } from './text-style.ts'

/** A part of a line with a style. */
export interface Span {
  from: number
  to: number
  style: Style
}

export interface TerminalLine {
  text: string
  /** Sorted, without overlaps. */
  spans: Span[]
}

/** Control characters in a text: all of them are either executed or dropped, none reaches the page. */
const SPECIAL = /[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/
const LETTERS = /[^\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]+/y
/** Changes of the reading direction and line breaks are shown as a mark. */
const MISLEADING = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/
const MARK = '\ufffd'
/** Sequences with an end: instructions, and strings such as titles, links and marks of a CI. Without an end only the start is dropped. */
const SEQUENCE = /\x1b(?:\[([0-?]*)[ -/]*([@-~])|[\]_P^X][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])/y
/** Sequences that move the cursor or erase. */
const MOVES = /[\r\b]|\x1b\[[0-?]*[CDG]|\x1b\[[12]K/
const TAB = 8
/** The limit for moving right beyond the text, and for tabs. */
const RIGHT_MAX = 500

/** The visible text of a line, and the style after it. */
export function showOnTerminal(raw: string, before: Style): [line: TerminalLine, after: Style] {
  const ended = raw.endsWith('\r') ? raw.slice(0, -1) : raw
  if (!SPECIAL.test(ended)) return [{ text: ended, spans: before === PLAIN || ended === '' ? [] : [over(ended, before)] }, before]
  const paper = MOVES.test(ended) ? new Screen() : new Roll()
  const after = write(ended, before, paper)
  return [{ text: paper.text, spans: paper.spans }, after]
}

const over = ({ length }: string, style: Style): Span => ({ from: 0, to: length, style })

/** The target that a line is written to. */
interface Paper extends TerminalLine {
  readonly column: number
  put(letters: string, style: Style): void
  move(final: string, n: number): void
}

function write(raw: string, before: Style, paper: Paper): Style {
  let style = before
  for (let i = 0; i < raw.length; ) {
    LETTERS.lastIndex = i
    const letters = LETTERS.exec(raw)?.[0]
    if (letters !== undefined) {
      paper.put(letters, style)
      i += letters.length
      continue
    }
    const sign = raw[i]!
    i++
    if (sign === '\x1b') {
      SEQUENCE.lastIndex = i - 1
      const [whole = sign, parameters = '', final = ''] = SEQUENCE.exec(raw) ?? []
      i += whole.length - 1
      if (final === 'm') style = styleAfter(style, parameters)
      else if (final !== '') paper.move(final, Number.parseInt(parameters, 10) || 0)
    } else if (sign === '\r' || sign === '\b') paper.move(sign, 0)
    else if (sign === '\t') paper.put(' '.repeat(paper.column < RIGHT_MAX ? TAB - (paper.column % TAB) : 1), style)
    else if (MISLEADING.test(sign)) paper.put(MARK, style)
  }
  return style
}

/** Append-only: nearly every line. */
class Roll implements Paper {
  text = ''
  readonly spans: Span[] = []

  get column() {
    return this.text.length
  }

  put(letters: string, style: Style) {
    const from = this.text.length
    this.text += letters
    if (style !== PLAIN) extend(this.spans, { from, to: this.text.length, style })
  }

  move() {}
}

/** Cell by cell: later text overwrites earlier text. */
class Screen implements Paper {
  column = 0
  readonly #cells: [letter: string, style: Style][] = []

  put(letters: string, style: Style) {
    while (this.#cells.length < this.column) this.#cells.push([' ', PLAIN])
    for (const letter of letters) this.#cells[this.column++] = [letter, style]
  }

  move(final: string, n: number) {
    const rightmost = Math.max(this.#cells.length, RIGHT_MAX)
    if (final === '\r') this.column = 0
    else if (final === '\b') this.column = Math.max(0, this.column - 1)
    else if (final === 'C') this.column = Math.min(this.column + Math.max(1, n), rightmost)
    else if (final === 'D') this.column = Math.max(0, this.column - Math.max(1, n))
    else if (final === 'G') this.column = Math.min(Math.max(0, n - 1), rightmost)
    else if (final === 'K' && n !== 1) {
      // Erasing the whole line starts over at its beginning.
      if (n === 2) this.column = 0
      this.#cells.length = Math.min(this.#cells.length, this.column)
    }
  }

  get text() {
    return this.#cells.map(([letter]) => letter).join('')
  }

  get spans() {
    const spans: Span[] = []
    let at = 0
    for (const [{ length }, style] of this.#cells) {
      if (style !== PLAIN) extend(spans, { from: at, to: at + length, style })
      at += length
    }
    return spans
  }
}

/** Extends the last one if it has the same style and is adjacent. */
function extend(spans: Span[], next: Span) {
  const last = spans.at(-1)
  if (last?.to === next.from && last.style === next.style) last.to = next.to
  else spans.push(next)
}

/** Without its first characters. */
export const withoutStart = ({ text, spans }: TerminalLine, length: number): TerminalLine => ({
  text: text.slice(length),
  spans: spans
    .filter(({ to }) => to > length)
    .map(({ from, to, style }) => ({ from: Math.max(0, from - length), to: to - length, style })),
})
