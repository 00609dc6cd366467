/** Colours and cursor moves that a terminal would have swallowed. */
const ESCAPES = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]{0,20}[A-Za-z]`, 'g')
const ERROR =
  /\b(?:errors?|fatal|exception|failed|failure|panic(?:ked)?|undefined reference|unresolved external|segmentation fault)\b/i
const HARMLESS = /\b(?:no|0|zero) (?:errors?|failures?|failed)\b|\b(?:errors?|failed|failures?)(?:\(s\))?[:=] ?0\b|-W?no-error/i

export const linesOf = (log: string): string[] => {
  const lines = log.replaceAll(ESCAPES, '').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}

/** Numbers of the lines that look like something went wrong, counted from one. */
export const errorLines = (lines: readonly string[]): number[] =>
  numbersWhere(lines, (line) => ERROR.test(line) && !HARMLESS.test(line))

/** Numbers of the lines that contain the words, in any case. */
export function foundLines(lines: readonly string[], words: string): number[] {
  const wanted = words.toLowerCase()
  return wanted === '' ? [] : numbersWhere(lines, (line) => line.toLowerCase().includes(wanted))
}

/** Where in a line the words stand; 0 where they do not. */
export const columnOf = (line: string, words: string): number => Math.max(0, line.toLowerCase().indexOf(words.toLowerCase()))

const numbersWhere = (lines: readonly string[], wanted: (line: string) => boolean) =>
  lines.flatMap((line, i) => (wanted(line) ? [i + 1] : []))

/** The next of the numbers in a direction, beginning anew at the end. */
export function stepFrom(numbers: readonly number[], current: number | undefined, direction: 1 | -1): number | undefined {
  if (direction === 1) return numbers.find((n) => n > (current ?? 0)) ?? numbers[0]
  return numbers.findLast((n) => n < (current ?? Number.POSITIVE_INFINITY)) ?? numbers.at(-1)
}

/** A line in pieces, every second of which is a place where the words stand. */
export function piecesOf(line: string, words: string): string[] {
  if (words === '') return [line]
  const low = line.toLowerCase()
  const wanted = words.toLowerCase()
  // Some letters change their length with their case; then places cannot be told.
  if (low.length !== line.length) return [line]
  const pieces: string[] = []
  let from = 0
  for (let at = low.indexOf(wanted); at !== -1; at = low.indexOf(wanted, from)) {
    pieces.push(line.slice(from, at), line.slice(at, at + wanted.length))
    from = at + wanted.length
  }
  return [...pieces, line.slice(from)]
}
