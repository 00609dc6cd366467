/** Formats of the timestamps before a line. */
const WRITTEN = [
  // The second part is a runner's mark for streams and split lines.
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?(?: \d\d[OE]\+?)?(?: |$)/,
  /^\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\]]{0,20}\] ?/,
  /^\[?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]?(?: {1,2}|$)/,
  /^\[\d{4}\.\d\d\.\d\d-\d\d\.\d\d\.\d\d:\d{3}\](?:\[ *\d{1,6}\])?/,
]
const STARTS = /^\[?\d\d/

/** The number of characters of a line's timestamp. */
export function stampLength(text: string): number {
  if (!STARTS.test(text)) return 0
  for (const written of WRITTEN) {
    const found = written.exec(text)
    if (found) return found[0].length
  }
  return 0
}

/** The timestamp that an agent hides before a line: milliseconds since 1970. */
const HIDDEN = /\x1b_bk;t=(\d{13})\x07/

export function hiddenStamp(raw: string): string {
  const found = raw.includes('\x1b_bk;') ? HIDDEN.exec(raw)?.[1] : undefined
  return found === undefined ? '' : new Date(Number(found)).toISOString()
}
