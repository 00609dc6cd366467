/** A line of a comparison: `-` only before, `+` only after, ` ` in both. */
export interface DiffLine {
  kind: '-' | '+' | ' '
  text: string
  /** Numbers of the line before and after. */
  before: number | null
  after: number | null
}

/** The most cells of one comparison line by line; larger blocks count as replaced. */
const CELLS_MAX = 40_000

/**
 * The lines of two texts. Lines that occur once in both are anchors; only small blocks between them are compared line by line, so that the
 * time grows with the length, whatever the texts are.
 */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  const lines: DiffLine[] = []
  const same = (i: number, j: number) => lines.push({ kind: ' ', text: fresh[j]!, before: i + 1, after: j + 1 })
  const gone = (i: number) => lines.push({ kind: '-', text: old[i]!, before: i + 1, after: null })
  const made = (j: number) => lines.push({ kind: '+', text: fresh[j]!, before: null, after: j + 1 })
  let [i, j] = [0, 0]
  const block = (endI: number, endJ: number) => {
    let [tailI, tailJ] = [endI, endJ]
    while (i < tailI && j < tailJ && old[i] === fresh[j]) same(i++, j++)
    while (i < tailI && j < tailJ && old[tailI - 1] === fresh[tailJ - 1]) {
      tailI--
      tailJ--
    }
    for (const kind of steps(old.slice(i, tailI), fresh.slice(j, tailJ))) {
      if (kind === ' ') same(i++, j++)
      else if (kind === '-') gone(i++)
      else made(j++)
    }
    while (i < endI) same(i++, j++)
  }
  for (const [anchorI, anchorJ] of anchors(old, fresh)) {
    block(anchorI, anchorJ)
    same(i++, j++)
  }
  block(old.length, fresh.length)
  return lines
}

const linesOf = (text: string) => {
  const lines = text.split(/\r\n|\r|\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Lines that occur once in each text, as many as are in the same order in both. */
function anchors(old: readonly string[], fresh: readonly string[]): [number, number][] {
  const inFresh = unique(fresh)
  const pairs = [...unique(old)].flatMap(([line, i]) => (inFresh.has(line) ? [[i, inFresh.get(line)!] as [number, number]] : []))
  // The longest rising sequence, by the last pair of each length.
  const last: number[] = []
  const previous: number[] = []
  for (const [at, [, j]] of pairs.entries()) {
    let [low, high] = [0, last.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[last[middle]!]![1] < j) low = middle + 1
      else high = middle
    }
    previous[at] = low > 0 ? last[low - 1]! : -1
    last[low] = at
  }
  const found: [number, number][] = []
  for (let at = last.at(-1) ?? -1; at >= 0; at = previous[at]!) found.push(pairs[at]!)
  return found.reverse()
}

/** Lines that occur once, with their place, in order. */
function unique(lines: readonly string[]): Map<string, number> {
  const times = new Map<string, number>()
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1)
  return new Map(lines.flatMap((line, i) => (times.get(line) === 1 ? [[line, i] as const] : [])))
}

/** The longest common sequence of two small blocks; removals come before additions. */
function steps(old: readonly string[], fresh: readonly string[]): DiffLine['kind'][] {
  const replaced = [...old.map(() => '-' as const), ...fresh.map(() => '+' as const)]
  if (old.length * fresh.length > CELLS_MAX || old.length === 0 || fresh.length === 0) return replaced
  const width = fresh.length + 1
  const length = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      length[i * width + j] =
        old[i] === fresh[j]
          ? length[(i + 1) * width + j + 1]! + 1
          : Math.max(length[(i + 1) * width + j]!, length[i * width + j + 1]!)
  const found: DiffLine['kind'][] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      found.push(' ')
      i++
      j++
    } else if (j >= fresh.length || (i < old.length && length[(i + 1) * width + j]! >= length[i * width + j + 1]!)) {
      found.push('-')
      i++
    } else {
      found.push('+')
      j++
    }
  }
  return found
}

/** Lines around changes that are shown. */
const AROUND = 3

/** Without the lines far from any change: a number is how many lines are left out. */
export function folded(lines: readonly DiffLine[]): (DiffLine | number)[] {
  const isNear = new Uint8Array(lines.length)
  for (const [at, { kind }] of lines.entries())
    if (kind !== ' ') isNear.fill(1, Math.max(0, at - AROUND), Math.min(lines.length, at + AROUND + 1))
  const shown: (DiffLine | number)[] = []
  for (const [at, line] of lines.entries()) {
    if (isNear[at]) shown.push(line)
    else if (typeof shown.at(-1) === 'number') (shown as number[])[shown.length - 1]! += 1
    else shown.push(1)
  }
  return shown
}

/** Rows of two columns: a removed line is next to the added one that replaces it. */
export function beside(lines: readonly (DiffLine | number)[]): (readonly [DiffLine | null, DiffLine | null] | number)[] {
  const rows: (readonly [DiffLine | null, DiffLine | null] | number)[] = []
  let gone: DiffLine[] = []
  let made: DiffLine[] = []
  const flush = () => {
    for (let i = 0; i < Math.max(gone.length, made.length); i++) rows.push([gone[i] ?? null, made[i] ?? null])
    gone = []
    made = []
  }
  for (const line of lines) {
    if (typeof line !== 'number' && line.kind === '-') {
      if (made.length > 0) flush()
      gone.push(line)
    } else if (typeof line !== 'number' && line.kind === '+') made.push(line)
    else {
      flush()
      rows.push(typeof line === 'number' ? line : [line, line])
    }
  }
  flush()
  return rows
}
