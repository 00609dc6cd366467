import { LINE_CAP } from '../../src/diagnosis/log.ts'
import type { Pattern, Rule } from '../../src/diagnosis/rule.ts'
import { fill, type Piece, parse, sample, samples } from './pattern-pieces.ts'

/** Ends that spoil a match: the first is no word, no space and no sign; the second is what a dot does not match. */
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

/** What leads up to each repeated piece, that piece until the line is full, and an end that spoils the match. */
function attacks(pieces: readonly Piece[], before: string, characters: readonly string[]): string[] {
  const found: string[] = []
  let prefix = before
  for (const piece of pieces) {
    if (piece.kind === 'choice' || piece.kind === 'look')
      for (const option of piece.options) found.push(...attacks(option, prefix, characters))
    if (piece.kind === 'repeat') {
      const line = (part: string, end: string) => (prefix + fill(part)).slice(0, LINE_CAP - 1) + end
      for (const part of partsOf(piece.piece)) for (const end of SPOILERS) found.push(line(part, end))
      for (const character of characters) found.push(line(character, SPOILERS[0]))
      found.push(...attacks([piece.piece], prefix, characters))
    }
    prefix = (prefix + sample(piece)).slice(0, LINE_CAP)
  }
  return found
}

/** Lines made to keep this pattern busy: if it can run long, it very likely does on one of them. */
export const attacksOn = ({ source }: Pattern): Set<string> =>
  new Set(attacks(parse(source), '', [...new Set([...PLAIN, ...source.replace(/\\.|[[\](){}|?*+^$]/g, '')])]))

/** Lines full of what makes a rule look closer. */
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
