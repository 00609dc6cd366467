import { splitBranches } from '../carriers/branches.ts'
import { splitChatter } from '../carriers/chatter.ts'
import { withoutEmptyHalves } from '../carriers/encoding.ts'
import { withoutCarriers } from '../carriers/learn.ts'
import { learnWrapping } from '../carriers/wrapped.ts'
import { isBlankText, LINE_CAP, LOG_CAP, type Log, type Span } from '../log.ts'
import { printed, printedIn, withoutEscapes } from './terminal.ts'

/** Prefixes of carriers. They nest, so they are removed until none is left. */
const PREFIXES = [
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?(?: |$)/,
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?(?: |$)/,
  /^\[\w{2,12} \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^\]]{0,20}\] /,
  /^\d\d:\d\d:\d\d +(?:INFO|ERROR|WARNING|CRITICAL|FATAL) - {1,4}/,
  /^\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\]]{0,20}\](?:: ?| ?)/,
  /^\[\d\d:\d\d:\d\d(?:\.\d+)?\](?:: (?:▸ )?| ?)/,
  /^(?:build|error|simple|command)\t\d\d-\w{3}-\d{4} \d\d:\d\d:\d\d\t/,
  /^\d\d:\d\d:\d\d(?:[.,]\d{3})? /,
  /^\[\d{4}\.\d\d\.\d\d-\d\d\.\d\d\.\d\d:\d{3}\]\[ *\d+\]/,
  /^(?:UATHelper|MainFrameActions): [^:]{0,60}: */,
  /^PackagingResults: /,
  /^LogInit: Display: (?=Log\w+: )/,
  /^ *(?:Log\.WriteException|mono): {1,8}(?! )/,
  /^ *\[exec\] /,
  /^\d{1,3}>(?=[^\s>])/,
  /^#\d{1,3} \d+\.\d+ /,
]
/** One test per line instead of one per prefix. */
const PREFIX = new RegExp(PREFIXES.map(({ source }) => source).join('|'))
const MOST_PREFIXES = 20

const MARKS = /^(?:##\[error\]|::error(?: [^:]{0,300})?::)/
const PEELABLE = /^[\d[#ULPM:]|^(?:build|error|simple|command)\t|^ *(?:Log\.|mono:|\[exec\])/

/** No line with a carrier's prefix is shorter. */
const SHORTEST_PREFIX = 3

const isTrimmed = (text: string) => {
  const last = text.charCodeAt(text.length - 1)
  return last > 0x20 && last < 0x7f
}

/** The number of characters of prefixes, negative if one of them marks an error. */
function prefixesOf(line: string): number {
  let text = line
  let marked = false
  for (let peeled = 0; peeled < MOST_PREFIXES && PEELABLE.test(text); peeled++) {
    const mark = MARKS.exec(text)
    const prefix = mark ?? PREFIX.exec(text)
    if (!prefix) break
    marked ||= mark !== null
    text = text.slice(prefix[0].length)
  }
  return (marked ? -1 : 1) * (line.length - text.length)
}

/** A log that starts in the middle of a line, with exactly the maximum length, has lost its beginning. */
const isTruncated = (raw: string) => raw.length >= LOG_CAP - 1

/** Every block ends at this many blank lines. */
const APART = 3

/** The lines of the log that a console wrapped into one, from the first; its index if that is all. */
function spanAt(texts: readonly string[], first: number, isWrapped: ReturnType<typeof learnWrapping>): Span | number {
  if (isBlankText(texts[first]!)) return { first, last: first - 1 }
  if (!isWrapped) return first
  let last = first
  while (isWrapped(last)) last++
  return last > first ? { first, last, lengths: texts.slice(first, last + 1).map(({ length }) => length) } : first
}

const textOf = (texts: readonly string[], { first, last }: Span) =>
  last > first
    ? texts
        .slice(first, last + 1)
        .join('')
        .slice(0, LINE_CAP)
    : texts[first]!

/** Branches may be nested. */
const DEEPEST = 2

/** The span in indexes of the whole log; lines of a branch are not consecutive there. */
const placed = (span: Span | number, numbers: readonly number[]): Span | number => {
  if (typeof span === 'number') return numbers[span]!
  const first = numbers[span.first]!
  if (span.last <= span.first) return { first, last: first + span.last - span.first }
  return { ...span, first, last: numbers[span.last]!, lines: numbers.slice(span.first, span.last + 1) }
}

/** Adds sequential lines of one tool, or several parallel branches, each of which is read as a separate log. */
function read(log: Log, lines: readonly string[], numbers: readonly number[] | null, depth: number): void {
  const carried = withoutCarriers(lines)
  // A carrier's prefix is not affected by the line's own carriage returns.
  const texts = carried || depth > 0 ? (carried?.texts ?? lines).map(printed) : log.shown
  const branches = depth < DEEPEST ? ((carried && splitBranches(texts, carried.branches)) ?? splitChatter(texts)) : null
  if (branches) {
    for (const { name, lines: own } of branches) {
      if (log.text.length > 0) for (let i = 0; i < APART; i++) add(log, '', null)
      if (name !== '') log.branches.push(log.text.length)
      const places = numbers ? own.map((index) => numbers[index]!) : own
      read(
        log,
        own.map((index) => carried?.texts[index] ?? lines[index]!),
        places,
        depth + 1,
      )
    }
    return
  }
  const isWrapped = learnWrapping(texts)
  const start = log.text.length
  for (let first = 0; first < texts.length; first++) {
    const span = spanAt(texts, first, isWrapped)
    const isWhole = typeof span === 'number'
    add(log, isWhole ? texts[span]! : textOf(texts, span), numbers ? placed(span, numbers) : span)
    if (!isWhole) first = Math.max(first, span.last)
  }
  if (!isSpelled(texts)) return
  for (let i = start; i < log.text.length; i++) log.text[i] = log.text[i]!.replace(/^nl(?![a-z])/, '')
}

/** Some terminals on build machines write the newline as the letters `nl`; this many lines are needed to assume it. */
const SPELLED_NEWLINES = 20

const isSpelled = (texts: readonly string[]) => {
  let found = 0
  for (const text of texts) if (text === 'nl' && ++found >= SPELLED_NEWLINES) return true
  return false
}

/** A log may have as many lines as characters, so short ones must not cost anything. */
const add = (log: Log, line: string, span: Span | number | null) => {
  const capped = line.length > LINE_CAP ? line.slice(0, LINE_CAP) : line
  const prefixes = capped.length < SHORTEST_PREFIX ? 0 : prefixesOf(capped)
  const text = prefixes === 0 ? capped : capped.slice(Math.abs(prefixes))
  log.text.push(isTrimmed(text) ? text : text.trimEnd())
  log.marked.push(prefixes < 0)
  log.spans.push(span)
}

/** Most logs show their lines as they are: then there is no second list of them. */
const shownOf = (lines: string[], show: (line: string) => string) =>
  lines.some((line) => show(line) !== line) ? lines.map(show) : lines

export function normalize(raw: string): Log {
  const text = withoutEscapes(withoutEmptyHalves(raw))
  const lines = text.split('\n')
  const log: Log = {
    shown: shownOf(lines, printedIn(text)),
    text: [],
    marked: [],
    spans: [],
    branches: [],
    truncated: isTruncated(raw),
  }
  read(log, lines, null, 0)
  return log
}
