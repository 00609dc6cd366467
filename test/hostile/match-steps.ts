import type { Pattern } from '../../src/diagnosis/rule.ts'
import { type Piece, parse } from './pattern-pieces.ts'

type Repeat = Extract<Piece, { kind: 'repeat' }>

/** What is left to match, first piece first. */
type Rest = { piece: Piece; rest: Rest } | { again: Repeat; count: number; since: number; rest: Rest } | undefined

/** Where to continue when an attempt does not match: at `at`, and after it at each offset from there to `last`. */
interface Retry {
  at: number
  last: number
  rest: Rest
}

class Enough extends Error {}

const before = (pieces: readonly Piece[], rest: Rest): Rest => pieces.reduceRight<Rest>((rest, piece) => ({ piece, rest }), rest)

/**
 * How many characters and offsets a backtracking engine visits until it has matched the line or given up, at most `most`: the same on every
 * machine, unlike the time.
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

  /** Whether the rest matches at the offset. Alternatives are kept in a list: recursion would go thousands deep. */
  const matches = (start: Rest, from: number): boolean => {
    const retries: Retry[] = [{ at: from, last: from, rest: start }]
    let at = 0
    let rest: Rest
    const later = (at: number, rest: Rest, last = at) => retries.push({ at, last, rest })
    const back = (): boolean => {
      const retry = retries.at(-1)
      if (!retry) return false
      at = retry.at
      rest = retry.rest
      if (at === retry.last) retries.pop()
      else retry.at += Math.sign(retry.last - at)
      return true
    }
    /** True: continue with `at` and `rest`. */
    const take = (piece: Piece, next: Rest): boolean => {
      rest = next
      switch (piece.kind) {
        case 'text':
          return isOne(piece.source, at++)
        case 'place':
          return isAt(piece.source, at)
        case 'look':
          return piece.isBehind
            ? isAt(piece.source, at)
            : matches(before([{ ...piece, kind: 'choice' }], undefined), at) !== piece.isNot
        case 'choice':
          for (const option of piece.options.slice(1).reverse()) later(at, before(option, next))
          rest = before(piece.options[0]!, next)
          return true
        case 'repeat':
          if (piece.piece.kind === 'text') return characters(piece, piece.piece, next)
          rest = { again: piece, count: 0, since: -1, rest: next }
          return true
      }
    }
    const again = (repeat: Repeat, count: number, since: number, next: Rest): boolean => {
      const { piece, min, max, isLazy } = repeat
      if (at === since && count > min) return false
      const more: Rest = { piece, rest: { again: repeat, count: count + 1, since: at, rest: next } }
      if (count < min) rest = more
      else if (count >= max) rest = next
      else {
        later(at, isLazy ? more : next)
        rest = isLazy ? next : more
      }
      return true
    }
    const characters = (repeat: Repeat, piece: Piece & { kind: 'text' }, next: Rest): boolean => {
      const { min, max, isLazy } = repeat
      const begin = at
      const isMore = () => at - begin < max && isOne(piece.source, at)
      while (at - begin < min) {
        if (!isMore()) return false
        at++
      }
      if (isLazy) {
        const more = { ...repeat, min: 1, max: 1 }
        if (at - begin < max) later(at, { piece: more, rest: { piece: { ...repeat, min: 0, max: max - min - 1 }, rest: next } })
        return true
      }
      const least = at
      while (isMore()) at++
      if (at > least) later(at - 1, next, least)
      return true
    }

    while (back()) {
      for (let goes = true; goes; ) {
        if (!rest) return true
        goes = 'piece' in rest ? take(rest.piece, rest.rest) : again(rest.again, rest.count, rest.since, rest.rest)
      }
    }
    return false
  }

  const all = before(parse(source), undefined)
  try {
    for (let start = 0; start <= line.length; start++) if (matches(all, start)) break
  } catch (error) {
    if (!(error instanceof Enough)) throw error
  }
  return steps
}
