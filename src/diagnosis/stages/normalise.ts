import { splitBranches } from '../carriers/branches.ts'
import { withoutCarriers } from '../carriers/learn.ts'
import { learnWrapping } from '../carriers/wrapped.ts'
import { LINE_CAP, LOG_CAP, type Log, type Span } from '../log.ts'
import { printed, withoutEscapes } from './terminal.ts'

/** What carriers put before a line. They nest, so they are peeled until none is left. */
const PREFIXES = [
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?(?: |$)/,
  /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?(?: |$)/,
  /^\[\w{2,12} \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^\]]{0,20}\] /,
  /^\d\d:\d\d:\d\d +(?:INFO|ERROR|WARNING|CRITICAL|FATAL) - {1,4}/,
  /^\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\]]{0,20}\] ?/,
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

const MARKS = /^(?:##\[error\]|::error(?: [^:]{0,300})?::)/
const PEELABLE = /^[\d[#ULPM:]|^(?:build|error|simple|command)\t|^ *(?:Log\.|mono:|\[exec\])/

const peel = (shown: string): { text: string; marked: boolean } => {
  let text = shown.length > LINE_CAP ? shown.slice(0, LINE_CAP) : shown
  let marked = false
  for (let round = 0; round < 5 && PEELABLE.test(text); round++) {
    const before = text
    for (const prefix of PREFIXES) text = text.replace(prefix, '')
    if (MARKS.test(text)) {
      marked = true
      text = text.replace(MARKS, '')
    }
    if (text === before) break
  }
  return { text, marked }
}

/** Some terminals on build machines write the newline as the letters `nl`; it takes many such lines to believe it. */
const SPELLED_NEWLINES = 20

/** A log that starts in the middle of a line, of exactly the length the service keeps, has lost its beginning. */
const isTruncated = (raw: string) => raw.length >= LOG_CAP - 1

/** Every block ends at so many blank lines. */
const APART = 3

/** What belongs to one line as its tool wrote it: consoles break lines at their edge. */
function spansOf(texts: readonly string[]): Span[] {
  const isWrapped = learnWrapping(texts)
  const spans: Span[] = []
  for (let first = 0; first < texts.length; first++) {
    const span = spanOf(texts, first)
    if (isWrapped && span.last === first) while (isWrapped(span.last)) span.last++
    if (span.last > first) span.lengths = texts.slice(first, span.last + 1).map(({ length }) => length)
    spans.push(span)
    first = Math.max(first, span.last)
  }
  return spans
}

const spanOf = (texts: readonly string[], index: number): Span => ({
  first: index,
  last: texts[index]!.trim() === '' ? index - 1 : index,
})

const textOf = (texts: readonly string[], { first, last }: Span) =>
  last > first
    ? texts
        .slice(first, last + 1)
        .join('')
        .slice(0, LINE_CAP)
    : texts[first]!

export function normalise(raw: string): Log {
  const lines = raw.split('\n').map(withoutEscapes)
  const shown = lines.map(printed)
  const carried = withoutCarriers(lines)
  // A carrier writes before a line what the line's own carriage returns do not reach.
  const texts = carried === null ? shown : carried.texts.map(printed)
  const branches = carried && splitBranches(texts, carried.branches)
  const log: Log = { shown, text: [], marked: [], spans: [], branches: [], truncated: isTruncated(raw) }
  const spelled = texts.filter((text) => text === 'nl').length >= SPELLED_NEWLINES
  const add = (text: string, span: Span | null) => {
    const peeled = peel(text)
    log.text.push(spelled ? peeled.text.replace(/^nl(?![a-z])/, '') : peeled.text)
    log.marked.push(peeled.marked)
    log.spans.push(span)
  }
  if (!branches) {
    for (const span of spansOf(texts)) add(textOf(texts, span), span)
    return log
  }
  for (const { name, lines } of branches) {
    if (log.text.length > 0) for (let i = 0; i < APART; i++) add('', null)
    if (name !== '') log.branches.push(log.text.length)
    for (const index of lines) add(texts[index]!, spanOf(texts, index))
  }
  return log
}
