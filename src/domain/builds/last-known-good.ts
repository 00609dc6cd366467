/** Whether a job was well at a place of its branch. */
export interface Verdict {
  position: number
  passed: boolean
  /** Of several at one place the newest counts. */
  at: string
}

/** From one place on a branch to another, both included. */
export interface Span {
  from: number
  to: number
}

/**
 * The places that a job covers: those between two passes with no failure between them. A change is covered when the last verdict at or
 * before it and the first at or after it are both passes.
 */
function coveredBy(verdicts: readonly Verdict[]): Span[] {
  const spans: Span[] = []
  let open: Span | undefined
  for (const { position, passed } of inPlace(verdicts)) {
    if (!passed) open = undefined
    else if (open) open.to = position
    else {
      open = { from: position, to: position }
      spans.push(open)
    }
  }
  return spans
}

/** One verdict for each place, in the order of the branch. */
export function inPlace<V extends Verdict>(verdicts: readonly V[]): V[] {
  const newest = new Map<number, V>()
  for (const verdict of verdicts) {
    const known = newest.get(verdict.position)
    if (!known || known.at < verdict.at) newest.set(verdict.position, verdict)
  }
  return [...newest.values()].sort((a, b) => a.position - b.position)
}

/** The places that every job covers, the newest first. */
export function coveredByAll(jobs: readonly (readonly Verdict[])[]): Span[] {
  const [first = [], ...others] = jobs.map(coveredBy)
  return others.reduce(shared, first).toReversed()
}

/** Both lists are in order, and so is what they share. */
function shared(one: readonly Span[], other: readonly Span[]): Span[] {
  const spans: Span[] = []
  for (let a = 0, b = 0; a < one.length && b < other.length; ) {
    const [left, right] = [one[a]!, other[b]!]
    const span = { from: Math.max(left.from, right.from), to: Math.min(left.to, right.to) }
    if (span.from <= span.to) spans.push(span)
    if (left.to < right.to) a++
    else b++
  }
  return spans
}
