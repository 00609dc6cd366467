/** Where a build stands: on its branch, and among the builds of its job where nobody knows that. */
export interface Place {
  position: number | null
  /** Its rank among the builds of the job: by the CI's number, then by arrival, never by a clock. */
  at: number
  /** When it was first heard of, in milliseconds of our own clock: all there is to compare builds of different jobs by without a branch. */
  received: number
  /** It was built to find the range, and says nothing else. */
  bisect?: boolean
}

export interface Failure extends Place {
  build_run_id: number
  /** The occurrence that it was counted to when it was last looked at; null for a new one. */
  occurrence: number | null
  /** Milliseconds. */
  began_at: number
}

export interface Pass extends Place {
  build_run_id: number
  /** When it was known that it passed. */
  finished_at: number
  /** No build: somebody said that it is fixed. */
  said?: true
}

/** A job that was hit on a branch: its builds that failed for this cause, and those of its builds that passed around them. */
export interface Hit {
  job: string
  branch: string
  failures: Failure[]
  passes: Pass[]
  /** Nothing was heard of it for so long that it holds nothing open. */
  silent: boolean
}

/** From a first failure to the passes that end it. */
export interface Occurrence {
  /** In their order on the branch. */
  failures: Failure[]
  /** The first pass of every job after its last failure; null while one is missing. */
  mended: Pass[] | null
  /** Passed and failed at the same change. */
  flaky: boolean
  /** Positions on the branch between which it began. Equal where the job had passed at that very change: no change is to blame. */
  firstBad: number | null
  lastGood: number | null
  /** Positions between which it was mended; null where nobody knows. */
  lastBad: number | null
  firstGood: number | null
}

export interface Judging {
  /** Its cause comes and goes by itself, because it lies in the machines: a pass at the same change mends it. */
  passing: boolean
  /** It is of no branch: only time compares builds of different ones. */
  byTime: boolean
  /** When somebody said that it is fixed, and where the branch stood then. */
  said: readonly { position: number | null; received: number }[]
  /** When somebody said that it is not fixed after all: what passed before does not end the newest occurrence. */
  unfixedAt: number | null
}

const isAfter = (later: Place, earlier: Place, sameToo: boolean) => {
  if (later.position === null || earlier.position === null) return later.at > earlier.at
  return later.position > earlier.position || (sameToo && later.position === earlier.position && later.at > earlier.at)
}

const inOrder = (a: Place, b: Place) =>
  a.position === null || b.position === null ? a.at - b.at : a.position - b.position || a.at - b.at

/** As builds of different jobs, or what a person said, compare. */
const byReceipt = (one: Place): Place => ({ ...one, at: one.received })
const byReceiptAlone = (one: Place): Place => ({ ...one, at: one.received, position: null })

const isCounted = ({ bisect }: Place) => !bisect

/** Failures of one job with no pass between them, and the first pass after the last of them. */
interface Episode {
  hit: Hit
  failures: Failure[]
  end: Pass | undefined
}

/**
 * The occurrences of a breakage, oldest first: what its builds say together, whatever order they were reported in. One lasts until every
 * job that it hit has passed at a later change.
 */
export function occurrencesOf(hits: readonly Hit[], judging: Judging): Occurrence[] {
  const counted = hits.map((hit) => ({ ...hit, failures: hit.failures.filter(isCounted), passes: hit.passes.filter(isCounted) }))
  const flaky = counted.some((hit) => bothOutcomes(hit, hit.failures))
  const sameToo = judging.passing || flaky
  const episodes = counted.flatMap((hit) => episodesOf(hit, judging, sameToo))
  const groups: Episode[][] = []
  const byTime = judging.byTime || counted.some(({ failures }) => failures.some(({ position }) => position === null))
  const place = byTime ? byReceiptAlone : byReceipt
  const begins = ({ failures }: Episode) => place(failures[0]!)
  for (const episode of episodes.sort((a, b) => inOrder(begins(a), begins(b)))) {
    const group = groups.at(-1)
    const ends = group?.map(({ hit, end, failures }) => end ?? (hit.silent ? failures.at(-1)! : undefined))
    const isOver = ends?.every((end) => end !== undefined && isAfter(begins(episode), place(end), sameToo))
    if (group && !isOver) group.push(episode)
    else groups.push([episode])
  }
  return groups.map((group, at) => occurrenceOf(group, hits, at === 0 ? [] : groups[at - 1]!))
}

