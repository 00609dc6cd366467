import type { Build, Cause, Change } from './world.ts'

/**
 * The expected state of a studio, computed the slow way from all reports so far. It implements the rules independently and shares no code with
 * the service.
 */

/** A build as it was last reported. */
export interface Reported {
  build: Build
  hasLog: boolean
  /** The order in which builds were first reported. */
  arrival: number
}

export interface Expected {
  /** Names of the failed builds that belong to it. */
  builds: string[]
  /** Those of its newest occurrence. */
  newest: string[]
  /** Null for infrastructure failures, which have no branch. */
  stream: string | null
  isFixed: boolean
  /** Passed and failed at one changelist that both name. */
  isFlickering: boolean
  /** Changelists between which its newest occurrence began; unknown without a branch. */
  lastGood: number | null
  firstBad: number | null
  /** The possible suspects of its newest occurrence. */
  suspects: Change[]
  /** The suspects with evidence: they touch the file that does not compile, or are the only change since the last pass. */
  culprits: Change[]
  /** The possible fixing changes. */
  fixers: Change[]
}

export const nameOf = ({ ciJob, number }: Build) => `${ciJob} #${number}`

interface Placed extends Reported {
  position: number
}

export function expectedBreakages(changes: readonly Change[], reports: readonly Reported[]): Expected[] {
  const onBranch: Placed[] = reports
    .filter(({ build }) => !build.isPreflight)
    .map((one) => ({ ...one, position: positionOf(changes, one.build) }))
  const failed = onBranch.filter(({ build }) => build.cause !== null)
  const groups = new Map<string, Placed[]>()
  for (const one of failed) {
    const key = keyOf(one, failed)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups].map(([key, members]) => judge(key, members, onBranch, changes))
}

/** The newest change of its stream that is not above the number it was built at. */
export const positionOf = (changes: readonly Change[], { stream, changelist }: Build) =>
  Math.max(0, ...changes.filter((one) => one.stream === stream && one.changelist <= changelist).map((one) => one.changelist))

/** One breakage per cause and stream; infrastructure failures span streams; without a log, one per job. */
function keyOf({ build, hasLog }: Reported, failed: readonly Reported[]): string {
  if (build.upstream !== null) {
    const above = failed.find((one) => nameOf(one.build) === nameOf(build.upstream!))
    if (above) return keyOf(above, failed)
  }
  if (!hasLog || build.upstream !== null) return `job ${build.job} ${build.stream}`
  const cause = build.cause as Cause
  if (cause.kind === 'disk') return 'disk'
  return cause.kind === 'test' ? `test ${build.stream}` : `${cause.file} ${build.stream}`
}

/** By position, then by changelist, by the CI's number and by arrival, never by an agent's clock. */
const inOrder = (a: Placed, b: Placed) =>
  a.position - b.position || a.build.changelist - b.build.changelist || a.build.number - b.build.number || a.arrival - b.arrival

function judge(key: string, members: readonly Placed[], all: readonly Placed[], changes: readonly Change[]): Expected {
  const isMachine = key === 'disk'
  const stream = isMachine ? null : members[0]!.build.stream
  const jobs = new Set(members.map(({ build }) => build.job))
  const passes = all.filter(({ build }) => build.cause === null && jobs.has(build.job))
  const isFlickering =
    !isMachine &&
    members.some((one) =>
      passes.some((pass) => pass.build.job === one.build.job && pass.build.changelist === one.build.changelist),
    )
  const mends = (pass: Placed, failure: Placed) =>
    pass.build.job === failure.build.job &&
    (pass.build.changelist > failure.build.changelist ||
      ((isMachine || isFlickering) && pass.build.changelist === failure.build.changelist && inOrder(pass, failure) > 0))
  const isFixed = members.every((failure) => passes.some((pass) => mends(pass, failure)))

  const occurrence = newestOccurrence(members, passes)
  const firstBad = Math.min(...occurrence.map(({ position }) => position))
  // A job that failed there has passed there: no change of the stream is between them.
  const hadPassed = occurrence.some(
    (one) => one.position === firstBad && passes.some((pass) => pass.position === firstBad && pass.build.job === one.build.job),
  )
  const good = passes
    .filter(({ position }) => position < firstBad || (hadPassed && position === firstBad))
    .map(({ position }) => position)
  const lastGood = good.length > 0 ? Math.max(...good) : null
  const between = (low: number, high: number) =>
    changes.filter((one) => one.stream === stream && one.changelist > low && one.changelist <= high)
  const touches = ({ files }: Change) => files.some((file) => key.startsWith(file.split('/Source/')[1] ?? 'no source'))

  const suspects = isMachine || isFlickering ? [] : between(lastGood ?? 0, firstBad)
  const lastBad = Math.max(...members.map(({ position }) => position))
  const after = passes.filter(({ position }) => position > lastBad).map(({ position }) => position)
  const mending = isMachine || after.length === 0 ? [] : between(lastBad, Math.min(...after))
  return {
    builds: members.map(({ build }) => nameOf(build)).sort(),
    newest: occurrence.map(({ build }) => nameOf(build)),
    stream,
    isFixed,
    isFlickering,
    lastGood: isMachine ? null : lastGood || null,
    firstBad: isMachine ? null : firstBad || null,
    suspects,
    culprits: suspects.filter((one) => touches(one) || (suspects.length === 1 && lastGood !== null)),
    fixers: mending.filter((one) => touches(one) || mending.length === 1),
  }
}

/** The failures since all its jobs had passed; a failure comes before a pass at the same position. */
function newestOccurrence(members: readonly Placed[], passes: readonly Placed[]): Placed[] {
  const changelists = [...new Set([...members, ...passes].map(({ build }) => build.changelist))].sort((a, b) => a - b)
  let [current, newest]: Placed[][] = [[], []]
  const red = new Set<string>()
  for (const changelist of changelists) {
    for (const one of members.filter((each) => each.build.changelist === changelist)) {
      if (red.size === 0) current = []
      red.add(one.build.job)
      current!.push(one)
      newest = current
    }
    for (const { build } of passes.filter((each) => each.build.changelist === changelist))
      if (!members.some((one) => one.build.changelist === changelist && one.build.job === build.job)) red.delete(build.job)
  }
  return newest!
}

/** What is new in a build: the changes of its stream since its job last passed below it. Null if that is open: it has passed at the same place too. */
export function newIn(changes: readonly Change[], reports: readonly Reported[], { build }: Reported): number[] | null {
  const position = positionOf(changes, build)
  const passes = reports
    .filter(({ build: other }) => other !== build && other.cause === null && !other.isPreflight && other.job === build.job)
    .map(({ build: other }) => positionOf(changes, other))
  if (passes.includes(position)) return null
  const since = Math.max(0, ...passes.filter((pass) => pass < position))
  return changes
    .filter(({ stream, changelist }) => stream === build.stream && changelist > since && changelist <= position)
    .map(({ changelist }) => changelist)
}
