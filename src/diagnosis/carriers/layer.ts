/** A line without one layer of its prefix, and the parallel branch in the prefix, if any. */
interface Peeled {
  rest: string
  branch?: string
}

/** Removes one layer of a carrier's prefix from a line; null if the line does not have it. */
export type Layer = (text: string) => Peeled | null

/** If there are this few lines, all must agree. */
const FEW = 4

/** The share of lines that match, 0 if there are too few to tell. */
export function shareOf(lines: readonly string[], test: (line: string) => boolean): number {
  const matching = lines.filter(test).length
  if (lines.length < 2 || (lines.length < FEW && matching < lines.length)) return 0
  return matching / lines.length
}

/** The common indent of these texts: it belongs to the carrier, since the carried text may be indented further. */
export function commonIndent(texts: readonly string[]): number {
  let fewest = Number.POSITIVE_INFINITY
  for (const text of texts) {
    const letters = text.trimStart()
    if (letters !== '') fewest = Math.min(fewest, text.length - letters.length)
  }
  return Number.isFinite(fewest) ? fewest : 0
}

/** Removes the carrier's indent; a line with less indent has only spaces. */
export const withoutIndent = (text: string, indent: number) => {
  const blanks = text.length - text.trimStart().length
  return text.slice(Math.min(indent, blanks))
}

/** Levels and verdicts are the tool's words, never the carrier's. */
const SAID =
  /^(?:info|information|warn|warning|err|error|fatal|severe|critical|debug|trace|verbose|notice|ok|pass|passed|fail|failed|failure|skip|skipped|run|note|hint|[\W\d]*)$/i

export const isSaid = (value: string) => SAID.test(value.trim())

/** Numbers differ from line to line while the rest of a prefix stays. */
export const withoutNumbers = (text: string) => text.replace(/\d+/g, '0')

/** The repeated values with their counts. */
export function tallyOf(values: readonly string[]): Map<string, number> {
  const tally = new Map<string, number>()
  for (const value of values) tally.set(value, (tally.get(value) ?? 0) + 1)
  return tally
}
