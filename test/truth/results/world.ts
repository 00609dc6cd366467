import { type Change, numbers, PEOPLE, REGIMES } from '../world.ts'

/**
 * Random test runs: twelve cases in three files, each with a true state per stream. Builds report them in shards, with reruns of what failed, and
 * cut off by a crash now and then.
 */

export const STREAMS = ['//game/main', '//game/rel'] as const
export const FILES = ['Net', 'Combat', 'Ui'] as const
export const JOB = 'Game'
export const GATES = ['failures', 'crashes', 'off'] as const

/** A case by the name that it has at first. Two cases of different files fail with one generic assertion. */
export interface Case {
  name: string
  file: (typeof FILES)[number]
  message: string
  /** How often an attempt fails though nothing is broken. */
  rate: number
  isQuarantined: boolean
  /** Some builds leave it out. */
  isAbsent: boolean
}

export interface TestChange extends Change {
  /** Cases that it breaks or mends. */
  breaks: string[]
  mends: string[]
}

export type Outcome = 'passed' | 'failed'

export interface Run {
  number: number
  stream: string
  changelist: number
  /** The CI calls it failed. */
  isRed: boolean
  files: TestFile[]
}

/** A file of test results, by the names that the cases have then. */
export interface TestFile {
  results: { name: string; of: Case; outcome: Outcome }[]
  /** The run ended in the middle. */
  isCut: boolean
}

export type Happening =
  | { kind: 'change'; change: TestChange }
  | { kind: 'build'; run: Run }
  | { kind: 'file'; run: Run; file: TestFile }
  | { kind: 'quarantine'; name: string }
  | { kind: 'pause'; seconds: number }

export interface TestWorld {
  seed: number
  regime: (typeof REGIMES)[number]
  gate: (typeof GATES)[number]
  cases: Case[]
  happenings: Happening[]
  looks: number[]
}

const GENERIC = 'Expected 3 but was 4'
const WORDS = ['anchor', 'boat', 'crane', 'dock', 'engine', 'flag', 'gull', 'harbor', 'island', 'jetty', 'keel', 'lamp']

export function makeTestWorld(seed: number): TestWorld {
  const { below, chance, of } = numbers(seed)
  const regime = REGIMES[seed % REGIMES.length]!
  const gate = GATES[Math.floor(seed / REGIMES.length) % GATES.length]!
  const cases = WORDS.map(
    (word, index): Case => ({
      name: `${word}Works`,
      file: FILES[index % FILES.length]!,
      message: index === 1 || index === 2 ? GENERIC : `The ${word} is not ready`,
      rate: index === 4 || (index === 5 && chance(0.5)) ? 0.15 + below(3) / 10 : 0,
      isQuarantined: index === 6 && chance(0.7),
      isAbsent: index === 7,
    }),
  )
  const timeline: { at: number; happening: Happening }[] = []
  const ticks = 6 + below(10)
  const push = (at: number, happening: Happening) => {
    const isLate = regime === 'late' && chance(0.15)
    const moment = regime === 'any' && at > 0 ? below(10 * ticks) : isLate ? at + 1 + below(4) : at
    timeline.push({ at: moment, happening })
  }

  let changelist = 1000
  let number = 0
  const broken = new Map<string, Set<string>>(STREAMS.map((stream) => [stream, new Set()]))
  /** At most twice each: what comes and goes is flaky by definition. */
  const breaks = new Map<string, number>()
  const names = new Map<string, Map<string, string>>(STREAMS.map((stream) => [stream, new Map()]))
  const submit = (at: number, stream: string, paths: string[], description: string, does: Partial<TestChange> = {}) => {
    changelist += 1 + below(3)
    const files = paths.map((path) => `${stream}/${path}`)
    const change = { changelist, stream, author: of(PEOPLE), description, files, breaks: [], mends: [], ...does }
    push(at, { kind: 'change', change })
  }
  const source = ({ file }: Case) => `Source/${file}Test.cpp`
  const nameIn = (stream: string, { name }: Case) => names.get(stream)!.get(name) ?? name

  const brokenCase = (now: ReadonlySet<string>) => {
    const name = of([...now])
    return cases.find((one) => one.name === name)!
  }
  const work = (at: number, stream: string) => {
    const now = broken.get(stream)!
    const one = of(cases)
    const key = `${stream} ${one.name}`
    if (chance(0.35) && one.rate === 0 && !now.has(one.name) && (breaks.get(key) ?? 0) < 2) {
      now.add(one.name)
      breaks.set(key, (breaks.get(key) ?? 0) + 1)
      submit(at, stream, [chance(0.8) ? source(one) : 'Source/Core.cpp'], `Rework the ${one.file}`, { breaks: [one.name] })
    } else if (chance(0.4) && now.size > 0) {
      const mended = brokenCase(now)
      now.delete(mended.name)
      submit(at, stream, [source(mended)], chance(0.5) ? 'Fix the test' : 'Second thoughts', { mends: [mended.name] })
    } else if (chance(0.15) && now.size > 0 && names.get(stream)!.size === 0) {
      const renamed = brokenCase(now)
      names.get(stream)!.set(renamed.name, `${renamed.name}Well`)
      submit(at, stream, [source(renamed)], 'Rename a test')
    } else submit(at, stream, [`Content/Rock${below(9)}.uasset`], chance(0.2) ? 'Fix the rock' : 'Sculpt a rock')
  }

  const build = (at: number, stream: string) => {
    const now = broken.get(stream)!
    const isLeftOut = chance(0.3)
    const attempt = (one: Case, isAgain = false): Outcome =>
      now.has(one.name) || chance(isAgain ? one.rate / 2 : one.rate) ? 'failed' : 'passed'
    const ran = cases
      .filter(({ isAbsent }) => !(isAbsent && isLeftOut))
      .map((one) => ({ name: nameIn(stream, one), of: one, outcome: attempt(one) }))
    const failed = ran.filter(({ outcome }) => outcome === 'failed')
    const isCut = chance(0.1)
    const files: TestFile[] = [
      { results: ran.filter((_, index) => index % 2 === 0), isCut },
      { results: ran.filter((_, index) => index % 2 === 1), isCut: false },
    ]
    const again = failed.map((one) => ({ ...one, outcome: attempt(one.of, true) }))
    if (failed.length > 0 && chance(0.5)) files.push({ results: again, isCut: false })
    const isRed = failed.length > 0 ? chance(0.5) : chance(0.04)
    const run: Run = { number: ++number, stream, changelist, isRed, files }
    push(at, { kind: 'build', run })
    for (const file of files) push(at + 0.1, { kind: 'file', run, file })
  }

  for (const stream of STREAMS) submit(0, stream, ['Game.uproject'], 'Begin')
  for (let tick = 1; tick <= ticks; tick++) {
    const stream = chance(0.75) ? STREAMS[0] : STREAMS[1]
    for (let count = below(3); count > 0; count--) work(tick, stream)
    for (let builds = chance(0.85) ? (chance(0.15) ? 2 : 1) : 0; builds > 0; builds--) build(tick + 0.3, stream)
    if (chance(0.3)) push(tick + 0.9, { kind: 'pause', seconds: of([70, 600, 3600]) })
  }
  const quarantined = cases.find(({ isQuarantined }) => isQuarantined)
  if (quarantined) push(1 + below(ticks), { kind: 'quarantine', name: quarantined.name })
  const happenings = timeline.sort((one, other) => one.at - other.at).map(({ happening }) => happening)
  const looks: number[] = []
  for (let next = 10 + below(40); next < happenings.length; next += 10 + below(60)) looks.push(next)
  return { seed, regime, gate, cases, happenings, looks }
}