function episodesOf(hit: Hit, { said, unfixedAt }: Judging, sameToo: boolean): Episode[] {
  const failures = hit.failures.toSorted(inOrder)
  const passes: Pass[] = [
    ...hit.passes.toSorted(inOrder),
    ...said.map((one): Pass => ({ ...one, at: one.received, build_run_id: 0, finished_at: one.received, said: true })),
  ]
  const isLater = (later: Place, earlier: Place, pass: Pass) =>
    pass.said ? isAfter(byReceipt(later), byReceipt(earlier), true) : isAfter(later, earlier, sameToo)
  const ends = (pass: Pass, of: readonly Failure[]) => of.every((failure) => isLater(pass, failure, pass))
  const groups: Failure[][] = []
  for (const failure of failures) {
    const group = groups.at(-1)
    const isNext = group && passes.some((pass) => ends(pass, group) && isLater(failure, pass, pass))
    if (group && !isNext) group.push(failure)
    else groups.push([failure])
  }
  return groups.map((group, place) => {
    // Somebody said that it is not fixed after all: what passed before does not end the last one.
    const isDoubted = ({ finished_at }: Pass) => place === groups.length - 1 && unfixedAt !== null && finished_at <= unfixedAt
    return { hit, failures: group, end: passes.find((pass) => ends(pass, group) && !isDoubted(pass)) }
  })
}

function occurrenceOf(episodes: readonly Episode[], hits: readonly Hit[], before: readonly Episode[]): Occurrence {
  const failures = episodes.flatMap((episode) => episode.failures).sort((a, b) => inOrder(byReceipt(a), byReceipt(b)))
  const failing = positionsOf(failures)
  const since = Math.max(0, ...positionsOf(before.flatMap(({ end, failures }): Place[] => (end ? [end] : failures))))
  const firstBad = failing.length === 0 ? null : narrowedBy(hits, Math.min(...failing), since)
  const lastBad = failing.length === 0 ? null : Math.max(...failing)
  const held = episodes.filter(({ end, hit }) => end !== undefined || !hit.silent).map(({ end }) => end)
  const mended = held.includes(undefined) ? null : (held as Pass[])
  const after = positionsOf(mended?.filter(({ said }) => !said) ?? [])
  return {
    failures,
    mended,
    flaky: episodes.some(({ hit, failures }) => bothOutcomes(hit, failures)),
    firstBad,
    lastGood: lastGoodOf(episodes, hits, firstBad),
    lastBad,
    firstGood: after.length === 0 ? null : Math.min(...later(after, lastBad)),
  }
}

const later = (positions: number[], than: number | null) => {
  const above = positions.filter((position) => than === null || position > than)
  return above.length > 0 ? above : [Math.max(...positions)]
}

/** Builds that were made to find the range fail earlier than those of the job, and after what ended it the last time. */
const narrowedBy = (hits: readonly Hit[], firstBad: number, since: number) => {
  const searched = hits.flatMap(({ failures }) => positionsOf(failures.filter(({ bisect }) => bisect)))
  return Math.min(firstBad, ...searched.filter((position) => position > since))
}

/** The newest pass below the first failure; at the first failure itself where its job had passed there before. */
function lastGoodOf(episodes: readonly Episode[], hits: readonly Hit[], firstBad: number | null): number | null {
  if (firstBad === null) return null
  const hadPassed = episodes.some(({ hit, failures }) =>
    failures.some(
      (failure) => failure.position === firstBad && hit.passes.some((pass) => pass.position === firstBad && pass.at < failure.at),
    ),
  )
  if (hadPassed) return firstBad
  const good = hits.flatMap(({ passes }) => positionsOf(passes)).filter((position) => position < firstBad)
  return good.length === 0 ? null : Math.max(...good)
}

const bothOutcomes = ({ passes }: Hit, failures: readonly Failure[]) => {
  const passed = new Set(positionsOf(passes))
  return positionsOf(failures).some((position) => passed.has(position))
}

const positionsOf = (places: readonly Place[]) => places.flatMap(({ position }) => (position === null ? [] : [position]))
