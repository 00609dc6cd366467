import type { Family, Mark } from './group-marks.ts'

/** A part of the log that can be folded away: the line that names it, and the last that belongs to it, counted from one. */
export interface Group {
  line: number
  last: number
  depth: number
  /** Whether the log itself wants it folded. */
  isFolded: boolean
  /** Whether its end has been seen. */
  isClosed: boolean
}

/** Those whose next ends them. */
const GOES_ON: readonly Family[] = ['header', 'node']
/** Those that end where something else begins, from the outside in. */
const LOOSE: readonly Family[] = ['command', 'engine phase', 'inner phase', 'task']

/** Deeper ones are no longer told apart. */
const DEPTH_MAX = 30

/** Parts may nest, may miss their end, and may have lost their beginning. */
export function groupsOf(marks: ReadonlyMap<number, readonly Mark[]>, lineCount: number): Group[] {
  const groups: Group[] = []
  const open: { mark: Extract<Mark, { kind: 'open' }>; group: Group }[] = []
  const closeFrom = (place: number, last: number) => {
    for (const { group } of open.splice(place)) Object.assign(group, { last, isClosed: true })
  }
  for (const [line, here] of marks)
    for (const mark of here) {
      const place = open.findLastIndex(({ mark: { family, name } }) => family === mark.family && name === mark.name)
      if (mark.kind === 'close') {
        if (place !== -1) closeFrom(place, line)
        continue
      }
      const rank = LOOSE.indexOf(mark.family)
      if (place !== -1 && mark.name !== '' && rank !== -1) continue
      if (place !== -1 && GOES_ON.includes(mark.family)) closeFrom(place, line - 1)
      const over = open.findIndex(({ mark: { family } }) => LOOSE.indexOf(family) >= Math.max(0, rank))
      if (over !== -1) closeFrom(over, line - 1)
      if (open.length === DEPTH_MAX) continue
      const group = { line, last: lineCount, depth: open.length, isFolded: mark.isFolded ?? false, isClosed: false }
      open.push({ mark, group })
      // Braces without a name only count.
      if (mark.title !== '') groups.push(group)
    }
  return groups.filter(({ line, last }) => last > line)
}
