import { useCallback, useMemo, useState } from 'react'
import type { Group } from './groups.ts'
import type { LineRange } from './line-range.ts'

interface Folds {
  /** Collapsed sections, by their first line. */
  folded: Group[]
  toggle(group: Group): void
  /** Expands every section that hides any of these lines. */
  reveal(range: LineRange): void
  setAll(isFolded: boolean): void
}

/**
 * Which sections are collapsed. By default those without errors, if the build had ended before they arrived: nothing collapses while
 * somebody reads along.
 */
export function useFolds(groups: readonly Group[], trouble: readonly number[], running: boolean): Folds {
  const [foldsQuiet] = useState(!running)
  const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(new Map())
  const initial = useMemo(
    () => new Set(groups.filter((group) => group.isFolded || (foldsQuiet && group.isClosed && !holdsAny(group, trouble)))),
    [groups, trouble, foldsQuiet],
  )
  const folded = useMemo(() => groups.filter((group) => chosen.get(group.line) ?? initial.has(group)), [groups, chosen, initial])
  const choose = useCallback(
    (which: readonly Group[], isFolded: boolean) =>
      setChosen((before) => new Map([...before, ...which.map(({ line }) => [line, isFolded] as const)])),
    [],
  )
  const toggle = useCallback((group: Group) => choose([group], !folded.includes(group)), [choose, folded])
  const reveal = ({ first, last }: LineRange) => {
    const hiding = folded.filter((group) => group.line < last && first <= group.last)
    if (hiding.length > 0) choose(hiding, false)
  }
  return { folded, toggle, reveal, setAll: (isFolded) => choose(groups, isFolded) }
}

/** The numbers are sorted. */
function holdsAny({ line, last }: Group, numbers: readonly number[]): boolean {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < line) low = middle + 1
    else high = middle
  }
  return low < numbers.length && numbers[low]! <= last
}
