/** The minimum and maximum width of a console that wraps. */
const NARROWEST = 40
const WIDEST = 240
/** How many lines must break at one width before it counts as a console's; fewer if words were wrapped there too. */
const FEWEST_CUTS = 8
const FEWEST_CUTS_AND_FOLDS = 4

const OPENING = 6
const openingOf = (line: string) => line.slice(0, OPENING)
const firstWord = (line: string) => /^\S+/.exec(line)?.[0] ?? ''

const isWordChar = (char: string | undefined) => char !== undefined && /[\w/\\.$:,'"-]/.test(char)

/** The last column of a table, which ends at one width too. */
const COLUMN = /\S {2,}\S+$/

/** A word cut in two at the edge. Lines of a list have equal lengths and start alike. */
const isCut = (line: string, next: string) =>
  !COLUMN.test(line) &&
  isWordChar(line.at(-1)) &&
  isWordChar(next[0]) &&
  openingOf(line) !== openingOf(next) &&
  /[A-Za-z].*[A-Za-z]/.test(line)

/** The next word did not fit; consoles drop the space before it. */
const isFolded = (line: string, next: string, width: number) =>
  line.endsWith(' ') &&
  line.length <= width &&
  line.length > width / 2 &&
  /^\S/.test(next) &&
  line.length + firstWord(next).length > width

/** Second halves occur only after first halves. */
function isOnlyBehind(breaks: readonly number[], lines: readonly string[]): boolean {
  const halves = new Set(breaks.map((index) => openingOf(lines[index + 1]!)))
  const behind = new Set(breaks)
  const strays = lines.filter((line, index) => halves.has(openingOf(line)) && !behind.has(index - 1))
  return strays.length <= breaks.length / 5
}

/** Lengths that more lines have than the neighboring lengths: only there can an edge be. */
function peaksOf(lines: readonly string[]): Set<number> {
  const count = new Uint32Array(WIDEST + 2)
  for (const { length } of lines) if (length >= NARROWEST - 1 && length <= WIDEST + 1) count[length]!++
  const peaks = new Set<number>()
  for (let width = NARROWEST; width <= WIDEST; width++)
    if (count[width]! > 1 && count[width]! > count[width - 1]! && count[width]! > count[width + 1]!) peaks.add(width)
  return peaks
}

function widthOf(lines: readonly string[]): number | null {
  const breaks = new Map<number, number[]>()
  const peaks = peaksOf(lines)
  if (peaks.size === 0) return null
  for (let i = 0; i + 1 < lines.length; i++) {
    const { length } = lines[i]!
    if (!peaks.has(length) || !isCut(lines[i]!, lines[i + 1]!)) continue
    const known = breaks.get(length)
    if (known) known.push(i)
    else breaks.set(length, [i])
  }
  const count = (width: number) => breaks.get(width)?.length ?? 0
  const [width, found] = [...breaks].reduce((most, each) => (each[1].length > most[1].length ? each : most), [0, [] as number[]])
  // Lines that are this long by chance have neighbors of every length.
  const around = Math.max(...[-3, -2, -1, 1, 2, 3].map((by) => count(width + by)))
  if (found.length < 2 || found.length < 4 * around || !isOnlyBehind(found, lines)) return null
  if (found.length >= FEWEST_CUTS) return width
  const folds = lines.filter((line, i) => i + 1 < lines.length && isFolded(line, lines[i + 1]!, width)).length
  return folds > 0 && found.length + folds >= FEWEST_CUTS_AND_FOLDS ? width : null
}

/** Whether a console moved the rest of a line to the next one; null for an unwrapped log. */
export function learnWrapping(lines: readonly string[]): ((index: number) => boolean) | null {
  const width = widthOf(lines)
  if (width === null) return null
  return (index) => {
    const [line, next] = [lines[index]!, lines[index + 1]]
    return next !== undefined && ((line.length === width && isCut(line, next)) || isFolded(line, next, width))
  }
}
