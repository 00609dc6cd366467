import { LOG_MAX } from '../contract/limits.ts'
import { type PlainLine, plainPaths } from './stages/plain-paths.ts'

/** Log lines that form one line, wrapped by a console, or an entry that shows nothing. Inclusive indexes of `shown`. */
export interface Span {
  first: number
  last: number
  /** The length of text in each of them, if there are several. */
  lengths?: number[]
  /** Their indexes, if lines of other branches are between them. */
  lines?: number[]
}

/**
 * A normalized log. `shown` has an entry for every original line. All other arrays are parallel and have an entry for every line as its
 * tool wrote it, in reading order: parallel branches come one after the other.
 */
export interface Log {
  /** What a person would see: colors, carriage returns and control characters resolved. */
  shown: string[]
  /** Without the prefixes of carriers (timestamps, build nodes, loggers), at most `LINE_CAP` characters. */
  text: string[]
  /** The build service itself marked the line as an error. */
  marked: boolean[]
  /** The position of an entry in `shown`, just its index if it is one whole line; null for a separator between branches. */
  spans: (Span | number | null)[]
  /** The start of each parallel branch; empty without any. Lines of no branch come before the first. */
  branches: number[]
  /** The beginning is missing. */
  truncated: boolean
}

const known = new WeakMap<Log, Map<number, PlainLine | null>>()

/** The line with its folders simplified; null if there is nothing to simplify. Few lines are needed, some of them often. */
export function plainAt(log: Log, index: number): PlainLine | null {
  const text = log.text[index]!
  if (!text.includes('/') && !text.includes('\\')) return null
  const lines = known.get(log) ?? new Map<number, PlainLine | null>()
  known.set(log, lines)
  const before = lines.get(index)
  if (before !== undefined) return before
  const plain = plainPaths(text)
  lines.set(index, plain)
  return plain
}

/** The text of a line as patterns see it. */
export const plainText = (log: Log, index: number) => plainAt(log, index)?.text ?? log.text[index]!

/** The maximum part of a line that patterns see. */
export const LINE_CAP = 2000

/** The service keeps the last this many characters of a log. */
export const LOG_CAP = LOG_MAX

/** Most lines start with a letter, which is cheaper to check than trimming the line. */
const beginsVisibly = (text: string) => text.charCodeAt(0) > 0x20 && text.charCodeAt(0) < 0x7f

export const isBlankText = (text: string) => !beginsVisibly(text) && text.trim() === ''

export const isBlank = (log: Log, index: number) => isBlankText(log.text[index] ?? '')

/** The original line numbers, from 1; none for an entry that shows nothing. */
export function linesAt(log: Log, index: number): number[] {
  const span = log.spans[index]
  if (typeof span === 'number') return [span + 1]
  if (span?.lines) return span.lines.map((index) => index + 1)
  const lines: number[] = []
  if (span) for (let i = span.first; i <= span.last; i++) lines.push(i + 1)
  return lines
}

/** The lines of a wrapped entry, from the one where a part of its text starts. */
export function linesFrom(log: Log, index: number, part: string | undefined): number[] {
  const lines = linesAt(log, index)
  const at = part ? log.text[index]!.indexOf(part) : -1
  const span = log.spans[index]
  const lengths = typeof span === 'number' ? undefined : span?.lengths
  if (at < 0 || !lengths) return lines
  let behind = log.text[index]!.length - at
  let first = lines.length - 1
  while (first > 0 && lengths[first]! < behind) behind -= lengths[first--]!
  return [...lines.slice(first), ...lines.slice(0, first)]
}

/** The line number where an entry starts. */
export const lineOf = (log: Log, index: number) => {
  const span = log.spans[index]
  return (typeof span === 'number' ? span : (span?.first ?? 0)) + 1
}

/** Evidence skips lines that show nothing. */
export const isShown = (log: Log, index: number) => linesAt(log, index).length > 0

/** First and last index of the branch of an entry: the whole log without parallel branches. */
export function branchAround(log: Log, index: number): [number, number] {
  const next = log.branches.findIndex((start) => start > index)
  const own = next < 0 ? log.branches.length - 1 : next - 1
  return [log.branches[own] ?? 0, (log.branches[own + 1] ?? log.text.length) - 1]
}
