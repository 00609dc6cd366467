import type { LogLink } from './links.ts'
import type { Range } from './search.ts'
import type { Span } from './terminal-line.ts'
import type { Style } from './text-style.ts'

/** A part of a line with one style. */
export interface Piece {
  text: string
  style?: Style | undefined
  isFound: boolean
}

/** Pieces with the same link, or none. */
export interface Stretch {
  href?: string | undefined
  pieces: Piece[]
}

/** Splits a line wherever a style, a match, or a link starts or ends. */
export function stretchesOf(
  text: string,
  { spans, found, links }: { spans: readonly Span[]; found: readonly Range[]; links: readonly LogLink[] },
): Stretch[] {
  const cuts = new Set([0, text.length])
  const cut = (from: number, to: number) => {
    if (from < text.length) cuts.add(from).add(Math.min(to, text.length))
  }
  for (const { from, to } of spans) cut(from, to)
  for (const { from, to } of links) cut(from, to)
  for (const [from, to] of found) cut(from, to)
  const places = [...cuts].sort((a, b) => a - b)
  // All three are sorted and do not overlap: one pass over the line finds what covers each offset.
  const spanAt = walk(spans, ({ from, to }) => [from, to])
  const linkAt = walk(links, ({ from, to }) => [from, to])
  const foundAt = walk(found, (range) => range)
  const stretches: Stretch[] = []
  let last: LogLink | undefined
  for (let i = 0; i + 1 < places.length; i++) {
    const from = places[i]!
    const link = linkAt(from)
    const piece = { text: text.slice(from, places[i + 1]), style: spanAt(from)?.style, isFound: foundAt(from) !== undefined }
    if (stretches.length > 0 && link === last) stretches.at(-1)!.pieces.push(piece)
    else stretches.push({ href: link?.href, pieces: [piece] })
    last = link
  }
  return stretches
}

function walk<T>(items: readonly T[], rangeOf: (item: T) => Range): (place: number) => T | undefined {
  let next = 0
  return (place) => {
    while (next < items.length && rangeOf(items[next]!)[1] <= place) next++
    const item = items[next]
    return item !== undefined && rangeOf(item)[0] <= place ? item : undefined
  }
}
