import { LINE_CAP } from '../../src/diagnosis/log.ts'
import type { Pattern, Rule } from '../../src/diagnosis/rule.ts'
import { fill, type Piece, parse, sample, samples } from './pattern-pieces.ts'

/** Endings that spoil a match: the first is no word, no space and no punctuation; the second is not matched by a dot. */
const SPOILERS = ['\u0007', '\u2028'] as const
/** What overlapping classes have in common is often a plain character. */
const PLAIN = [...'a1 ./-']

/** What a repeated piece may repeat: itself without and with its optional parts, each of its alternatives, all of them in turn. */
function partsOf(piece: Piece): Set<string> {
  const parts = new Set([sample(piece), sample(piece, 1)])
  if (piece.kind === 'choice') {
    const options = piece.options.map((option) => samples(option, 1))
    for (const option of options) parts.add(option)
    parts.add(options.join('').slice(0, LINE_CAP))
  }
  return parts
}

/** A pattern with many alternatives would otherwise have more prefixes than there is time to try. */
const PREFIXES = 6

/** Ways through a piece: without and with its optional parts, by each of its alternatives. */
function waysPast(piece: Piece): string[] {
  const options = piece.kind === 'choice' ? piece.options.map((option) => samples(option)) : []
  return [...new Set([sample(piece), sample(piece, 1), ...options])]
}

/**
 * The text before each repeated piece, that piece until the line is full, and an end that spoils the match; and the same with the text
 * before it repeated, for a pattern that may start anywhere.
 */
function attacks(pieces: readonly Piece[], before: readonly string[], characters: readonly string[]): string[] {
  const found: string[] = []
  let prefixes = before
  for (const piece of pieces) {
    if (piece.kind === 'choice' || piece.kind === 'look')
      for (const option of piece.options) found.push(...attacks(option, prefixes, characters))
    if (piece.kind === 'repeat') {
      const parts = partsOf(piece.piece)
      for (const prefix of prefixes) {
        const line = (text: string, end: string) => text.slice(0, LINE_CAP - 1) + end
        for (const part of parts) for (const end of SPOILERS) found.push(line(prefix + fill(part), end))
        for (const part of parts) found.push(line(fill(prefix + part), SPOILERS[0]))
      }
      for (const character of characters) found.push((prefixes[0]! + fill(character)).slice(0, LINE_CAP - 1) + SPOILERS[0])
      found.push(...attacks([piece.piece], prefixes, characters))
    }
    prefixes = [...new Set(waysPast(piece).flatMap((way) => prefixes.map((prefix) => (prefix + way).slice(0, LINE_CAP))))].slice(
      0,
      PREFIXES,
    )
  }
  return found
}

/** Lines made to keep this pattern busy: if it can be slow, it very likely is on one of them. */
export const attacksOn = ({ source }: Pattern): Set<string> =>
  new Set(attacks(parse(source), [''], [...new Set([...PLAIN, ...source.replace(/\\.|[[\](){}|?*+^$]/g, '')])]))

/** Lines full of a rule's required literals. */
export const linesAround = (need: readonly string[]): string[] =>
  need
    .flatMap((literal) => [fill(literal), `${literal}${' '.repeat(LINE_CAP)}`, `${' a/b.c:1'.repeat(250)}${literal}`])
    .map((line) => line.slice(0, LINE_CAP))

/** Every pattern of a rule by the name of its field. */
export const patternsOf = ({ match, block }: Rule): [field: string, pattern: Pattern][] =>
  Object.entries({
    match,
    'block.back': block?.back,
    'block.more': block?.more,
    'block.until': block?.until,
    'block.through': block?.through,
  }).filter((entry): entry is [string, Pattern] => entry[1] !== undefined)
