import type { Group } from './groups.ts'

/** The position of every line in rows: a collapsed line has none, a wrapped one several. */
export interface Layout {
  /** The row above line n is at n - 1; the last entry is the number of all rows. */
  tops: Int32Array
}

/** Characters that take two columns. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/gu
const ASCII = /^[\x20-\x7e]*$/

export const columnsOf = (text: string): number => {
  if (ASCII.test(text)) return text.length
  let letters = 0
  for (const _ of text) letters++
  return letters + (text.match(WIDE)?.length ?? 0)
}

/** `columns`: the width of a row, 0 if lines are not wrapped. `widthOf`: the width of a line. */
export function layoutOf(count: number, folded: readonly Group[], columns: number, widthOf: (line: number) => number): Layout {
  const tops = new Int32Array(count + 1)
  let hiddenUntil = 0
  let next = 0
  for (let n = 1; n <= count; n++) {
    const rows = n <= hiddenUntil ? 0 : columns === 0 ? 1 : Math.max(1, Math.ceil(widthOf(n) / columns))
    tops[n] = tops[n - 1]! + rows
    while (next < folded.length && folded[next]!.line <= n) {
      if (folded[next]!.line === n && n > hiddenUntil) hiddenUntil = folded[next]!.last
      next++
    }
  }
  return { tops }
}

export const rowsOf = ({ tops }: Layout): number => tops.at(-1) ?? 0
export const topOf = ({ tops }: Layout, line: number): number => tops[line - 1] ?? 0
export const heightOf = ({ tops }: Layout, line: number): number => (tops[line] ?? 0) - (tops[line - 1] ?? 0)

/** The line of a row. */
export function lineAt({ tops }: Layout, row: number): number {
  let low = 1
  let high = tops.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (tops[middle]! > row) high = middle
    else low = middle + 1
  }
  return Math.max(1, low)
}

/** The lines between two rows. */
export function linesBetween(layout: Layout, from: number, to: number): number[] {
  const found: number[] = []
  const { tops } = layout
  for (let n = lineAt(layout, from); n < tops.length && tops[n - 1]! < to; n++) if (heightOf(layout, n) > 0) found.push(n)
  return found
}
