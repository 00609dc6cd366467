import { isBlank, type Log, plainText } from '../log.ts'
import type { Block, Pattern } from '../rule.ts'
import { EDGE } from './edge.ts'

const BACK_MAX = 8

const CARET = /^[\s|]*[~^][\s~^]*$/

/** A source line with a caret below it, as compilers print, or that caret. */
const isQuoted = (log: Log, index: number) => CARET.test(log.text[index]!) || CARET.test(log.text[index + 1] ?? '')

export const SEPARATOR = /^[-=_*#~+\s]{5,}$/

/** A ruler below the last line belongs to what follows. */
const withoutRuler = (log: Log, index: number, last: number): number => {
  let end = last
  while (end > index && (isBlank(log, end) || SEPARATOR.test(log.text[end]!))) end--
  return end
}

/** From an index up to which all lines are known to belong to the block. */
const below = (log: Log, index: number, block: Block, from: number): number => {
  const end = block.until ?? block.through
  const max = block.max ?? (end ? 60 : 12)
  const blanks = block.blanks ?? (end ? 2 : 0)
  const limit = Math.min(log.text.length - 1, index + max)
  let last = from
  let gap = 0
  for (let i = from + 1; i <= limit; i++) {
    if (isBlank(log, i)) {
      if (++gap > blanks) return last
      continue
    }
    const text = plainText(log, i)
    if (EDGE.test(text)) return last
    if (end) {
      if (end.test(text)) return block.through ? i : last
    } else if (!block.more?.test(text) && !isQuoted(log, i)) return last
    gap = 0
    last = i
  }
  return last
}

const above = (log: Log, index: number, back: Pattern): number => {
  let first = index
  for (let i = index - 1; i >= 0 && index - i <= BACK_MAX && back.test(plainText(log, i)); i--) first = i
  return first
}

/**
 * Returns the first and last index of a match's block, for matches in line order. If blocks of a kind overlap, lines are not read twice:
 * otherwise a log of nothing but headings would cost each of them a whole block.
 */
export function extents(log: Log): (index: number, block: Block | undefined) => [number, number] {
  const reached = new Map<Block, number>()
  return (index, block) => {
    if (!block) return [index, index]
    const known = block.through ? index : Math.max(index, reached.get(block) ?? index)
    const last = below(log, index, block, known)
    reached.set(block, last)
    return [block.back ? above(log, index, block.back) : index, withoutRuler(log, index, last)]
  }
}
