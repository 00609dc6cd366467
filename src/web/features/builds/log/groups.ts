import type { Family, Mark } from './group-marks.ts'

/** A collapsible section of the log: the line of its title and its last line, counted from one. */
export interface Group {
  line: number
  last: number
  depth: number
  /** Whether the log itself asks to collapse it. */
  isFolded: boolean
  /** Whether it has an end marker. */
  isClosed: boolean
}

/** Families whose sections end with the next one. */
const GOES_ON: readonly Family[] = ['header', 'node']
/** Families that end where another one starts, from the outside in. */
const LOOSE: readonly Family[] = ['command', 'engine phase', 'inner phase', 'task']

/** Deeper ones are not distinguished. */
const DEPTH_MAX = 30

/** Sections may be nested, may lack an end, and may lack a start. */
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
      // Braces without a name are only counted.
      if (mark.title !== '') groups.push(group)
    }
  return groups.filter(({ line, last }) => last > line)
}
