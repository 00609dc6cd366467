import { randomOf } from '../../src/demo/random.ts'
/**
 * Random studios: three streams of one depot, builds of several jobs, and unreliable reports. The world holds what happened; its reports arrive
 * late, twice, in another order, from agents with wrong clocks.
 */

export const STREAMS = ['//game/dev', '//game/main', '//game/rel'] as const
export const PEOPLE = ['ann', 'bob', 'cleo', 'dan', 'eve'] as const
/** A login that two people share: its changes are of nobody in particular. */
export const SHARED = 'lab'
export const SHARERS = ['fay', 'gus'] as const
export const AUTHORS = [...PEOPLE, SHARED]
/** Source files that get broken and fixed. */
export const SOURCES = ['Combat/Roll.cpp', 'Engine/Boat.cpp', 'Ui/Menu.cpp'] as const

const PLATFORMS = ['Win64', 'PS5']

export interface Change {
  changelist: number
  stream: string
  author: string
  description: string
  files: string[]
}

/** Why a build failed: a source file that does not compile, a flickering test, or the infrastructure. */
export type Cause = { kind: 'compile'; file: string } | { kind: 'test' } | { kind: 'disk' }

export interface Build {
  /** A job of the CI on one platform, if its reports name one. */
  job: string
  /** What the CI calls it. */
  ciJob: string
  platform: string | null
  number: number
  stream: string
  /** The newest changelist of the whole depot when it started. */
  changelist: number
  cause: Cause | null
  /** The upstream build that made this one fail; this one has no log. */
  upstream: Build | null
  isPreflight: boolean
}

export type Happening =
  | { kind: 'change'; change: Change }
  | { kind: 'build'; build: Build; hasLog: boolean; minutes: number }
  | { kind: 'deployment'; build: Build; namesJob: boolean }
  /** Of the past: some changes and passed builds, whether they were reported or not. */
  | { kind: 'import'; changes: Change[]; builds: Build[] }
  | { kind: 'pause'; seconds: number }

/** How reports arrive: as they happened, some of them late and twice, or in any order. */
export const REGIMES = ['in order', 'late', 'any'] as const

export interface World {
  seed: number
  regime: (typeof REGIMES)[number]
  happenings: Happening[]
  /** After how many of them the service is checked. */
  looks: number[]
}

export function numbers(seed: number) {
  const next = randomOf(seed)
  return {
    below: (limit: number) => Math.floor(next() * limit),
    chance: (probability: number) => next() < probability,
    of: <T>(values: readonly T[]): T => values[Math.floor(next() * values.length)]!,
  }
}

