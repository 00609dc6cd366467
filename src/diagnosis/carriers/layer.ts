/** What is left of a line when one layer of its prefix is off, and the parallel branch that the prefix named, if any. */
interface Peeled {
  rest: string
  branch?: string
}

/** Takes one layer of a carrier's prefix off a line; null where the line does not bear it. */
export type Layer = (text: string) => Peeled | null

/** Of so few lines all must agree. */
const FEW = 4

/** The share of lines that match, 0 where there are too few to tell. */
export function shareOf(lines: readonly string[], test: (line: string) => boolean): number {
  const matching = lines.filter(test).length
  if (lines.length < 2 || (lines.length < FEW && matching < lines.length)) return 0
  return matching / lines.length
}

/** How many blanks all of these texts begin with: the carrier's own, since what it carries may be indented further. */
export function commonIndent(texts: readonly string[]): number {
  let fewest = Number.POSITIVE_INFINITY
  for (const text of texts) {
    const letters = text.trimStart()
    if (letters !== '') fewest = Math.min(fewest, text.length - letters.length)
  }
  return Number.isFinite(fewest) ? fewest : 0
}

/** Without the blanks of the carrier; a line that has fewer of them has nothing but blanks. */
export const withoutIndent = (text: string, indent: number) => {
  const blanks = text.length - text.trimStart().length
  return text.slice(Math.min(indent, blanks))
}

/** Levels and verdicts are what a tool says, never who carries it. */
const SAID =
  /^(?:info|information|warn|warning|err|error|fatal|severe|critical|debug|trace|verbose|notice|ok|pass|passed|fail|failed|failure|skip|skipped|run|note|hint|[\W\d]*)$/i

export const isSaid = (value: string) => SAID.test(value.trim())

/** Numbers differ from line to line where the rest of a prefix stays. */
export const withoutNumbers = (text: string) => text.replace(/\d+/g, '0')

/** The values that come more than once, by how often. */
export function tallyOf(values: readonly string[]): Map<string, number> {
  const tally = new Map<string, number>()
  for (const value of values) tally.set(value, (tally.get(value) ?? 0) + 1)
  return tally
}
