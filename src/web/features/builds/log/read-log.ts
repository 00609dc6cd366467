import { type Mark, marksOf } from './group-marks.ts'
import { type Group, groupsOf } from './groups.ts'
import { impliedMark } from './implied-marks.ts'
import { showOnTerminal, type TerminalLine, withoutStart } from './terminal-line.ts'
import { PLAIN } from './text-style.ts'
import { hiddenStamp, stampLength } from './time-stamps.ts'

export interface LogLine extends TerminalLine {
  /** The timestamp before it as written; empty if there is none. */
  stamp: string
}

interface Log {
  lines: LogLine[]
  groups: Group[]
}

/** A log as a terminal would show it. A line of the text stays a line, so that line numbers are stable. */
export function readLog(text: string): Log {
  const raws = text.split('\n')
  if (raws.at(-1) === '') raws.pop()
  let style = PLAIN
  const lines = raws.map((raw): LogLine => {
    const [line, after] = showOnTerminal(raw, style)
    style = after
    const length = stampLength(line.text)
    return length === 0
      ? { ...line, stamp: hiddenStamp(raw) }
      : { ...withoutStart(line, length), stamp: line.text.slice(0, length).trimEnd() }
  })
  const said = lines.map(({ text }, i) => marksOf(raws[i]!, text, [lines[i - 1]?.text ?? '', lines[i + 1]?.text ?? '']))
  const hasPhases = said.some((found) => found.some(({ family }) => family === 'phase'))
  const marks = new Map<number, Mark[]>()
  lines.forEach(({ text }, i) => {
    const implied = said[i]!.length === 0 ? impliedMark(text, hasPhases) : undefined
    const found = implied ? [implied] : said[i]!
    if (found.length > 0) marks.set(i + 1, found)
  })
  for (const [number, found] of marks) {
    const mark = found.at(-1)!
    if (mark.kind === 'open') lines[number - 1] = titled(lines[number - 1]!, mark)
  }
  return { lines, groups: groupsOf(marks, lines.length) }
}

const titled = (line: LogLine, { skip, title }: Extract<Mark, { kind: 'open' }>): LogLine =>
  title ? { ...line, text: title, spans: [] } : skip ? { ...line, ...withoutStart(line, skip) } : line
