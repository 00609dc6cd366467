/** The place of a build: its position on the branch, and its rank in its job if the position is unknown. */
export interface BuildPosition {
  position: number | null
  /** The commit or changelist that it names; empty if none. */
  revision: string
  /** Its changelist number, for builds between the changes of their branch: numbers count for the whole depot. */
  number: number | null
  /** Its rank among the builds of the job: by the CI's number, then by arrival, never by a clock. */
  at: number
  /** When it was first reported, in milliseconds of our own clock: without a branch, builds of different jobs are only comparable by this. */
  received: number
  /** A bisecting build, which only narrows the range. */
  bisect?: boolean
}

export interface Failure extends BuildPosition {
  build_run_id: number
  /** The occurrence it belonged to at the last evaluation; null for a new build. */
  occurrence: number | null
  /** Milliseconds. */
  began_at: number
}

export interface Pass extends BuildPosition {
  build_run_id: number
  /** When it was known that it passed. */
  finished_at: number
  /** Not a build: a person resolved the breakage. */
  said?: true
}

/** A job that was hit on a branch: its builds that failed for this cause, and those of its builds that passed around them. */
export interface Hit {
  /** With its platform and configuration: `build_job`. */
  job: string
  branch: string
  failures: Failure[]
  passes: Pass[]
  /** It has not reported for so long that it no longer keeps the breakage open. */
  silent: boolean
}

/** From a first failure to the passes that end it. */
export interface Occurrence {
  /** In their order on the branch. */
  failures: Failure[]
  /** The first pass of every job after its last failure; null while one is missing. */
  mended: Pass[] | null
  /** Passed and failed at the same revision. */
  flaky: boolean
  /** Positions on the branch between which it began. Equal if the job had passed at that same change: then no change is a suspect. */
  firstBad: number | null
  lastGood: number | null
  /** Its first failure was only imported, so its cause is not known to be the same. */
  isImported?: true
  /** Positions between which it was fixed; null if unknown. */
  lastBad: number | null
  firstGood: number | null
}

export interface Judging {
  /** It flickers or is an infrastructure failure: a pass at the same change fixes it. */
  passing: boolean
  /** It hits several branches, so its builds are compared by time. */
  byTime: boolean
  /** When a person resolved it, and the position of the branch at that time. */
  said: readonly { position: number | null; received: number }[]
  /** When a person reopened it: earlier passes do not end the newest occurrence. */
  unfixedAt: number | null
}

const isAfter = (later: BuildPosition, earlier: BuildPosition, sameToo: boolean) => {
  if (later.position === null || earlier.position === null) return later.at > earlier.at
  if (later.position !== earlier.position) return later.position > earlier.position
  return byNumber(later, earlier) > 0 || (sameToo && byNumber(later, earlier) === 0 && later.at > earlier.at)
}

const byNumber = (a: BuildPosition, b: BuildPosition) => (a.number === null || b.number === null ? 0 : a.number - b.number)

const inOrder = (a: BuildPosition, b: BuildPosition) =>
  a.position === null || b.position === null ? a.at - b.at : a.position - b.position || byNumber(a, b) || a.at - b.at

/** The order of builds of different jobs, and of a person's decision among them. */
const byReceipt = (one: BuildPosition): BuildPosition => ({ ...one, at: one.received })
const byReceiptAlone = (one: BuildPosition): BuildPosition => ({ ...one, at: one.received, position: null })

const isCounted = ({ bisect }: BuildPosition) => !bisect

/** A person's decision. */
const NO_BUILD = { build_run_id: 0, revision: '', number: null, said: true } as const

/** Failures of one job without a pass in between, and the first pass after them. */
interface Episode {
  hit: Hit
  failures: Failure[]
  end: Pass | undefined
}

/**
 * The occurrences of a breakage, oldest first, computed from its builds in whatever order they were reported. An occurrence lasts until every
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
    ...said.map((one): Pass => ({ ...one, ...NO_BUILD, at: one.received, finished_at: one.received })),
  ]
  const isLater = (later: BuildPosition, earlier: BuildPosition, pass: Pass) =>
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
    // A person reopened it: earlier passes do not end the last occurrence.
    const isDoubted = ({ finished_at }: Pass) => place === groups.length - 1 && unfixedAt !== null && finished_at <= unfixedAt
    return { hit, failures: group, end: passes.find((pass) => ends(pass, group) && !isDoubted(pass)) }
  })
}

function occurrenceOf(episodes: readonly Episode[], hits: readonly Hit[], before: readonly Episode[]): Occurrence {
  const failures = episodes.flatMap((episode) => episode.failures).sort((a, b) => inOrder(byReceipt(a), byReceipt(b)))
  const failing = positionsOf(failures)
  const since = Math.max(0, ...positionsOf(before.flatMap(({ end, failures }): BuildPosition[] => (end ? [end] : failures))))
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

/**
 * Failures of bisecting builds that are before the job's own failures and after the end of the previous occurrence. A pass is proof: a
 * failure before one comes and goes.
 */
const narrowedBy = (hits: readonly Hit[], firstBad: number, since: number) => {
  const searched = hits.flatMap(({ failures }) => positionsOf(failures.filter(({ bisect }) => bisect)))
  const passed = hits.flatMap(({ passes }) => positionsOf(passes)).filter((position) => position < firstBad)
  return Math.min(firstBad, ...searched.filter((position) => position > Math.max(since, ...passed)))
}

/**
 * The newest pass below the first failure, or at the same change if the job had passed there, or passes there at another revision: then no
 * change of the branch is between them.
 */
function lastGoodOf(episodes: readonly Episode[], hits: readonly Hit[], firstBad: number | null): number | null {
  if (firstBad === null) return null
  const hadPassed = episodes.some(({ hit, failures }) =>
    failures.some(
      ({ position, at, revision }) =>
        position === firstBad &&
        hit.passes.some((pass) => pass.position === firstBad && (pass.at < at || pass.revision !== revision)),
    ),
  )
  if (hadPassed) return firstBad
  const good = hits.flatMap(({ passes }) => positionsOf(passes)).filter((position) => position < firstBad)
  return good.length === 0 ? null : Math.max(...good)
}

/** Two builds at the newest known change of their branch need not be of the same revision: one may have a change that is reported later. */
const bothOutcomes = ({ passes }: Hit, failures: readonly Failure[]) => {
  const passed = new Set(passes.map(({ revision }) => revision))
  return failures.some(({ revision }) => revision !== '' && passed.has(revision))
}

const positionsOf = (places: readonly BuildPosition[]) => places.flatMap(({ position }) => (position === null ? [] : [position]))
