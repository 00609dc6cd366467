import { LINE_CAP, LOG_CAP, type Log } from '../log.ts'

const ESCAPES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-Z\\-~]/g
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]/g

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

/** A carriage return sends the cursor back: what was written last is what stands there. */
const resolveReturns = (line: string) => {
  if (!line.includes('\r')) return line
  const parts = line.split('\r')
  for (let i = parts.length - 1; i >= 0; i--) if (parts[i]!.trim() !== '') return parts[i]!
  return ''
}

/** UTF-16 read byte by byte leaves a zero, sometimes printed as a space, after every character. */
const narrow = (line: string) => {
  if (line.length < 16 || line[1] !== ' ' || line[3] !== ' ' || line[5] !== ' ' || line[7] !== ' ' || line[9] !== ' ') return line
  let letters = ''
  for (let i = 0; i < line.length; i += 2) {
    if (i + 1 < line.length && line[i + 1] !== ' ') return line
    letters += line[i]
  }
  return letters
}

const show = (raw: string) => {
  let line = raw
  if (line.includes('\x1b')) line = line.replace(ESCAPES, '')
  line = resolveReturns(line)
  line = line.replace(CONTROLS, '')
  return narrow(line)
}

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

export function normalise(raw: string): Log {
  const lines = raw.split('\n')
  const shown: string[] = new Array(lines.length)
  const text: string[] = new Array(lines.length)
  const marked: boolean[] = new Array(lines.length)
  let spelled = 0
  for (let i = 0; i < lines.length; i++) {
    const line = show(lines[i]!)
    shown[i] = line
    const peeled = peel(line)
    text[i] = peeled.text
    marked[i] = peeled.marked
    if (line === 'nl') spelled++
  }
  if (spelled >= SPELLED_NEWLINES) for (let i = 0; i < text.length; i++) text[i] = text[i]!.replace(/^nl(?![a-z])/, '')
  return { shown, text, marked, truncated: isTruncated(raw) }
}
