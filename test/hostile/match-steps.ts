import type { Pattern } from '../../src/diagnosis/rule.ts'
import { type Piece, parse } from './pattern-pieces.ts'

type Next = (at: number) => boolean

class Enough extends Error {}

/**
 * How many characters and places a backtracking engine looks at until it has matched the line or given up, at most `most`: the same on
 * every machine, where the time it takes is not.
 */
export function stepsOf({ source, flags = '' }: Pattern & { flags?: string }, line: string, most: number): number {
  let steps = 0
  const step = () => {
    if (++steps >= most) throw new Enough()
  }
  const known = new Map<string, Map<string, boolean>>()
  const isOne = (source: string, at: number): boolean => {
    step()
    const char = line[at]
    if (char === undefined) return false
    const answers = known.get(source) ?? new Map<string, boolean>()
    known.set(source, answers)
    const answer = answers.get(char) ?? new RegExp(`^${source}$`, flags).test(char)
    answers.set(char, answer)
    return answer
  }
  const isAt = (source: string, at: number): boolean => {
    step()
    const place = new RegExp(source, `${flags}y`)
    place.lastIndex = at
    return place.test(line)
  }

  // A call less for the last piece: what repeats a group goes some calls deep for each time.
  const all = (pieces: readonly Piece[], index: number, at: number, next: Next): boolean => {
    const piece = pieces[index]
    if (!piece) return next(at)
    return one(piece, at, index === pieces.length - 1 ? next : (end) => all(pieces, index + 1, end, next))
  }
  const any = (options: readonly Piece[][], at: number, next: Next): boolean => {
    for (const option of options) if (all(option, 0, at, next)) return true
    return false
  }
  const one = (piece: Piece, at: number, next: Next): boolean => {
    switch (piece.kind) {
      case 'text':
        return isOne(piece.source, at) && next(at + 1)
      case 'place':
        return isAt(piece.source, at) && next(at)
      case 'choice':
        return any(piece.options, at, next)
      case 'look':
        return (piece.isBehind ? isAt(piece.source, at) : any(piece.options, at, () => true) !== piece.isNot) && next(at)
      case 'repeat':
        return piece.piece.kind === 'text' ? characters(piece, piece.piece.source, at, next) : again(piece, 0, at, next)
    }
  }
  type Repeat = Extract<Piece, { kind: 'repeat' }>
  const again = (repeat: Repeat, count: number, at: number, next: Next): boolean => {
    const { piece, min, max, isLazy } = repeat
    if (isLazy && count >= min && next(at)) return true
    if (count < max && one(piece, at, (end) => (end > at || count < min) && again(repeat, count + 1, end, next))) return true
    return !isLazy && count >= min && next(at)
  }
  /** The same without a call for each of two thousand characters. */
  const characters = ({ min, max, isLazy }: Repeat, source: string, at: number, next: Next): boolean => {
    let end = at
    const isMore = () => end - at < max && isOne(source, end)
    if (isLazy) {
      for (; ; end++) {
        if (end - at >= min && next(end)) return true
        if (!isMore()) return false
      }
    }
    while (isMore()) end++
    for (; end - at >= min; end--) if (next(end)) return true
    return false
  }

  const pieces = parse(source)
  try {
    for (let start = 0; start <= line.length; start++) if (all(pieces, 0, start, () => true)) break
  } catch (error) {
    if (!(error instanceof Enough)) throw error
  }
  return steps
}
