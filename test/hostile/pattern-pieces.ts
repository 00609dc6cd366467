import { LINE_CAP } from '../../src/diagnosis/log.ts'

/** A pattern taken apart as far as needed to write texts that nearly match it. */
export type Piece =
  | { kind: 'text'; sample: string }
  | { kind: 'choice'; options: Piece[][] }
  /** Looks without taking: adds nothing to a text, but can be kept busy like the rest. */
  | { kind: 'look'; options: Piece[][] }
  | { kind: 'repeat'; piece: Piece; min: number }

const ESCAPES: Record<string, string> = { d: '1', w: 'a', s: ' ', S: 'x', D: 'x', W: '-', t: '\t', b: '', B: '', n: '' }
const LIKELY = [...'a1 ./:-_Ax"\'\\([,✖']

/** The member of a class that likely belongs to its neighbours too. */
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
  const atom = (): Piece => {
    const char = source[at++]!
    if (char === '(') {
      const silent = /^\?(?:[=!]|<[=!])/.test(source.slice(at))
      at += /^\?(?:<?[=!]|:|<\w+>)?/.exec(source.slice(at))?.[0].length ?? 0
      const options = alternatives()
      at++
      return { kind: silent ? 'look' : 'choice', options }
    }
    if (char === '[') return { kind: 'text', sample: charClass() }
    if (char === '\\') {
      const code = source[at++]!
      if (code === 'u' || code === 'x') at += code === 'u' ? 4 : 2
      return { kind: 'text', sample: ESCAPES[code] ?? code }
    }
    return { kind: 'text', sample: char === '.' ? 'a' : char === '^' || char === '$' ? '' : char }
  }
  const sequence = (): Piece[] => {
    const pieces: Piece[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const piece = atom()
      const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(at))?.[0]
      at += quantifier?.length ?? 0
      if (!quantifier) pieces.push(piece)
      else pieces.push({ kind: 'repeat', piece, min: quantifier[0] === '+' ? 1 : Number(/^\{(\d+)/.exec(quantifier)?.[1] ?? 0) })
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

/** So often that a line is full; a repeat of repeats would otherwise be as long as its author likes. */
export const fill = (part: string, times = LINE_CAP): string =>
  part === '' ? '' : part.repeat(Math.min(times, Math.ceil(LINE_CAP / part.length))).slice(0, LINE_CAP)

/** A text the piece matches: optional parts stand `least` times in it. */
export function sample(piece: Piece, least: 0 | 1 = 0): string {
  if (piece.kind === 'text') return piece.sample
  if (piece.kind === 'look') return ''
  return piece.kind === 'repeat'
    ? fill(sample(piece.piece, least), Math.max(piece.min, least))
    : samples(piece.options[0]!, least)
}

export const samples = (pieces: readonly Piece[], least: 0 | 1 = 0): string =>
  pieces
    .map((piece) => sample(piece, least))
    .join('')
    .slice(0, LINE_CAP)
