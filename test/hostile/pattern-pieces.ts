import { LINE_CAP } from '../../src/diagnosis/log.ts'

/** A pattern parsed as far as needed to write texts that nearly match it, and to count the steps of matching one. */
export type Piece =
  /** One character; `source` is its part of the pattern. */
  | { kind: 'text'; sample: string; source: string }
  /** An assertion, like the start of a line. */
  | { kind: 'place'; source: string }
  | { kind: 'choice'; options: Piece[][] }
  /** A lookaround: adds nothing to a text, but can be kept busy like the rest. */
  | { kind: 'look'; options: Piece[][]; source: string; isBehind: boolean; isNot: boolean }
  | { kind: 'repeat'; piece: Piece; min: number; max: number; isLazy: boolean }

const ESCAPES: Record<string, string> = { d: '1', w: 'a', s: ' ', S: 'x', D: 'x', W: '-', t: '\t', n: '' }
const PLACES = new Set(['^', '$', '\\b', '\\B'])
const LIKELY = [...'a1 ./:-_Ax"\'\\([,✖']

/** The member of a class that likely belongs to its neighbors too. */
function memberOf(body: string): string {
  const pattern = new RegExp(`[${body}]`)
  return LIKELY.find((char) => pattern.test(char)) ?? body.at(-1) ?? ''
}

export function parse(source: string): Piece[] {
  let at = 0
  const charClass = (): string => {
    const start = at
    while (at < source.length && source[at] !== ']') at += source[at] === '\\' ? 2 : 1
    return memberOf(source.slice(start, at++))
  }
  const group = (): Piece => {
    const start = at - 1
    const [opening, behind, sign] = /^(?:\?(?:(<)?([=!])|:|<\w+>)?)?/.exec(source.slice(at))!
    at += opening.length
    const options = alternatives()
    at++
    if (!sign) return { kind: 'choice', options }
    return { kind: 'look', options, source: source.slice(start, at), isBehind: behind !== undefined, isNot: sign === '!' }
  }
  const sampleOf = (char: string): string => {
    if (char === '[') return charClass()
    if (char !== '\\') return char === '.' ? 'a' : char
    const code = source[at++] ?? ''
    if (code === 'u' || code === 'x') at += code === 'u' ? 4 : 2
    return ESCAPES[code] ?? code
  }
  const atom = (): Piece => {
    const start = at
    const char = source[at++]!
    if (char === '(') return group()
    const text = { kind: 'text', sample: sampleOf(char), source: source.slice(start, at) } as const
    return PLACES.has(text.source) ? { kind: 'place', source: text.source } : text
  }
  const sequence = (): Piece[] => {
    const pieces: Piece[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const piece = atom()
      const quantifier = /^(?:([*+?])|\{(\d+)(,(\d*))?\})(\?)?/.exec(source.slice(at))
      if (!quantifier) {
        pieces.push(piece)
        continue
      }
      const [all, sign, from, range, to, lazy] = quantifier
      at += all.length
      const min = sign ? (sign === '+' ? 1 : 0) : Number(from)
      const max = sign === '?' ? 1 : sign || to === '' ? Number.POSITIVE_INFINITY : Number(range ? to : from)
      pieces.push({ kind: 'repeat', piece, min, max, isLazy: lazy !== undefined })
    }
    return pieces
  }
  const alternatives = (): Piece[][] => {
    const options = [sequence()]
    while (source[at] === '|') {
      at++
      options.push(sequence())
    }
    return options
  }
  return [{ kind: 'choice', options: alternatives() }]
}

/** Repeated until a line is full; a repeat of repeats would otherwise have any length. */
export const fill = (part: string, times = LINE_CAP): string =>
  part === '' ? '' : part.repeat(Math.min(times, Math.ceil(LINE_CAP / part.length))).slice(0, LINE_CAP)

/** A text that the piece matches, with optional parts `least` times. */
export function sample(piece: Piece, least: 0 | 1 = 0): string {
  if (piece.kind === 'text') return piece.sample
  if (piece.kind === 'look' || piece.kind === 'place') return ''
  return piece.kind === 'repeat'
    ? fill(sample(piece.piece, least), Math.max(piece.min, least))
    : samples(piece.options[0]!, least)
}

export const samples = (pieces: readonly Piece[], least: 0 | 1 = 0): string =>
  pieces
    .map((piece) => sample(piece, least))
    .join('')
    .slice(0, LINE_CAP)