export function makeWorld(seed: number): World {
  const { below, chance, of } = numbers(seed)
  const regime = REGIMES[seed % REGIMES.length]!
  // Both in one job of the CI.
  const hasPlatforms = chance(0.5)
  const isUnsteady = (probability: number) => chance(probability) && regime !== 'in order'
  const timeline: { at: number; happening: Happening }[] = []
  const ticks = chance(0.15) ? 8 + below(8) : 2 + below(5)
  let changelist = 1000
  let shelf = 0
  const broken = new Map<string, Set<string>>(STREAMS.map((stream) => [stream, new Set()]))
  const counts = new Map<string, number>()
  // An agent keeps its wrong clock.
  const clocks = new Map<string, number>()
  const clockOf = (agent: string) => {
    if (!clocks.has(agent)) clocks.set(agent, chance(0.5) ? 0 : below(241) - 120)
    return clocks.get(agent)!
  }
  const push = (at: number, happening: Happening) =>
    timeline.push({ at: regime === 'any' && at > 0 ? below(10 * ticks) : at, happening })

  const submit = (at: number, stream: string, files: string[], description: string, isLate = isUnsteady(0.15)) => {
    changelist += 1 + below(3)
    const change = { changelist, stream, author: of(AUTHORS), description, files: files.map((file) => `${stream}/${file}`) }
    push(isLate ? at + 2 + below(6) : at, { kind: 'change', change })
  }
  const report = (at: number, build: Build) => {
    const minutes = clockOf(`${build.job} ${build.stream}`)
    const isSilent = build.cause === null || build.upstream !== null
    const arrives = isUnsteady(0.15) ? at + 0.5 + below(3) : at + 0.4
    const logIsLate = !isSilent && chance(0.2)
    const happening = { kind: 'build' as const, build, hasLog: !isSilent && !logIsLate, minutes }
    push(arrives, happening)
    if (logIsLate) push(arrives + 0.3, { ...happening, hasLog: true })
    if (isUnsteady(0.1)) push(arrives + below(4), { ...happening, hasLog: !isSilent })
  }
  const start = (stream: string, job: string, cause: Cause | null, upstream: Build | null = null): Build => {
    const isOnPlatform = hasPlatforms && PLATFORMS.includes(job)
    // A job of every stream has its own name, as in CIs.
    const ciJob = `${isOnPlatform ? 'Game' : job} ${stream.split('/').at(-1)}`
    const number = (counts.get(ciJob) ?? 0) + 1
    counts.set(ciJob, number)
    const placed = isOnPlatform ? { job: `${ciJob} (${job})`, platform: job } : { job: ciJob, platform: null }
    return { ...placed, ciJob, number, stream, changelist, cause, upstream, isPreflight: false }
  }

  for (const stream of STREAMS) submit(0, stream, ['Game.uproject'], 'Begin', false)
  for (let tick = 1; tick <= ticks; tick++) {
    const stream = of(STREAMS)
    const causes = broken.get(stream)!
    for (let count = below(3); count >= 0; count--) {
      const file = of(SOURCES)
      if (chance(0.3) && !causes.has(file)) {
        causes.add(file)
        submit(tick, stream, [`Source/${file}`], `Rework ${file.split('/')[1]}`)
      } else if (chance(0.45) && causes.size > 0) {
        const mended = of([...causes])
        causes.delete(mended)
        submit(tick, stream, [`Source/${mended}`], chance(0.5) ? 'Fix the build' : 'Second thoughts')
      } else submit(tick, stream, [`Content/Rock${below(9)}.uasset`], chance(0.2) ? 'Fix the rock' : 'Sculpt a rock')
    }
    const compiled = (): Cause | null => {
      if (chance(0.04)) return { kind: 'disk' }
      const [file] = [...causes].sort()
      return file === undefined ? null : { kind: 'compile', file }
    }
    for (const job of PLATFORMS) {
      if (chance(0.35)) continue
      const build = start(stream, job, compiled())
      report(tick, build)
      if (job === 'Win64' && chance(0.4)) report(tick + 0.2, start(stream, 'Pack', build.cause, build.cause && build))
      if (build.cause === null && chance(0.3)) push(tick + below(3), { kind: 'deployment', build, namesJob: chance(0.5) })
    }
    for (let runs = chance(0.4) ? 1 + below(2) : 0; runs > 0; runs--)
      report(tick + 0.1, start(stream, 'Tests', chance(0.25) ? { kind: 'test' } : null))
    if (chance(0.15)) {
      const cause: Cause = { kind: 'compile', file: of(SOURCES) }
      report(tick, { ...start(stream, 'Win64', cause), changelist: 900_000 + ++shelf, isPreflight: true })
    }
    if (chance(0.3)) push(tick + 0.9, { kind: 'pause', seconds: of([70, 600, 3600]) })
  }
  const happenings = timeline.sort((one, other) => one.at - other.at).map(({ happening }) => happening)
  if (chance(0.5)) {
    const at = Math.floor(happenings.length / 4) + below(happenings.length)
    happenings.splice(
      at,
      0,
      importBefore(happenings, at, () => chance(0.5)),
    )
  }
  // Rarely or often, at random moments.
  const looks: number[] = []
  const pace = 20 + below(60)
  for (let next = 1 + below(pace); next < happenings.length; next += 1 + below(pace)) looks.push(next)
  return { seed, regime, happenings, looks }
}

/** A random part of what was before a place in the reports. */
function importBefore(happenings: readonly Happening[], at: number, isRead: () => boolean): Happening {
  const changes = [...new Set(happenings.flatMap((one) => (one.kind === 'change' ? [one.change] : [])))]
  const builds = [...new Set(happenings.flatMap((one) => (one.kind === 'build' ? [one.build] : [])))]
  const numbersOf = (one: Happening) =>
    one.kind === 'change' ? [one.change.changelist] : one.kind === 'build' && !one.build.isPreflight ? [one.build.changelist] : []
  const newest = Math.max(...happenings.slice(0, at).flatMap(numbersOf))
  const isPast = ({ changelist }: { changelist: number }) => changelist <= newest
  return {
    kind: 'import',
    changes: changes.filter(isPast).filter(isRead),
    builds: builds.filter((build) => isPast(build) && build.cause === null && !build.isPreflight).filter(isRead),
  }
}
