/** Selected lines in a URL: `#L10` or `#L10-L20`. */
export interface LineRange {
  first: number
  last: number
}

export function readRange(hash: string): LineRange | undefined {
  const [, from, to] = /^#L(\d{1,7})(?:-L?(\d{1,7}))?$/.exec(hash) ?? []
  if (from === undefined) return undefined
  const [a, b] = [Number(from), Number(to ?? from)]
  return { first: Math.max(1, Math.min(a, b)), last: Math.max(1, a, b) }
}

export const writeRange = ({ first, last }: LineRange): string => (first === last ? `#L${first}` : `#L${first}-L${last}`)

/** From its start to another line. */
export const extended = (range: LineRange | undefined, line: number): LineRange =>
  range === undefined ? { first: line, last: line } : { first: Math.min(range.first, line), last: Math.max(range.first, line) }
