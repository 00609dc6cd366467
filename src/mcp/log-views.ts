import { DATA_BYTES } from './budget.ts'
import { firstOf, visible } from './shrink.ts'

/** A part of a log: numbered lines, a mark for gaps, and how to continue. */
export interface LogView {
  total_lines: number
  first_line: number | null
  last_line: number | null
  log: string
  notes: string[]
}

const LINE_MAX = 600
const GAP = '--'
/** The size of the frame around the log in a reply. */
const FRAME_BYTES = 600

/** Colors and progress bars are for terminals; the last text of an overwritten line counts. */
const COLOURS = /\u001b\[[0-9;?]{0,40}[A-Za-z]/g

export const linesOf = (log: string): string[] => {
  const text = log.endsWith('\n') ? log.slice(0, -1) : log
  return text === '' ? [] : text.split('\n')
}

const shown = (line: string): string => {
  const bare = line.replace(/\r$/, '').replace(COLOURS, '')
  const last = visible(bare.slice(bare.lastIndexOf('\r') + 1))
  return last.length > LINE_MAX ? `${firstOf(last, LINE_MAX)}… (${last.length - LINE_MAX} more characters)` : last
}

const cost = (text: string) => Buffer.byteLength(JSON.stringify(text))

interface Assembled {
  part: Omit<LogView, 'notes'>
  /** Whether everything requested fits. */
  complete: boolean
  has(index: number): boolean
}

/** Takes lines in the given order as long as they fit, and shows them in the order of the log. */
function assemble(lines: readonly string[], wanted: Iterable<number>): Assembled {
  let room = DATA_BYTES - FRAME_BYTES
  const taken = new Map<number, string>()
  let complete = true
  for (const index of wanted) {
    if (taken.has(index) || index < 0 || index >= lines.length) continue
    const text = `${index + 1}: ${shown(lines[index]!)}`
    room -= cost(text) + GAP.length + 2
    if (room < 0) {
      complete = false
      break
    }
    taken.set(index, text)
  }
  const order = [...taken.keys()].sort((a, b) => a - b)
  const parts = order.flatMap((index, at) => {
    const gap = at > 0 && order[at - 1] !== index - 1
    return gap ? [GAP, taken.get(index)!] : [taken.get(index)!]
  })
  const [first, last] = [order[0], order.at(-1)]
  const part = {
    total_lines: lines.length,
    first_line: first === undefined ? null : first + 1,
    last_line: last === undefined ? null : last + 1,
    log: parts.join('\n'),
  }
  return { part, complete, has: (index) => taken.has(index) }
}

const span = function* (first: number, last: number) {
  const step = first <= last ? 1 : -1
  for (let index = first; step > 0 ? index <= last : index >= last; index += step) yield index
}

export function tailOf(lines: readonly string[], count: number): LogView {
  const { part } = assemble(lines, span(lines.length - 1, Math.max(0, lines.length - count)))
  const before = (part.first_line ?? 1) - 1
  const notes =
    before > 0 ? [`Lines 1 to ${before} are left out. To read them, use mode="range" with from_line, or mode="search".`] : []
  return { ...part, notes }
}

export function rangeOf(lines: readonly string[], from: number, to: number): LogView {
  const { part } = assemble(lines, span(from - 1, Math.max(from, Math.min(to, lines.length)) - 1))
  const last = part.last_line
  if (last === null) return { ...part, notes: [`The log has only ${lines.length} lines.`] }
  const fits = last < Math.min(to, lines.length) ? `Only lines ${from} to ${last} fit into one response. ` : ''
  const more = `${fits}The log has ${lines.length} lines. To read on, call again with mode="range" and from_line=${last + 1}.`
  return { ...part, notes: last < lines.length ? [more] : [] }
}

/** Each line before its neighbors, because it matters more. */
const around = function* (hits: Iterable<number>, context: number, first = 0) {
  for (const hit of hits) {
    yield hit
    yield* span(Math.max(first, hit - context), hit + context)
  }
}

export function searchOf(lines: readonly string[], search: string, from: number, context: number): LogView {
  const word = search.toLowerCase()
  const hits = lines.flatMap((line, index) => (index >= from - 1 && line.toLowerCase().includes(word) ? [index] : []))
  const { part, has } = assemble(lines, around(hits, context, from - 1))
  const next = hits.find((hit) => !has(hit))
  const notes = [`${hits.length} lines ${from > 1 ? `from line ${from} on ` : ''}contain the text.`]
  if (next !== undefined) notes.push(`Not all fit into one response. Call again with the same search and from_line=${next + 1}.`)
  return { ...part, notes }
}

const SUSPICIOUS =
  /\b(?:error|fatal|failed|failure|exception|traceback|panic|assert(?:ion)?|undefined reference|unresolved external|cannot|denied|timed out|out of memory|no space left)\b/i
const SUSPICIOUS_MAX = 40
const END_LINES = 15
const CONTEXT = 2

/** The cited lines, otherwise those that look like errors, the last ones first; and the end of the log. */
export function failureOf(lines: readonly string[], cited: readonly number[]): LogView {
  const looks = lines.flatMap((line, index) => (SUSPICIOUS.test(line.slice(0, LINE_MAX)) ? [index] : []))
  const hits = cited.length > 0 ? cited.map((line) => line - 1) : looks.slice(-SUSPICIOUS_MAX).reverse()
  const end = [...span(lines.length - 1, Math.max(0, lines.length - END_LINES))]
  const why =
    cited.length > 0
      ? 'The evidence lines of the investigation with context, and the end of the log.'
      : `${looks.length} lines look like errors (matched by words; no investigation has evidence). These are the last ones with context, and the end of the log.`
  const { part, complete } = assemble(lines, [...around(hits, CONTEXT), ...end])
  return { ...part, notes: complete ? [why] : [why, 'Not all of it fits. For the rest, use mode="search" or "range".'] }
}
