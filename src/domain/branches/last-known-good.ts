/** Whether a job passed at a position of its branch. */
export interface Verdict {
  position: number
  passed: boolean
  /** Its rank among the builds of the job: of several at one position the highest counts. */
  rank: number
}

/** A required job of a branch. */
export interface Job {
  verdicts: readonly Verdict[]
  /** It is required from its first verdict, and all its verdicts are known; otherwise it is always required. */
  fromFirst?: boolean
}

/** A range of positions on a branch, both ends included. */
export interface Span {
  from: number
  to: number
}

/** The positions between two passes without a failure in between. */
function passedSpans(verdicts: readonly Verdict[]): Span[] {
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

/** A job is not required before its first verdict, so that a new job leaves earlier good changes good. */
function coveredBy({ verdicts, fromFirst }: Job): Span[] {
  const spans = passedSpans(verdicts)
  if (!fromFirst) return spans
  const first = verdicts.reduce((least, { position }) => Math.min(least, position), Number.MAX_SAFE_INTEGER)
  return [{ from: 0, to: first - 1 }, ...spans]
}

/** One verdict per position, in branch order. */
export function inPlace<V extends Verdict>(verdicts: readonly V[]): V[] {
  const newest = new Map<number, V>()
  for (const verdict of verdicts) {
    const known = newest.get(verdict.position)
    if (!known || known.rank < verdict.rank) newest.set(verdict.position, verdict)
  }
  return [...newest.values()].sort((a, b) => a.position - b.position)
}

/**
 * The positions that every job covers, newest first: the last verdict at or before it and the first at or after it are both passes. At least
 * one job must have passed there: without any report nothing is known.
 */
export function coveredByAll(jobs: readonly Job[]): Span[] {
  const [first, ...others] = jobs.map(coveredBy)
  if (first === undefined) return []
  return shared(others.reduce(shared, first), merged(jobs.flatMap(({ verdicts }) => passedSpans(verdicts)))).toReversed()
}

/** Both lists are sorted, and so is their intersection. */
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

function merged(spans: readonly Span[]): Span[] {
  const joined: Span[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}

/**
 * The jobs that keep the next change from being good: those that failed from there on, otherwise those that have not built that far while
 * others have. `next` is the first change after the last known good one, or the oldest if none is good.
 */
export function heldBackBy<J extends Job>(jobs: readonly J[], next: number): J[] {
  const lacking = jobs.filter((job) => !coveredBy(job).some(({ from, to }) => from <= next && next <= to))
  const failed = lacking.filter(({ verdicts }) => inPlace(verdicts).find(({ position }) => position >= next)?.passed === false)
  if (failed.length > 0) return failed
  const isBuilt = jobs.some(({ verdicts }) => verdicts.some(({ position }) => position >= next))
  return isBuilt ? lacking : []
}
