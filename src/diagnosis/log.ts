import { LOG_MAX } from '../contract/limits.ts'
import { type PlainLine, plainPaths } from './stages/plain-paths.ts'

/** Lines of the log that are one: a console may have broken it. Inclusive indexes of `shown`; none where nothing is shown. */
export interface Span {
  first: number
  last: number
  /** How much of the text each of them holds, where there are several. */
  lengths?: number[]
  /** Their indexes, where lines of other branches stand between them. */
  lines?: number[]
}

/**
 * A log after normalising. `shown` has an entry for every line that was sent. All other arrays run in parallel and have an entry for every
 * line as its tool wrote it, in the order in which it is read: what ran side by side comes one after the other.
 */
export interface Log {
  /** What a person would see: colours, carriage returns and control characters resolved. */
  shown: string[]
  /** Without the prefixes that carriers add (time stamps, build nodes, loggers), at most `LINE_CAP` characters. */
  text: string[]
  /** The line was marked as an error by the build service itself. */
  marked: boolean[]
  /** Where an entry stands in `shown`; null for one that only keeps branches apart. */
  spans: (Span | null)[]
  /** Where branches that ran side by side begin; empty where nothing did. What no branch said comes before the first. */
  branches: number[]
  /** The beginning is missing. */
  truncated: boolean
}

const known = new WeakMap<Log, Map<number, PlainLine | null>>()

/** The line with its folders written plainly; null where they are. Few lines are asked for, some of them often. */
export function plainAt(log: Log, index: number): PlainLine | null {
  const lines = known.get(log) ?? new Map<number, PlainLine | null>()
  known.set(log, lines)
  const before = lines.get(index)
  if (before !== undefined) return before
  const plain = plainPaths(log.text[index]!)
  lines.set(index, plain)
  return plain
}

/** What patterns see of a line. */
export const plainText = (log: Log, index: number) => plainAt(log, index)?.text ?? log.text[index]!

/** Patterns never see more of a line than this. */
export const LINE_CAP = 2000

/** The service keeps the last this many characters of a log. */
export const LOG_CAP = LOG_MAX

/** Most lines begin with a letter, which is cheaper to see than to trim the line. */
const beginsVisibly = (text: string) => text.charCodeAt(0) > 0x20 && text.charCodeAt(0) < 0x7f

export const isBlankText = (text: string) => !beginsVisibly(text) && text.trim() === ''

export const isBlank = (log: Log, index: number) => isBlankText(log.text[index] ?? '')

/** The numbers of the lines that were sent, from 1; none for an entry that shows nothing. */
export function linesAt(log: Log, index: number): number[] {
  const span = log.spans[index]
  if (span?.lines) return span.lines.map((index) => index + 1)
  const lines: number[] = []
  if (span) for (let i = span.first; i <= span.last; i++) lines.push(i + 1)
  return lines
}

/** The lines of an entry that a console broke, from the one where a part of its text begins on. */
export function linesFrom(log: Log, index: number, part: string | undefined): number[] {
  const lines = linesAt(log, index)
  const at = part ? log.text[index]!.indexOf(part) : -1
  const lengths = log.spans[index]?.lengths
  if (at < 0 || !lengths) return lines
  let behind = log.text[index]!.length - at
  let first = lines.length - 1
  while (first > 0 && lengths[first]! < behind) behind -= lengths[first--]!
  return [...lines.slice(first), ...lines.slice(0, first)]
}

/** The number of the line where an entry begins. */
export const lineOf = (log: Log, index: number) => (log.spans[index]?.first ?? 0) + 1

/** Evidence skips lines that show nothing. */
export const isShown = (log: Log, index: number) => linesAt(log, index).length > 0

/** First and last index of the branch that holds an entry: the whole log where nothing ran side by side. */
export function branchAround(log: Log, index: number): [number, number] {
  const next = log.branches.findIndex((start) => start > index)
  const own = next < 0 ? log.branches.length - 1 : next - 1
  return [log.branches[own] ?? 0, (log.branches[own + 1] ?? log.text.length) - 1]
}
